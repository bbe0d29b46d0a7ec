// The fast half of the loop, about every second: compares ledger and provider, starts the steps that bring them
// together, and folds their results into the ledger. Steps run side by side; none waits for another VM's.
import { planByHand, type Deed } from '../act/by-hand.ts';
import { execute, type Ports } from '../act/execute.ts';
import { commit, givenUp, isPutOff, type Entry, type Ledger } from '../act/entry.ts';
import { moved } from '../act/ledger.ts';
import { planDecision, planResult, reconcile } from '../act/plan.ts';
import { replacements } from '../act/replacements.ts';
import type { Planned, PlanSettings, View } from '../act/view.ts';
import { indexed, type ProvidedVm, type ProviderList } from '../act/provider.ts';
import type { Result, Step } from '../act/step.ts';
import { messageOf, MmeliotError } from '../errors.ts';
import { Money } from '../fleet/money.ts';
import type { Market } from '../fleet/offers.ts';
import type { Decision, Fleet, Millis, Offer, StepOutcome } from '../model.ts';
import type { Clock } from './clock.ts';
import { within } from './deadline.ts';
import { Energy } from './energy.ts';
import { toFleet } from './fleet.ts';
import type { Bill } from './costs.ts';
import { MarketWatch } from './market-watch.ts';
import type { SavedState } from './saved-state.ts';
import { RECONCILE_EVERY_MS } from './rounds.ts';
import { obstaclesOf, problemsOf, type Failure, type Obstacles, type Trouble } from './problems.ts';

export interface ReconcilerDeps {
  readonly clock: Clock;
  readonly ports: Ports;
  readonly newMark: () => string;
  readonly settings: () => PlanSettings;
  /** Saves the ledger; resolves when it is safe. */
  readonly save: (saved: Kept) => Promise<void>;
  /** When VMs (by id) will be taken, as those that were heard say themselves. */
  readonly notices?: () => ReadonlyMap<string, Millis | undefined>;
  /** A step ended, or (without `period`) something happened that no decision asked for. */
  readonly onOutcome: (outcome: StepOutcome, period: number | undefined) => void;
}

export type Kept = Pick<SavedState, 'entries' | 'rests'>;

const LIST_DEADLINE_MS = 10_000;
const STEP_DEADLINE_MS = 30_000;
/** Calls under way at the same time; draining VMs, which only wait, don't count. */
const PROVIDER_CALLS = 32;
/** Given-up VMs that the operator is told of. */
const FAILURES = 5;

export class Reconciler {
  readonly #deps: ReconcilerDeps;
  #ledger: Ledger = new Map();
  readonly #busy = new Set<string>();
  readonly #running = new Set<Promise<void>>();
  readonly energy = new Energy();
  readonly #money = new Money();
  readonly #market: MarketWatch;
  /** Ids of VMs of whose load nothing is heard; the period sets it. */
  dark: ReadonlySet<string> = new Set();
  #provided: ProviderList | undefined;
  #foreign: readonly string[] = [];
  #failures: readonly Failure[] = [];
  #listProblem: string | undefined;
  #saveProblem: string | undefined;
  #fault: string | undefined;
  #dirty = false;
  #calls = 0;
  #due = false;
  #advancing: Promise<void> | undefined;
  #stopped = false;
  readonly #ending = new AbortController();

  constructor(deps: ReconcilerDeps) {
    this.#deps = deps;
    this.#market = new MarketWatch(deps.ports.provider, deps.clock, this.#ending.signal);
  }

