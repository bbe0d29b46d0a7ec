// The control loop. Once a period: observe, predict, decide, record, act. About every second besides: bring the fleet
// and the provider together (reconciler.ts), so that a booted VM serves at once and a crashed one is replaced.
import type { Deed } from '../act/by-hand.ts';
import type { GatewayPort, ReadinessCheck } from '../act/execute.ts';
import { keptOf, type Entry } from '../act/entry.ts';
import { restore } from '../act/ledger.ts';
import type { Provider } from '../act/provider.ts';
import { atTime } from '../decide/calendar.ts';
import type { ElasticityParameters } from '../decide/parameters.ts';
import { messageOf } from '../errors.ts';
import { hasChoice, type Market } from '../fleet/offers.ts';
import type { DecisionRecord, Millis, Observation, PeriodSummary, Role, StepOutcome } from '../model.ts';
import type { Monitor } from '../monitor/monitor.ts';
import type { Clock } from './clock.ts';
import { evaluate, remember, type Evaluation } from './evaluate.ts';
import { bound, History, type BoundRecord } from './history.ts';
import type { HandRecord, JournalEntry, JournalSink, ParameterPatch } from './journal.ts';
import type { SavedState, StateStore } from './saved-state.ts';
import { recall, type TimedStep } from './recall.ts';
import { Reconciler } from './reconciler.ts';
import { Rounds } from './rounds.ts';
import { toldWhenSet } from './set-clock.ts';
import { Settings } from './settings.ts';
import { Stopwatch } from './stopwatch.ts';
import type { LoopState } from './loop-state.ts';

export interface ControlLoopDeps {
  readonly clock: Clock;
  /** Whose VMs these are; default: the group has no roles. */
  readonly role?: Role;
  readonly provider: Provider;
  readonly gateway: GatewayPort;
  /** Does the VM answer? Must end by itself within some seconds. */
  readonly isReady: ReadinessCheck;
  readonly monitor: Pick<Monitor, 'observe'> & Partial<Pick<Monitor, 'restore'>>;
  readonly store: StateStore;
  readonly journal: JournalSink;
  /** When VMs (by id) will be taken, as those that were heard say themselves: known beside what the provider lists. */
  readonly notices?: () => ReadonlyMap<string, Millis | undefined>;
  /** A mark that was never used before, for the next VM that is wanted. */
  readonly newMark: () => string;
  /** The configured settings; what was changed while it ran is kept in the store. */
  readonly parameters: ElasticityParameters;
  /** The journal's newest entries, so that a restarted manager knows what it decided before. */
  readonly past?: readonly JournalEntry[];
  /** Fine time for the timings (performance.now); without it the clock's. */
  readonly stopwatch?: () => number;
  /** For metrics and log. */
  readonly onPeriod?: (record: DecisionRecord, timings: Readonly<Record<string, number>>) => void;
  readonly onOutcome?: (outcome: StepOutcome, period: number | undefined) => void;
}

export interface ControlLoop {
  /** Takes up the saved state and the provider's VMs, then runs until `stop`. Resolves when the first pass is done. */
  start(): Promise<void>;
  /** Resolves when the provider has listed its VMs for the first time: before that nobody knows which there are. */
  readonly taken: Promise<void>;
  /** Decides and starts nothing any more; VMs stay as they are. */
  stop(): Promise<void>;
  /** One period. */
  runOnce(): Promise<DecisionRecord>;
  /** One pass of the reconciliation. */
  reconcileOnce(): Promise<void>;
  /** A VM has heard that it will be taken: that is planned for at once. */
  hurry(): void;
  /** Resolves when no step is under way. */
  settled(): Promise<void>;
  state(): LoopState;
  /** The last periods, newest first, holds too. */
  records(limit: number): readonly BoundRecord[];
  /** Changes settings from the next period on; null: back to the configured value. Returns warnings, throws refusals. */
  setParameters(patch: ParameterPatch, who: string): Promise<readonly string[]>;
  /** What a person does to the fleet, beside all decisions. Throws refusals. */
  byHand(deed: Deed, who: string): Promise<void>;
  /** Somebody has seen a problem (a condition's name, or its sentence) and looks after it. */
  acknowledge(problem: string, who: string): void;
  /** What was done with a VM, also one that is gone, oldest first. */
  stepsOf(vm: string): readonly TimedStep[];
  /** Ids of the VMs that are kept. */
  kept(): ReadonlySet<string>;
  /** Ids of all VMs that it knows at the provider. */
  known(): readonly string[];
}

/** Deeds by hand that are shown. */
const MOST_BY_HAND = 100;
/** Steps that are remembered, of all VMs. */
const MOST_STEPS = 2_000;

export function createControlLoop(deps: ControlLoopDeps): ControlLoop {
  return new Loop(deps);
}

