// The shadow tournament: each candidate leads a fleet that is only thought under the load that really came, and the one
// with the best record of the last hours leads the real one. A record is weighed as `adaptive` weighs: what was missed, and
// the price of the VMs and of the changes. All in bounded space: the shadows and their fading records, no past of theirs.
import type { Millis, PeriodSummary } from '../../model.ts';
import { candidates } from './candidates.ts';
import type { Memory } from './memory.ts';
import { isShadow, shadowOf, step, type Served, type Shadow } from './shadow.ts';
import { areAll, has, isAmount, isNumber, isSound, made } from './sound.ts';
import type { TrackRecord } from './track-record.ts';
import type { View } from './view.ts';

export interface Tournament {
  /** Who leads the real fleet, and since when. */
  readonly governor: string;
  readonly since: Millis;
  readonly began: Millis;
  /** Requests that came, fading like the records. */
  readonly requests: number;
  readonly shadows: readonly Shadow[];
  /** Requests that a VM-hour, and a change, must have saved. */
  readonly prices: { readonly vmHour: number; readonly action: number };
}

const HOUR = 3_600_000;
/** A record fades by as much in so long that it is one of the last hours. */
const MEMORY = 6 * HOUR;
/** A shorter record says nothing, and a governor has so long to show what it can. */
const YOUNG = 3 * HOUR;
const STAYS = HOUR / 2;
/** Another one must be better by that share. */
const LEAD = 0.2;
/** A change costs what a VM costs in so many seconds. */
const CHANGE_SECONDS = 300;

/** All that travels with the newest period. */
export interface Learned extends Memory {
  readonly tournament?: Tournament | undefined;
  readonly record?: TrackRecord;
  /** VM-ms of the real fleet that were too much in one period after the other. */
  readonly idleMs?: Millis;
}

/** The one that is under way. */
export function tournamentOf(past: PeriodSummary | undefined): Tournament | undefined {
  const tournament: unknown = (past?.learned as Partial<Learned> | null | undefined)?.tournament;
  return isTournament(tournament) ? tournament : undefined;
}

/** A journal may hold what another version has, or a part of it. */
const isTournament = (value: unknown): value is Tournament =>
  isSound<Tournament>(value, (fields) =>
    has(fields, {
      ...{ governor: isText, since: isNumber, began: isNumber, requests: isAmount },
      shadows: (shadows) => areAll(shadows, isShadow),
      prices: (prices) => has(prices, { vmHour: isAmount, action: isAmount }),
    }),
  );

const isText = (value: unknown): boolean => typeof value === 'string';

/** One period more; a clock that was set back begins it anew. `history`: newest first. */
export function play(
  last: Tournament | undefined,
  view: View,
  present: PeriodSummary,
  history: readonly PeriodSummary[],
): Tournament {
  const { at } = present;
  const span = Math.max(0, at - (history[0]?.at ?? at));
  const before = at < Math.max(last?.since ?? at, history[0]?.at ?? at) ? undefined : last;
  const kept = Math.exp(-span / MEMORY);
  const old = new Map(before?.shadows.map((shadow) => [shadow.name, shadow]));
  const shadows = candidates.map((candidate) =>
    step(old.get(candidate.name) ?? shadowOf(candidate, present.vms), candidate, view, { at, span, kept }),
  );
  const [first] = candidates;
  const prices = { vmHour: 3600 * view.price, action: CHANGE_SECONDS * view.price };
  const next = made({
    governor: before?.governor ?? first?.name ?? '',
    since: before?.since ?? at,
    began: before?.began ?? at,
    requests: kept * (before?.requests ?? 0) + (present.arrivalRate * span) / 1000,
    shadows,
    prices,
  });
  if (at - next.began < YOUNG || at - next.since < STAYS) return next;
  const leader = leaderOf(next);
  const governing = shadows.find(({ name }) => name === next.governor);
  if (leader === undefined || leader.name === next.governor) return next;
  const better =
    governing === undefined || costOf(leader.record, prices) < (1 - LEAD) * costOf(governing.record, prices);
  return better ? made({ ...next, governor: leader.name, since: at }) : next;
}

function leaderOf({ shadows, prices }: Tournament): Shadow | undefined {
  let best: Shadow | undefined;
  for (const shadow of shadows)
    if (best === undefined || costOf(shadow.record, prices) < costOf(best.record, prices)) best = shadow;
  return best;
}

const costOf = ({ missed, vmHours, actions }: Served, { vmHour, action }: Tournament['prices']): number =>
  missed + vmHour * vmHours + action * actions;

/** `the last hours' record: reg 0.8 % at 31.0 VM-hours, 12 changes; adaptive 0.5 % at 30.0 VM-hours, 40 changes; reg governs`. */
export function record(tournament: Tournament): string {
  const { governor, shadows, prices, requests } = tournament;
  const told = (of: Shadow): string => {
    const percent = (100 * of.record.missed) / Math.max(1e-9, requests);
    return `${of.name} ${percent.toFixed(1)} % at ${of.record.vmHours.toFixed(1)} VM-hours, ${Math.round(of.record.actions)} changes`;
  };
  const sorted = [...shadows].sort((a, b) => costOf(a.record, prices) - costOf(b.record, prices));
  const shown = sorted.filter(
    (shadow, i) => i === 0 || shadow.name === governor || (i === 1 && sorted[0]?.name === governor),
  );
  return `the last hours' record: ${shown.map(told).join('; ')}; ${governor} governs`;
}