  get fleet(): Fleet {
    return toFleet(this.#ledger, (id) => this.#provided?.byId.get(id)?.node);
  }

  get market(): Market {
    return this.#market.market;
  }

  get entries(): readonly Entry[] {
    return [...this.#ledger.values()];
  }

  /** What must survive a kill. */
  get kept(): Kept {
    return { entries: this.entries, rests: this.#market.rests };
  }

  /** The provider's newest list; undefined until it has answered once. */
  get provided(): readonly ProvidedVm[] | undefined {
    return this.#provided?.vms;
  }

  /** What the operator should know, one sentence each. */
  get problems(): readonly string[] {
    const fault = this.#fault === undefined ? [] : [this.#fault];
    return [...fault, ...problemsOf(this.#trouble())];
  }

  get obstacles(): Obstacles {
    return obstaclesOf(this.#trouble());
  }

  #trouble(): Trouble {
    return {
      now: this.#deps.clock.now(),
      entries: this.entries,
      provided: this.provided ?? [],
      foreign: this.#foreign,
      failures: this.#failures,
      listProblem: this.#listProblem,
      offersProblem: this.#market.problem,
      saveProblem: this.#saveProblem,
    };
  }

  /** Takes over a ledger, before the first pass. */
  restore(entries: readonly Entry[], rests: Kept['rests'] = []): void {
    this.#market.restore(rests);
    this.#ledger = commit(this.#ledger, { entries, gone: [] });
    this.#dirty = true;
  }

  clockSet(by: Millis): void {
    this.#commit({ entries: this.entries.map((entry) => moved(entry, by)), gone: [], resting: [] });
    this.energy.clockSet(by);
    this.#money.clockSet(by);
    this.#market.clockSet(by);
  }

  /** Until the next pass. */
  get pause(): Millis {
    const { lookEvery = RECONCILE_EVERY_MS } = this.#deps.ports.provider;
    return this.entries.some(({ phase }) => phase === 'booting') ? lookEvery : RECONCILE_EVERY_MS;
  }

  /** Asks the provider for its list; undefined (and a problem for the operator) when it doesn't answer. */
  async list(): Promise<readonly ProvidedVm[] | undefined> {
    const { clock, ports } = this.#deps;
    await this.#market.look();
    try {
      this.#provided = indexed(await within(clock, LIST_DEADLINE_MS, ports.provider.list(), this.#ending.signal));
      this.#listProblem = undefined;
      return this.#provided.vms;
    } catch (error) {
      this.#listProblem = messageOf(error);
      return undefined;
    }
  }

  /** One pass: list, plan, save, start steps. Without an answer the last list stands: notices and boots don't wait for it. */
  async pass(): Promise<void> {
    await this.list();
    await this.advance();
  }

  /** Puts a decision into the ledger; `advance` acts on it. Before the provider's first answer there is no fleet to change. */
  take(decision: Decision, period: number): void {
    if (this.#provided === undefined) return;
    const plan = planDecision(decision, period, this.#view());
    this.#commit(plan);
    const about = { durationMs: 0, step: 'order' };
    if (this.#deps.settings().dryRun && decision.action !== 'hold')
      this.#deps.onOutcome({ ...about, ok: true, message: 'Nothing was changed: dryRun is on.' }, period);
    else if (decision.action === 'allocate' && plan.entries.length < decision.count)
      this.#deps.onOutcome(
        { ...about, ok: false, message: this.#whyFewer(decision.count, plan.entries.length) },
        period,
      );
  }

  #whyFewer(wanted: number, ordered: number): string {
    const problem = this.entries.find(isPutOff)?.problem ?? 'the VMs it had did not come up.';
    const order = ordered === 0 ? 'Nothing new is ordered' : `Only ${ordered} of ${wanted} VMs are ordered anew`;
    return `${order}, since an earlier order is still being tried: ${problem}`;
  }

  /** What a person wants, beside all decisions. Resolves when it is in the ledger and saved, or throws why it can't be. */
  async byHand(deed: Deed, who: string): Promise<void> {
    if (this.#provided === undefined) throw refused('The provider has not listed its VMs yet: try again in a moment.');
    const plan = planByHand(deed, who, this.#view());
    if (typeof plan === 'string') throw refused(plan);
    this.#commit(plan);
    for (const entry of plan.entries) this.#tell({ ...entry, period: undefined }, 'by hand', true, entry.why);
    await this.advance();
  }

  /** Plans with the newest list, saves, starts what is to be done. Results that come in meanwhile share one more round. */
  advance(): Promise<void> {
    this.#due = true;
    this.#advancing ??= this.#advanceWhileDue().finally(() => (this.#advancing = undefined));
    return this.#advancing;
  }

  async #advanceWhileDue(): Promise<void> {
    while (this.#due) {
      this.#due = false;
      await this.#advanceOnce();
    }
  }

  async #advanceOnce(): Promise<void> {
    if (this.#provided === undefined || this.#stopped) return;
    const replaced = replacements(this.#view());
    this.#commit(replaced);
    const plan = reconcile(this.#view());
    this.#foreign = plan.foreign;
    this.#commit(plan);
    // What is new in the ledger may call for steps of its own.
    if (replaced.entries.length + plan.entries.length > 0) this.#due = true;
    this.#countCosts();
    const steps = this.#affordable(plan.steps);
    for (const step of steps) this.#busy.add(step.mark);
    if (await this.#saved()) for (const step of steps) this.#start(step);
    else for (const step of steps) this.#busy.delete(step.mark);
  }

  /** Resolves when no step is under way any more. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** A provider that doesn't answer must not keep the end waiting. */
  endWaits(): void {
    this.#ending.abort();
  }

  /** Starts nothing any more. Steps under way end by themselves; the next start finds what they did. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#saved();
  }

  #countCosts(): void {
    const now = this.#deps.clock.now();
    const allocated = [...this.#ledger.values()].filter(({ id }) => id !== undefined);
    const { offers } = this.#market.market;
    this.energy.allocated(allocated.length, now);
    this.#money.paid(
      allocated.map((entry) => this.#offerOf(entry)).filter((offer) => offer !== undefined),
      offers,
      now,
    );
  }

  get bill(): Bill {
    const { offers } = this.#market.market;
    const there = [...this.#ledger.values()].filter(({ id }) => id !== undefined);
    const prices = there.map((entry) => [entry.id, this.#offerOf(entry)?.price ?? 0] as const);
    return {
      rate: this.#money.rate,
      ...this.#money.upTo(this.#deps.clock.now()),
      prices: Object.fromEntries(prices) as Bill['prices'],
      isPriced: offers.some(({ price }) => price !== 1),
    };
  }

  /** What a VM is, at its price of now: nobody pays more than he said, also while he is about to be taken for it. */
  #offerOf({ id, offer, maxPrice = Infinity }: Pick<Entry, 'id' | 'offer' | 'maxPrice'>): Offer | undefined {
    const now = this.#provided?.byId.get(id ?? '')?.offer ?? offer ?? this.#market.market.offers[0];
    return now && { ...now, price: Math.min(now.price, maxPrice) };
  }

  #view(): View {
    const { clock, settings, newMark } = this.#deps;
    return {
      now: clock.now(),
      ledger: this.#ledger,
      provided: this.#provided ?? indexed([]),
      settings: settings(),
      busy: this.#busy,
      dark: this.dark,
      market: this.#market.market,
      notices: this.#deps.notices?.(),
      newMark,
    };
  }

  #commit(changes: Planned): void {
    this.#market.rest(changes.resting, this.#deps.settings().poolRest);
    if (changes.entries.length + changes.gone.length === 0) return;
    for (const entry of givenUp(this.#ledger, changes)) this.#mourn(entry);
    this.#ledger = commit(this.#ledger, changes);
    this.#dirty = true;
  }

  #mourn(entry: Entry): void {
    const failure = { at: this.#deps.clock.now(), vm: entry.id ?? entry.mark, why: entry.why };
    this.#failures = [failure, ...this.#failures].slice(0, FAILURES);
    this.#tell(entry, 'failed', false, entry.why);
  }

  #affordable(steps: readonly Step[]): readonly Step[] {
    let free = PROVIDER_CALLS - this.#calls;
    return steps.filter((step) => step.kind === 'drain' || free-- > 0);
  }

  async #saved(): Promise<boolean> {
    if (!this.#dirty) return true;
    this.#dirty = false;
    try {
      await this.#deps.save(this.kept);
      this.#saveProblem = undefined;
      return true;
    } catch (error) {
      this.#dirty = true;
      this.#saveProblem = messageOf(error);
      return false;
    }
  }

  #start(step: Step): void {
    const calls = step.kind === 'drain' ? 0 : 1;
    this.#calls += calls;
    const running = this.#run(step, calls)
      .catch((error: Error) => (this.#fault = `A step (${step.kind}) failed: ${error.message}`))
      .then(() => void this.#running.delete(running));
    this.#running.add(running);
  }

  async #run(step: Step, calls: number): Promise<void> {
    const { clock, ports } = this.#deps;
    const started = clock.now();
    const deadline = STEP_DEADLINE_MS + (step.kind === 'drain' ? step.deadlineMs : 0);
    const result = await within(clock, deadline, execute(step, ports)).catch((error: Error): Result => ({
      ok: false,
      message: error.message,
    }));
    this.#busy.delete(step.mark);
    this.#calls -= calls;
    const entry = this.#ledger.get(step.mark);
    if (entry === undefined) return;
    this.#report(step, entry, result, clock.now() - started);
    this.#commit(planResult(step, result, this.#view()));
    await this.advance();
  }

  /** Checks that fail while a VM boots are no news, nor is the same failure again. */
  #report(step: Step, entry: Entry, result: Result, durationMs: Millis): void {
    const isNews = step.kind === 'probe' ? !result.ok : result.ok || result.message !== undefined;
    const message =
      result.ok && this.#isGone(step, entry) ? 'It was gone already.' : (result.message ?? ownReason(step, entry));
    if (isNews && (result.ok || result.message !== entry.problem))
      this.#tell(entry, step.kind, result.ok, message, durationMs, result.id);
  }

  /** To release what the provider doesn't list is no error, and no release. */
  #isGone({ kind }: Step, { id = '' }: Entry): boolean {
    return kind === 'release' && this.#provided?.byId.has(id) === false;
  }

  #tell(entry: Entry, step: string, ok: boolean, message?: string, durationMs = 0, id = entry.id): void {
    const about = { step, vm: id ?? entry.mark, ok, durationMs };
    this.#deps.onOutcome(message === undefined ? about : { ...about, message }, entry.period);
  }
}

/** What no decision asked for says itself why it is: in the journal, and in the VM's life. */
const ownReason = ({ kind }: Step, { period, why }: Entry): string | undefined =>
  period === undefined && (kind === 'allocate' || kind === 'drain') ? why : undefined;

const refused = (why: string): MmeliotError => new MmeliotError('BAD_REQUEST', why);