class Loop implements ControlLoop {
  readonly #deps: ControlLoopDeps;
  readonly #settings: Settings;
  readonly #reconciler: Reconciler;
  readonly #rounds: Rounds;
  #startedAt: Millis;
  readonly #records: History;
  /** What policies remember. */
  #history: readonly PeriodSummary[];
  #period = 0;
  #saved: SavedState | undefined;
  #isTaken = false;
  readonly #taken = Promise.withResolvers<void>();
  /** The market of the last decision, where there was a choice. */
  #seen: Market | undefined;
  #decided = false;
  #byHand: readonly HandRecord[];
  #steps: TimedStep[];

  constructor(given: ControlLoopDeps) {
    const deps = { ...given, clock: toldWhenSet(given.clock, (by) => this.#clockSet(by)) };
    this.#deps = deps;
    this.#startedAt = given.clock.now();
    const past = recall(deps.past ?? [], deps.parameters);
    this.#settings = new Settings(deps.parameters, past.changes, deps.role);
    this.#reconciler = new Reconciler({
      clock: deps.clock,
      ports: deps,
      newMark: deps.newMark,
      settings: () => atTime(this.#settings.current, deps.clock.now()),
      save: (kept) => deps.store.save({ ...kept, changes: this.#settings.patch }),
      ...(deps.notices && { notices: deps.notices }),
      onOutcome: (outcome, period) => this.#onOutcome(outcome, period),
    });
    // behind the reconciler, which is told when the clock is set
    this.#rounds = new Rounds(deps.clock, () => (this.#settings.next ?? this.#settings.current).period);
    this.#byHand = past.byHand.slice(0, MOST_BY_HAND);
    this.#steps = past.steps.slice(-MOST_STEPS);
    this.#records = new History(past.records);
    this.#period = this.#records.last?.period ?? 0;
    this.#history = past.history;
    this.#resume();
  }

  #clockSet(by: Millis): void {
    this.#startedAt += by;
    this.#reconciler.clockSet(by);
  }

  /** The samples of before a restart go on, unless they are so old that none of them would be in the window any more. */
  #resume(): void {
    const seen = this.#records.last?.observation;
    const { window, period } = this.#settings.current;
    if (seen !== undefined && this.#startedAt - seen.at <= window * period)
      this.#deps.monitor.restore?.(seen, this.#settings.current);
  }

  async start(): Promise<void> {
    await this.reconcileOnce();
    this.#rounds.begin({
      reconcile: () => this.reconcileOnce(),
      pause: () => this.#reconciler.pause,
      // before the provider's first answer nobody knows the fleet
      decide: async () => this.#isTaken && this.runOnce(),
    });
  }

  get taken(): Promise<void> {
    return this.#taken.promise;
  }

  async stop(): Promise<void> {
    this.#reconciler.endWaits();
    await this.#rounds.end();
    await this.#reconciler.stop();
  }

