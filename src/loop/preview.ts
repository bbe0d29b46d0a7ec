// What would have been with other settings: the recorded signals through the policy again, with the fleet that this policy
// would have had. As long as it decides as recorded, the fleet is the recorded one; from the first difference on it is
// modelled (model-fleet.ts), since nobody has seen it. One entry after the other, so that a long journal needs no memory.
import { lookbackOf } from '../decide/index.ts';
import type { ElasticityParameters } from '../decide/parameters.ts';
import { validateParameters } from '../decide/validate.ts';
import type { Market } from '../fleet/offers.ts';
import type { Action, Decision, DecisionRecord, Millis, Observation, PeriodSummary } from '../model.ts';
import { mean } from '../predict/index.ts';
import { evaluate, remember, summarize } from './evaluate.ts';
import type { JournalEntry } from './journal.ts';
import { ModelFleet } from './model-fleet.ts';
import { PreviewTally, type Totals } from './preview-tally.ts';
import { actsOtherwise, continues } from './replay.ts';
import { patched } from './settings.ts';

export interface PreviewOptions {
  /** The settings to try, made of those that were recorded. */
  readonly settings: (recorded: ElasticityParameters) => ElasticityParameters;
  readonly from?: Millis;
  readonly until?: Millis;
}

export interface Preview {
  readonly from: Millis;
  readonly until: Millis;
  readonly periods: number;
  /** As recorded, and as it would have been. */
  readonly before: Totals;
  readonly after: Totals;
  /** A VM is saturated above this CPU, in both: `high` as it was. */
  readonly saturatedAbove: number;
  /** From here on the fleet is modelled; absent: it would have been the same throughout. */
  readonly differsFrom?: Millis;
  /** At most MOST_POINTS, evenly spread. */
  readonly points: readonly PreviewPoint[];
  /** What to know before these settings are applied. */
  readonly warnings: readonly string[];
}

export interface PreviewPoint {
  readonly at: Millis;
  readonly before: Side;
  readonly after: Side;
}

interface Side {
  readonly vms: number;
  readonly ready: number;
  /** Mean CPU of those that serve. */
  readonly cpu?: number;
  readonly action: Action;
}

const MOST_POINTS = 720;
/** Where no boot was seen. */
const USUAL_BOOT_MS = 10_000;

export class Previewer {
  readonly #options: PreviewOptions;
  #wanted: ElasticityParameters | undefined;
  #recorded: ElasticityParameters | undefined;
  #market: Market | undefined;
  #history: readonly PeriodSummary[] = [];
  #fleet: ModelFleet | undefined;
  #differsFrom: Millis | undefined;
  readonly #before = new PreviewTally();
  readonly #after = new PreviewTally();
  readonly #points: PreviewPoint[] = [];
  readonly #boots = new Map<string, Millis>();
  #saturatedAbove: number | undefined;
  #decidedAt = -Infinity;
  #last: Millis | undefined;
  #byHand = 0;

  constructor(options: PreviewOptions) {
    this.#options = options;
  }

  take(entry: JournalEntry): void {
    const { from = -Infinity, until = Infinity } = this.#options;
    if (entry.kind === 'market') this.#market = entry.market;
    if (entry.kind === 'settings') {
      this.#market = entry.market ?? this.#market;
      this.#recorded = entry.parameters;
      this.#wanted = this.#options.settings(entry.parameters);
      if (this.#fleet === undefined && !continues(this.#history, entry.history)) this.#history = entry.history;
    }
    if (entry.kind === 'hand' && entry.at >= from && entry.at <= until && entry.deed.what !== 'acknowledge')
      this.#byHand += 1;
    if (entry.kind !== 'period' || this.#wanted === undefined || this.#recorded === undefined) return;
    if (entry.record.at < from) this.#look(entry.record, this.#wanted);
    else if (entry.record.at <= until) this.#period(entry.record, this.#wanted, this.#recorded);
  }

  /** What was before the span, for policies that look back. */
  #look({ observation, forecast, decision }: DecisionRecord, wanted: ElasticityParameters): void {
    this.#history = remember(this.#history, summarize(observation, forecast, decision), wanted);
  }

  #period(record: DecisionRecord, wanted: ElasticityParameters, recorded: ElasticityParameters): void {
    const { at, observation, decision } = record;
    this.#saturatedAbove ??= recorded.high;
    for (const { vm } of observation.vms) if (vm.bootTime !== undefined) this.#boots.set(vm.id, vm.bootTime);
    const span = Math.min(observation.traffic.span ?? recorded.period, 3 * recorded.period);
    const seen = this.#fleet?.observe(observation, wanted.window) ?? observation;
    const mine = this.#decide(seen, decision, wanted, recorded);
    const prices = this.#market;
    this.#before.add(observation, recorded.dryRun ? HELD : decision, { span, prices, above: this.#saturatedAbove });
    this.#after.add(seen, mine, { span, prices, above: this.#saturatedAbove });
    this.#points.push({ at, before: sideOf(observation, decision), after: sideOf(seen, mine) });
    this.#last = at;
  }

