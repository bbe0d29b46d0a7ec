import { expect } from 'chai';
import fc from 'fast-check';
import {
  backOff,
  commit,
  giveBack,
  isPutOff,
  keep,
  order,
  restore,
  settle,
  WAYS,
  type Changes,
  type Entry,
  type Ledger,
  type Phase,
} from '../../../src/act/ledger.ts';
import { planDecision, planResult, reconcile, type View } from '../../../src/act/plan.ts';
import { indexed, type ProvidedVm } from '../../../src/act/provider.ts';
import type { Step } from '../../../src/act/step.ts';

const SETTINGS = { min: 1, max: 4, bootDeadline: 60_000, drainDeadline: 10_000, dryRun: false };
const address = { host: '127.0.0.1', port: 9000 };

describe('ledger', () => {
  it('waits 1, 2, 4 … seconds between failures, at most five minutes', () => {
    expect([0, 1, 2, 3, 20].map(backOff)).to.deep.equal([0, 1_000, 2_000, 4_000, 300_000]);
  });

  it('takes no notice of a result that comes when the VM has gone on meanwhile', () => {
    const wanted = order('m', 'The fleet has a minimum of 1.', 0);
    const moment = { now: 1_000, bootDeadline: 60_000, listed: true };
    const admitted: Step = { kind: 'admit', mark: 'm', id: 'vm-1', address };
    expect(settle(wanted, admitted, { ok: true }, moment)).to.equal(wanted);
    const allocated: Step = { kind: 'allocate', mark: 'm' };
    const booting = settle(wanted, allocated, { ok: true, id: 'vm-1' }, moment);
    expect(booting).to.include({ phase: 'booting', id: 'vm-1', deadline: 61_000 });
    expect(settle(booting, allocated, { ok: true, id: 'vm-2' }, moment)).to.equal(booting);
  });

  it('never leaves its table, whatever provider, policy, steps and restarts bring', () => {
    fc.assert(
      fc.property(fc.array(event, { minLength: 1, maxLength: 60 }), (events) => {
        const life = new Life();
        for (const happening of events) life.meet(happening);
      }),
      { numRuns: 300 },
    );
  });

  it('has a way out of every phase, and every way of its table is gone', () => {
    const gone = new Set<string>();
    const runs = fc.sample(fc.array(event, { minLength: 30, maxLength: 120 }), { numRuns: 300, seed: 1 });
    for (const events of runs) {
      const life = new Life();
      for (const happening of events) life.meet(happening);
      life.gone.forEach((way) => gone.add(way));
    }
    const table = Object.entries(WAYS).flatMap(([from, ways]) => ways.map((to) => `${from} → ${to}`));
    expect([...gone].sort()).to.deep.equal([...table, 'releasing → none', 'wanted → none'].sort());
  });
});

const state = fc.constantFrom<ProvidedVm['state']>('pending', 'running', 'failed', 'releasing');
const nth = fc.nat(5);
const event = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('work' as const) }) },
  fc.record({ kind: fc.constant('pass' as const), seconds: fc.integer({ min: 1, max: 90 }) }),
  fc.record({ kind: fc.constant('allocate' as const), count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('release' as const), nth }),
  fc.record({ kind: fc.constant('result' as const), nth, ok: fc.boolean(), said: fc.boolean() }),
  fc.record({ kind: fc.constant('vm' as const), nth, state }),
  fc.record({ kind: fc.constant('vanish' as const), nth }),
  fc.record({ kind: fc.constant('stranger' as const), marked: fc.boolean(), state }),
  fc.record({ kind: fc.constant('dark' as const), nth }),
  fc.record({ kind: fc.constant('keep' as const), nth }),
  fc.record({ kind: fc.constant('give back' as const), nth }),
  fc.record({ kind: fc.constant('restart' as const) }),
);
type Happening = typeof event extends fc.Arbitrary<infer E> ? E : never;

/** A ledger that things happen to; results of steps come in any order, late ones and those of a former life, too. */
class Life {
  readonly gone = new Set<string>();
  #ledger: Ledger = new Map();
  #vms: readonly ProvidedVm[] = [];
  #steps: readonly Step[] = [];
  #dark = new Set<string>();
  #now = 0;
  #marks = 0;

