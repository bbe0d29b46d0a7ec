// How many VMs a fleet should have under a view of what may come: what each costs against the misses that it saves.
import { mostOf, type Scenario } from './spread.ts';
import { dropOf } from './drop.ts';
import { loadsOf, type Loads, type View } from './view.ts';
import type { Millis } from '../../model.ts';
import { ratePerVm, slowShareAt, stationOf } from '../../queueing/queueing.ts';

/** A fleet, real or not. */
export interface Seen {
  readonly vms: number;
  readonly ready: number;
  /** Requests that pile up already. */
  readonly waiting: number;
}

/** How changes are weighed. */
export interface Form {
  /** What a VM costs, in terms of what the objective says. */
  readonly price: number;
  /** How much of what is uncertain of the load a change must give back (`marginOf`). */
  readonly margin: number;
}

export const PLAIN: Form = { price: 1, margin: 0.5 };

/** What a VM that is not there yet must save, in prices: its boot is paid as well. */
const NEW_VM = 2;

/**
 * What a VM that is there must save, in prices: the longer one boots, the longer it is missed where it was needed again.
 * Worked: 10 s: 0.95; 60 s: 0.75; 180 s: a half.
 */
const oldVm = (bootMs: Millis): number => 1 / (1 + bootMs / 180_000);

/** The share of what the fleet costs that a change must save: what takes long is to last. */
const worthOf = (bootMs: Millis): number => Math.max(0.3, Math.min(0.6, bootMs / 300_000));

/** Of the fleet no less and no more than that. */
const LEAST_MARGIN = 0.03;
const MOST_MARGIN = 0.2;
/** A load below this share of what a VM answers is as good as none. */
const LEAST_LOAD = 1 / 20;

/**
 * The share of the fleet that must be too much before any of it goes: where the load is steady a little, and where it scatters
 * more, for what goes there is soon missed.
 * Worked: 100 a second are expected at the end of the horizon, and 135 in 3 of 100 cases: half of ln 1.35, so 0.15.
 */
function marginOf({ atEnd, rate }: View, form: Form): number {
  const [middle, most] = [mostOf(atEnd.cases, 0.5), mostOf(atEnd.cases, 0.97)];
  const least = LEAST_LOAD * rate;
  const uncertain = Math.log(Math.max(least, most) / Math.max(least, middle));
  return Math.max(LEAST_MARGIN, Math.min(MOST_MARGIN, form.margin * uncertain));
}

/** A load of this share of what a VM answers matters little for a fall. */
const LITTLE = 1 / 3;

/** A backlog grows for so long at most, before requests are turned away. */
export const BACKLOG_MS = 20_000;

/** The size that the fleet should have: its own where that is near enough. */
export function sizeOf(view: View, fleet: Seen, form: Form): number {
  const { atEnd, bootMs } = view;
  const { vms, ready } = fleet;
  const price = form.price * view.price;
  const backlog = backlogOf(view, fleet);
  const up = best(view, atEnd, backlog, NEW_VM * form.price);
  const cost = (size: number): number => misses(view, atEnd, size, backlog) + NEW_VM * price * size;
  if (up > vms && (view.goal === 'cost' || cost(vms) - cost(up) >= worthOf(bootMs) * price * vms)) return up;
  const enough = vms - Math.max(1, marginOf(view, form) * vms);
  if (up > enough) return vms;
  const loads = withReturn(view, view.highest());
  const keep = Math.max(up, best(view, loads, backlog, form.price * oldVm(bootMs)));
  // a pending VM can't leave, and the ready ones alone must do until it comes
  return keep > enough ? vms : Math.max(keep, vms - Math.max(0, ready - keep));
}

/** After a fall like few before, the load may be back where it was. */
function withReturn({ periods, horizon, rate }: View, loads: Loads): Loads {
  const drop = dropOf(periods, horizon.ms / horizon.periods, LITTLE * rate);
  if (drop === undefined) return loads;
  const { chance, level } = drop;
  const others = loads.cases.map((each) => ({ ...each, weight: (1 - chance) * each.weight }));
  return loadsOf([...others, { rate: level, weight: chance }]);
}

/** The size that is best for those loads without a change; its own where that would save little. */
export function levelOf(view: View, loads: Loads, vms: number): number {
  const size = best(view, loads, 0, 1);
  const cost = (of: number): number => missed(view, loads, of, 0) + view.price * of;
  return cost(vms) - cost(size) >= worthOf(view.bootMs) * view.price * vms ? size : vms;
}

function best(view: View, loads: Loads, backlog: number, factor: number): number {
  const { limits, price, objectivePercent } = view;
  const missesOf = (vms: number): number => misses(view, loads, vms, backlog);
  // the least size that misses no more than that; where none does, the one that misses least
  const allowed = (1 - objectivePercent / 100) * meanOf(loads.cases);
  if (view.goal === 'cost') return leastOf(limits, missesOf, (_, least) => least > allowed);
  const priceOf = (vms: number): number => factor * price * vms;
  return leastOf(
    limits,
    (vms) => missesOf(vms) + priceOf(vms),
    (vms, least) => priceOf(vms) < least,
  );
}

/** Requests that will have piled up when a VM asked for now serves. */
function backlogOf({ arrivalRate, rate, horizon }: View, { ready, waiting }: Seen): number {
  const excess = Math.max(0, arrivalRate - rate * ready);
  return waiting + (excess * Math.min(BACKLOG_MS, horizon.ms)) / 1000;
}

/** Without a backlog it is the same for every fleet of that size. */
function misses(view: View, loads: Loads, vms: number, backlog: number): number {
  if (backlog > 0) return missed(view, loads, vms, backlog);
  return (loads.missed[vms] ??= missed(view, loads, vms, 0));
}

/**
 * Requests a second that miss the objective, over the loads that may come: all of them until the backlog is gone, then
 * those that the queueing model says. What is not even served in that time counts once more, so that where nothing
 * helps at once the bigger fleet is still the better one.
 */
function missed(view: View, loads: Loads, vms: number, backlog: number): number {
  const { capacity, objectiveMs, burstMs } = view;
  const seconds = view.horizon.ms / 1000;
  const station = stationOf(vms, capacity.parallel);
  let sum = 0;
  for (const { rate, weight } of loads.cases) {
    const spare = vms * ratePerVm(capacity) - rate;
    const delayed = backlog <= 0 ? 0 : spare <= 0 ? 1 : Math.min(1, backlog / spare / seconds);
    const unserved = Math.max(0, backlog / seconds - spare);
    sum +=
      weight *
      (rate * (delayed + (1 - delayed) * slowShareAt(rate, station, capacity, objectiveMs, burstMs)) + unserved);
  }
  return sum;
}

const meanOf = (loads: readonly Scenario[]): number => loads.reduce((sum, { rate, weight }) => sum + weight * rate, 0);

/** The size of least cost; sizes are tried from the smallest on, as long as a larger one may be better. */
function leastOf(
  { min, max }: { readonly min: number; readonly max: number },
  costOf: (vms: number) => number,
  mayBeBetter: (vms: number, least: number) => boolean,
): number {
  let best = min;
  let least = Infinity;
  for (let vms = Math.max(1, min); vms <= max && mayBeBetter(vms, least); vms++) {
    const cost = costOf(vms);
    if (cost < least) [best, least] = [vms, cost];
  }
  return best;
}