  async runOnce(): Promise<DecisionRecord> {
    const { clock, monitor, stopwatch = () => clock.now() } = this.#deps;
    const watch = new Stopwatch(stopwatch);
    if (this.#settings.begin() || !this.#decided) this.#append(this.#head());
    this.#decided = true;
    const parameters = this.#settings.current;
    this.#period += 1;

    const observation = watch.time('observe', () => monitor.observe(clock.now(), this.#monitored(), parameters));
    const market = this.#market();
    const evaluation = watch.time('decide', () => evaluate(observation, this.#history, parameters, market));
    const record = this.#record(observation, evaluation);
    watch.time('record', () => this.#append({ kind: 'period', record }));
    this.#records.add(bound(record, parameters));
    this.#history = remember(this.#history, evaluation.summary, parameters);
    // On disk before anything is done.
    if (record.decision.action !== 'hold') await this.#deps.journal.flush?.();
    watch.time('plan', () => this.#take(record));
    this.#deps.onPeriod?.(record, watch.timings);

    if (record.decision.action !== 'hold') await this.#reconciler.advance();
    return record;
  }

  /** The first pass takes over what a previous manager left; nothing is planned before the provider has answered. */
  async reconcileOnce(): Promise<void> {
    if (this.#isTaken) return this.#reconciler.pass();
    const saved = await this.#load();
    const provided = await this.#reconciler.list();
    if (provided === undefined) return;
    const { bootDeadline } = this.#settings.current;
    const moment = { now: this.#deps.clock.now(), bootDeadline };
    this.#reconciler.restore(restore(saved.entries, provided, moment), saved.rests);
    this.#isTaken = true;
    this.#taken.resolve();
    return this.#reconciler.advance();
  }

  async #load(): Promise<SavedState> {
    if (this.#saved === undefined) {
      this.#saved = (await this.#deps.store.load()) ?? { entries: [], changes: {} };
      this.#settings.restore(this.#saved.changes);
    }
    return this.#saved;
  }

  hurry(): void {
    if (this.#isTaken) void this.#rounds.survive('reconciliation', () => this.#reconciler.advance());
  }

  settled(): Promise<void> {
    return this.#reconciler.settled();
  }

  async setParameters(patch: ParameterPatch, who: string): Promise<readonly string[]> {
    const saved = await this.#load();
    const at = this.#deps.clock.now();
    const warnings = this.#settings.change(patch, who, at);
    this.#rounds.cut();
    const [change] = this.#settings.changes;
    if (change !== undefined) this.#append({ kind: 'change', ...change });
    const kept = this.#isTaken ? this.#reconciler.kept : saved;
    try {
      await this.#deps.store.save({ ...kept, changes: this.#settings.patch });
      return warnings;
    } catch (error) {
      const why = messageOf(error);
      return [...warnings, `The change holds, but could not be saved for the next start: ${why}`];
    }
  }

  async byHand(deed: Deed, who: string): Promise<void> {
    await this.#reconciler.byHand(deed, who);
    this.#note({ at: this.#deps.clock.now(), who, deed });
  }

  acknowledge(problem: string, who: string): void {
    this.#note({ at: this.#deps.clock.now(), who, deed: { what: 'acknowledge', problem } });
  }

  #note(record: HandRecord): void {
    this.#byHand = [record, ...this.#byHand].slice(0, MOST_BY_HAND);
    this.#append({ kind: 'hand', ...record });
  }

  stepsOf(vm: string): readonly TimedStep[] {
    return this.#steps.filter(({ outcome }) => outcome.vm === vm);
  }

  kept(): ReadonlySet<string> {
    return keptOf(this.#entries);
  }

  known(): readonly string[] {
    return this.#entries.flatMap(({ id }) => id ?? []);
  }

  /** Until the provider has answered: as they were saved. */
  get #entries(): readonly Entry[] {
    return this.#isTaken ? this.#reconciler.entries : (this.#saved?.entries ?? []);
  }

  records(limit: number): readonly BoundRecord[] {
    return this.#records.newest(limit);
  }

  state(): LoopState {
    const { current, next, changes, overrides, warnings } = this.#settings;
    const { last } = this.#records;
    const now = this.#deps.clock.now();
    return {
      at: now,
      startedAt: this.#startedAt,
      period: this.#period,
      nextPeriodAt: this.#rounds.nextPeriodAt,
      parameters: current,
      ...(next === undefined ? {} : { pendingParameters: next }),
      fleet: this.#reconciler.fleet,
      ...(last === undefined ? {} : { last }),
      energy: this.#reconciler.energy.upTo(now),
      bill: this.#reconciler.bill,
      market: this.#reconciler.market,
      changes,
      byHand: this.#byHand,
      overrides,
      providerAnswered: this.#isTaken,
      obstacles: this.#reconciler.obstacles,
      problems: [...this.#rounds.faults, ...this.#reconciler.problems],
      warnings,
    };
  }

  #monitored() {
    const provided = new Map(this.#reconciler.provided?.map((vm) => [vm.id, vm.monitoring]));
    return this.#reconciler.fleet.map((vm) => {
      const monitoring = provided.get(vm.id);
      return monitoring === undefined ? { vm } : { vm, monitoring };
    });
  }

  /** In the journal when it has changed, so that a replay chooses from the same. */
  #market(): Market {
    const { market } = this.#reconciler;
    const before = this.#seen;
    this.#seen = hasChoice(market) ? market : undefined;
    if (this.#seen !== undefined && JSON.stringify(before) !== JSON.stringify(market))
      this.#append({ kind: 'market', at: this.#deps.clock.now(), market });
    return market;
  }

  #record(observation: Observation, { forecast, decision }: Evaluation): DecisionRecord {
    const { policy } = this.#settings.current;
    const { role } = this.#deps;
    const about = { at: observation.at, period: this.#period, policy, ...(role !== undefined && { role }) };
    return { ...about, observation, forecast, decision, outcome: [] };
  }

  #take({ period, observation, decision }: DecisionRecord): void {
    const dark = observation.vms.filter(({ vm, source }) => vm.state === 'ready' && source === 'none');
    this.#reconciler.dark = new Set(dark.map(({ vm }) => vm.id));
    this.#reconciler.take(decision, period);
  }

  #append(entry: JournalEntry): void {
    this.#deps.journal.append(entry, () => this.#head());
  }

  #head(): JournalEntry {
    const at = this.#deps.clock.now();
    const head = { kind: 'settings', at, parameters: this.#settings.current, history: this.#history } as const;
    return this.#seen === undefined ? head : { ...head, market: this.#seen };
  }

  #onOutcome(outcome: StepOutcome, period: number | undefined): void {
    const at = this.#deps.clock.now();
    this.#append(period === undefined ? { kind: 'step', at, outcome } : { kind: 'step', at, period, outcome });
    this.#steps.push({ at, outcome });
    if (this.#steps.length > MOST_STEPS) this.#steps.shift();
    if (period !== undefined) this.#records.addOutcome(period, outcome);
    void this.#rounds.survive('report of a step', async () => this.#deps.onOutcome?.(outcome, period));
  }
}