  meet(happening: Happening): void {
    switch (happening.kind) {
      case 'pass':
        this.#now += happening.seconds * 1_000;
        return this.#pass();
      case 'work':
        return this.#work();
      case 'allocate':
        return this.#decide('allocate', happening.count, []);
      case 'release':
        return this.#decide('release', 1, [this.#vm(happening.nth)?.id ?? '']);
      case 'result':
        return this.#result(happening);
      case 'vm':
        this.#vms = this.#vms.map((vm) => (vm === this.#vm(happening.nth) ? { ...vm, state: happening.state } : vm));
        return;
      case 'vanish':
        this.#vms = this.#vms.filter((vm) => vm !== this.#vm(happening.nth));
        return;
      case 'stranger':
        return this.#appear(happening.marked ? `stray-${++this.#marks}` : undefined, happening.state);
      case 'dark':
        this.#dark.add(this.#vm(happening.nth)?.id ?? '');
        return;
      case 'keep':
        return this.#person(happening.nth, ({ phase, kept }) =>
          phase === 'booting' || phase === 'ready' || (phase === 'draining' && !kept) ? keep : undefined,
        );
      case 'give back':
        return this.#person(happening.nth, ({ kept }) => (kept ? giveBack : undefined));
      case 'restart':
        return this.#restart();
    }
  }

  #person(n: number, may: (entry: Entry) => typeof keep | undefined): void {
    const entry = [...this.#ledger.values()].find(({ id }) => id !== undefined && id === this.#vm(n)?.id);
    const does = entry && may(entry);
    if (entry && does) this.#take({ entries: [does(entry, 'Ada asked for it.', this.#now)], gone: [] });
  }

  #vm(n: number): ProvidedVm | undefined {
    return this.#vms[n];
  }

  #view(): View {
    const busy = new Set(this.#steps.map(({ mark }) => mark));
    const newMark = () => `mark-${++this.#marks}`;
    const provided = indexed(this.#vms);
    return { now: this.#now, ledger: this.#ledger, provided, settings: SETTINGS, busy, dark: this.#dark, newMark };
  }

  #pass(): void {
    const plan = reconcile(this.#view());
    this.#take(plan);
    this.#steps = [...this.#steps, ...plan.steps];
  }

  /** Every VM comes up, and every step succeeds. */
  #work(): void {
    this.#now += 1_000;
    this.#pass();
    while (this.#steps.length > 0) this.#result({ nth: 0, ok: true, said: false });
    this.#vms = this.#vms.map((vm) => (vm.state === 'pending' ? { ...vm, state: 'running' } : vm));
  }

  #decide(action: 'allocate' | 'release', count: number, vms: readonly string[]): void {
    this.#take(planDecision({ action, count, vms, rule: 'r', reason: 'A rule.', comparisons: [] }, 1, this.#view()));
  }

  #result({ nth: n, ok, said }: { nth: number; ok: boolean; said: boolean }): void {
    const step = this.#steps[n];
    if (step === undefined) return;
    this.#steps = this.#steps.filter((other) => other !== step);
    if (ok && step.kind === 'allocate') this.#appear(step.mark, 'pending');
    const id = ok && step.kind === 'allocate' ? { id: `vm-of-${step.mark}` } : {};
    this.#take(planResult(step, { ok, ...id, ...(said && { message: 'So it is.' }) }, this.#view()));
  }

  #appear(mark: string | undefined, is: ProvidedVm['state']): void {
    const id = mark === undefined ? `foreign-${++this.#marks}` : `vm-of-${mark}`;
    const vm: ProvidedVm = { id, state: is, address, createdAt: this.#now, ...(mark !== undefined && { mark }) };
    this.#vms = [...this.#vms.filter((other) => other.id !== id), vm];
  }

  /** Steps of the former life are forgotten; what they did at the provider stays. */
  #restart(): void {
    const entries = restore([...this.#ledger.values()], this.#vms, { now: this.#now, bootDeadline: 60_000 });
    const kept = new Set(entries.map(({ mark }) => mark));
    this.#steps = [];
    this.#take({ entries, gone: [...this.#ledger.keys()].filter((mark) => !kept.has(mark)) });
  }

  #take(changes: Changes): void {
    const after = commit(this.#ledger, changes);
    for (const mark of new Set([...this.#ledger.keys(), ...after.keys()])) this.#check(mark, after.get(mark));
    this.#ledger = after;
  }

  #check(mark: string, after: Entry | undefined): void {
    const before = this.#ledger.get(mark);
    if (before === undefined) {
      const births: readonly (Phase | undefined)[] = after?.found ? ['booting', 'releasing'] : ['wanted'];
      expect(births, `${mark} is new`).to.include(after?.phase);
    } else if (after === undefined) {
      expect(before.phase === 'releasing' || isPutOff(before), `${mark} goes while ${before.phase}`).to.equal(true);
      this.gone.add(`${before.phase} → none`);
    } else if (after.phase !== before.phase) {
      expect(WAYS[before.phase], `${mark} leaves ${before.phase}`).to.include(after.phase);
      this.gone.add(`${before.phase} → ${after.phase}`);
    }
    if (before?.id !== undefined && after !== undefined) expect(after.id, `id of ${mark}`).to.equal(before.id);
  }
}