  #decide(
    seen: Observation,
    decision: Decision,
    wanted: ElasticityParameters,
    recorded: ElasticityParameters,
  ): Decision {
    const { at } = seen;
    // recorded more often than these settings would have looked: nothing is decided between
    const isDue = at - this.#decidedAt >= wanted.period - recorded.period / 2;
    if (!isDue) {
      this.#differ(seen, decision.action !== 'hold');
      return HELD;
    }
    this.#decidedAt = at;
    const evaluation = evaluate(seen, this.#history, wanted, this.#market);
    const mine = wanted.dryRun ? HELD : evaluation.decision;
    this.#differ(seen, actsOtherwise(recorded.dryRun ? HELD : decision, mine));
    // as recorded so far: what came of it is what the journal says
    const did = this.#fleet === undefined ? decision : mine;
    this.#history = remember(this.#history, { ...evaluation.summary, action: did.action, count: did.count }, wanted);
    this.#fleet?.apply(mine, at, this.#bootMs);
    return mine;
  }

  #differ(seen: Observation, isOther: boolean): void {
    if (!isOther || this.#fleet !== undefined) return;
    this.#differsFrom = seen.at;
    this.#fleet = new ModelFleet(seen, this.#bootMs);
  }

  get #bootMs(): Millis {
    const boots = [...this.#boots.values()].sort((a, b) => a - b);
    return boots[Math.floor(boots.length / 2)] ?? USUAL_BOOT_MS;
  }

  result(): Preview {
    const [first] = this.#points;
    return {
      from: first?.at ?? this.#options.from ?? 0,
      until: this.#last ?? this.#options.until ?? 0,
      periods: this.#points.length,
      before: this.#before.totals,
      after: this.#after.totals,
      saturatedAbove: this.#saturatedAbove ?? 0,
      ...(this.#differsFrom !== undefined && { differsFrom: this.#differsFrom }),
      points: thinned(this.#points),
      warnings: this.#points.length === 0 ? ['Nothing was recorded in that time.'] : this.#warnings(),
    };
  }

  #warnings(): readonly string[] {
    const [wanted, recorded] = [this.#wanted, this.#recorded];
    if (wanted === undefined || recorded === undefined) return [];
    const [was, is] = [this.#before.totals.turns, this.#after.totals.turns];
    return [
      ...validateParameters(wanted).warnings,
      ...(is > was && is > 1
        ? [`The fleet would have turned back ${is} times within 5 minutes (before: ${was}): these settings flap.`]
        : []),
      ...(wanted.period < recorded.period
        ? ['The recorded period is longer: it is decided as often as was recorded.']
        : []),
      ...(this.#differsFrom !== undefined && this.#boots.size === 0
        ? [`No boot was recorded: ${USUAL_BOOT_MS / 1000} s are assumed.`]
        : []),
      ...(this.#differsFrom !== undefined && this.#byHand > 0
        ? ['What people did by hand in that time is left out from the first difference on.']
        : []),
    ];
  }
}

/** How much of the past before a span a preview needs. */
export const pastOf = (parameters: ElasticityParameters): Millis =>
  Math.max(lookbackOf(parameters.policy), parameters.allocateCooldown, parameters.releaseCooldown);

/** All at once. `changes` are set on top of the recorded settings. */
export function preview(entries: Iterable<JournalEntry>, changes: Parameters<typeof patched>[1]): Preview {
  const previewer = new Previewer({ settings: (recorded) => patched(recorded, changes) });
  for (const entry of entries) previewer.take(entry);
  return previewer.result();
}

const HELD: Decision = { action: 'hold', count: 0, rule: 'none', reason: '', comparisons: [] };

const sideOf = ({ vms }: Observation, { action }: Decision): Side => {
  const serving = vms.filter(({ vm }) => vm.state === 'ready');
  const cpu = mean(serving.flatMap(({ cpu: [newest] }) => newest ?? []));
  return { vms: vms.length, ready: serving.length, action, ...(cpu !== undefined && { cpu }) };
};

/** Every so many-th, and with each the action of those that are left out before it. */
function thinned(points: readonly PreviewPoint[]): readonly PreviewPoint[] {
  const every = Math.ceil(points.length / MOST_POINTS);
  if (every <= 1) return points;
  const groups = Array.from({ length: Math.ceil(points.length / every) }, (_, i) =>
    points.slice(i * every, (i + 1) * every),
  );
  return groups.flatMap((group) => {
    const last = group.at(-1);
    if (last === undefined) return [];
    const acted = (side: 'before' | 'after'): Action =>
      group.findLast((point) => point[side].action !== 'hold')?.[side].action ?? 'hold';
    return [
      {
        ...last,
        before: { ...last.before, action: acted('before') },
        after: { ...last.after, action: acted('after') },
      },
    ];
  });
}
