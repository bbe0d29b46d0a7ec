import { expect } from 'chai';
import fc from 'fast-check';
import { commit, isActive, isPutOff, type Entry, type Ledger, type Phase } from '../../../src/act/entry.ts';
import { giveBack, keep, notice, order, restore, settle, WAYS } from '../../../src/act/ledger.ts';
import { replacements } from '../../../src/act/replacements.ts';
import { DEFAULT_PARAMETERS } from '../../../src/decide/parameters.ts';
import { counts } from '../../../src/fleet/mix.ts';
import type { Market } from '../../../src/fleet/offers.ts';
import type { Offer } from '../../../src/model.ts';
import { poolsOf } from '../../../src/fleet/offers.ts';
import { TWO_POOLS } from '../../helpers/toy-market.ts';
import { planDecision, planResult, reconcile } from '../../../src/act/plan.ts';
import type { Planned, View } from '../../../src/act/view.ts';
import { indexed, onlyOffer, type ProvidedVm } from '../../../src/act/provider.ts';
import type { Step } from '../../../src/act/step.ts';

const SETTINGS = {
  ...DEFAULT_PARAMETERS,
  ...{ min: 1, max: 4, bootDeadline: 60_000, drainDeadline: 10_000, base: 1, spotShare: 70 },
};
const ONE_OFFER: Market = { offers: [onlyOffer('cloud')], resting: [] };
const address = { host: '127.0.0.1', port: 9000 };

describe('ledger', () => {
  it('waits 1, 2, 4 … seconds between failures, at most five minutes', () => {
    const waits = [0, 1, 2, 3, 20].map((failures) => order('m', 'One is lost.', 0, failures).retryAt);
    expect(waits).to.deep.equal([0, 1_000, 2_000, 4_000, 300_000]);
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

  it('believes a list without a VM that was made a moment ago only when that is not said by who is behind', () => {
    const at = (now: number) => ({ now, bootDeadline: 60_000, listed: true, dark: new Set<string>() });
    const allocated: Step = { kind: 'allocate', mark: 'm' };
    const made = settle(order('m', 'One is lost.', 0), allocated, { ok: true, id: 'vm-1' }, at(1_000));
    const seen = notice(made, { id: 'vm-1', createdAt: 0, state: 'pending' }, at(2_000)) ?? made;
    expect(notice(seen, undefined, at(3_000))).to.equal(seen);
    expect(notice(seen, undefined, at(16_000))?.phase).to.equal('booting');
    expect(notice(seen, undefined, at(16_001))).to.include({
      phase: 'releasing',
      why: 'It vanished while it started.',
    });
  });

  it('says of a VM that serves no more what its provider says of it, and nothing that may be false', () => {
    const moment = { now: 1_000, bootDeadline: 60_000, listed: true, dark: new Set<string>() };
    const allocated: Step = { kind: 'allocate', mark: 'm' };
    const booting = settle(order('m', 'One is lost.', 0), allocated, { ok: true, id: 'vm-1' }, moment);
    const ready = settle(booting, { kind: 'admit', mark: 'm', id: 'vm-1', address }, { ok: true }, moment);
    const whyFailed = (note?: string) =>
      notice(ready, { id: 'vm-1', createdAt: 0, state: 'failed', ...(note !== undefined && { note }) }, moment)?.why;
    expect(whyFailed('Somebody switched it off (POWEROFF).')).to.equal(
      'It failed (Somebody switched it off (POWEROFF)).',
    );
    expect(whyFailed('its process was killed')).to.equal('It failed (its process was killed).');
    expect(whyFailed()).to.equal('It failed.');
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

  it('gives every VM that will be taken one stand-in, and each place one successor, whatever happens meanwhile', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(event, marketEvent), { minLength: 1, maxLength: 80 }), (events) => {
        const life = new Life(TWO_POOLS.offers);
        for (const happening of events) life.meet(happening);
      }),
      { numRuns: 500 },
    );
  });

  it('comes to the mix that is wanted when all is quiet again', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(event, marketEvent), { minLength: 1, maxLength: 40 }), (events) => {
        const life = new Life(TWO_POOLS.offers);
        for (const happening of events) life.meet(happening);
        life.settle();
      }),
      { numRuns: 50, examples: [[STAND_IN_TAKEN_ITSELF]] },
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
const marketEvent = fc.oneof(
  fc.record({ kind: fc.constant('notice' as const), nth, seconds: fc.option(fc.integer({ min: 0, max: 200 })) }),
  fc.record({ kind: fc.constant('full' as const), nth }),
  fc.record({ kind: fc.constant('pool' as const) }),
  fc.record({ kind: fc.constant('price' as const), dear: fc.nat(2), price: fc.constantFrom(0.01, 0.1, 0.2, 0.7, 2) }),
);
type Happening = typeof event | typeof marketEvent extends fc.Arbitrary<infer E> ? E : never;

/** Its successor served before the one that stood in for it: that had made one VM more than the maximum. */
const STAND_IN_TAKEN_ITSELF: Happening[] = [
  { kind: 'work' },
  { kind: 'allocate', count: 3 },
  { kind: 'work' },
  { kind: 'notice', nth: 0, seconds: 0 },
  { kind: 'work' },
  { kind: 'notice', nth: 4, seconds: 35 },
  { kind: 'work' },
];

/** A ledger that things happen to; results of steps come in any order, late ones and those of a former life, too. */
class Life {
  readonly gone = new Set<string>();
  #ledger: Ledger = new Map();
  #vms: readonly ProvidedVm[] = [];
  #steps: readonly Step[] = [];
  #dark = new Set<string>();
  #now = 0;
  #marks = 0;
  /** VMs that nobody ordered may be more than the maximum. */
  #strays = 0;
  #offers: readonly Offer[];
  #resting = new Map<string, number>();

  constructor(offers: readonly Offer[] = ONE_OFFER.offers) {
    this.#offers = offers;
  }

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
      case 'notice':
        return this.#notice((vm) => vm === this.#vm(happening.nth), happening.seconds);
      case 'pool':
        return this.#notice(({ offer }) => offer?.id === 'a/interruptible', 120);
      case 'full':
        return this.#full(happening.nth);
      case 'price':
        this.#offers = this.#offers.map((offer, i) =>
          i === happening.dear && offer.market === 'interruptible' ? { ...offer, price: happening.price } : offer,
        );
        return;
    }
  }

  #person(n: number, may: (entry: Entry) => typeof keep | undefined): void {
    const entry = [...this.#ledger.values()].find(({ id }) => id !== undefined && id === this.#vm(n)?.id);
    const does = entry && may(entry);
    if (entry && does) this.#take({ entries: [does(entry, 'Ada asked for it.', this.#now)], gone: [], resting: [] });
  }

  #notice(isMeant: (vm: ProvidedVm) => boolean, seconds: number | null): void {
    const interruptAt = seconds === null ? undefined : this.#now + seconds * 1_000;
    this.#vms = this.#vms.map((vm) => {
      if (!isMeant(vm)) return vm;
      return { ...vm, ...(interruptAt === undefined ? { interruptAt: undefined } : { interruptAt }) };
    });
  }

  #full(n: number): void {
    const step = this.#steps.filter(({ kind }) => kind === 'allocate')[n];
    if (step === undefined) return;
    this.#steps = this.#steps.filter((other) => other !== step);
    this.#take(planResult(step, { ok: false, full: true, message: 'No room.' }, this.#view()));
  }

  /** Nothing happens for hours, and everything works. */
  settle(): void {
    this.#vms = this.#vms
      .filter(({ interruptAt, state: is }) => interruptAt === undefined && is !== 'failed' && is !== 'releasing')
      .map((vm) => vm);
    this.#dark.clear();
    for (let i = 0; i < 200; i++) {
      this.#now += 20_000;
      this.#work();
      const released = new Set([...this.#ledger.values()].filter(({ asked }) => asked).map(({ id }) => id));
      this.#vms = this.#vms.filter(({ id }) => !released.has(id));
    }
    const entries = [...this.#ledger.values()].filter(({ phase }) => phase !== 'kept');
    expect(entries.map(({ phase }) => phase)).to.satisfy((phases: Phase[]) => phases.every((is) => is === 'ready'));
    expect(entries.filter((entry) => !counts(entry) || entry.relieves !== undefined)).to.deep.equal([]);
    const cheap = entries.filter(({ offer }) => offer?.market === 'interruptible').length;
    const wanted = Math.floor((entries.length - 1) * 0.7 + 1e-9);
    // where every pool costs more than on demand, those that were bought before stay and no other comes
    const isToBeHad = poolsOf(this.#view().market, SETTINGS).length > 0;
    if (isToBeHad) expect(cheap, `of ${entries.length}`).to.equal(wanted);
    else expect(cheap, `of ${entries.length}`).to.be.at.most(wanted);
  }

  #vm(n: number): ProvidedVm | undefined {
    return this.#vms[n];
  }

  #view(): View {
    const busy = new Set(this.#steps.map(({ mark }) => mark));
    const newMark = () => `mark-${++this.#marks}`;
    const provided = indexed(this.#vms);
    const resting = [...this.#resting].filter(([, until]) => until > this.#now).map(([offer]) => offer);
    const market = { offers: this.#offers, resting };
    const seen = { now: this.#now, ledger: this.#ledger, provided, settings: SETTINGS, busy, dark: this.#dark };
    return { ...seen, newMark, market, notices: new Map() };
  }

  #pass(): void {
    this.#take(replacements(this.#view()));
    this.#checkPlaces();
    const plan = reconcile(this.#view());
    this.#take(plan);
    this.#steps = [...this.#steps, ...plan.steps];
  }

  #checkPlaces(): void {
    const entries = [...this.#ledger.values()];
    const isHere = ({ phase }: Entry) => phase === 'wanted' || phase === 'booting' || phase === 'ready';
    for (const { id, mark, interruptAt, phase } of entries) {
      const standIns = entries.filter((entry) => entry.inPlaceOf === id && id !== undefined && isHere(entry));
      expect(standIns.length, `stand-ins for ${id}`).to.be.at.most(1);
      if (interruptAt !== undefined && (phase === 'ready' || phase === 'booting'))
        expect(standIns.length, `stand-ins for ${id}, which is taken`).to.equal(1);
      const successors = entries.filter((entry) => entry.relieves === mark && isHere(entry));
      expect(successors.length, `successors of ${mark}`).to.be.at.most(1);
    }
    expect(entries.filter(isActive).length, 'active').to.be.at.most(SETTINGS.max + this.#strays);
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
    if (ok && step.kind === 'allocate') this.#appear(step.mark, 'pending', step.offer);
    const id = ok && step.kind === 'allocate' ? { id: `vm-of-${step.mark}` } : {};
    this.#take(planResult(step, { ok, ...id, ...(said && { message: 'So it is.' }) }, this.#view()));
  }

  #appear(mark: string | undefined, is: ProvidedVm['state'], offer?: Offer): void {
    if (mark?.startsWith('stray')) this.#strays += 1;
    const id = mark === undefined ? `foreign-${++this.#marks}` : `vm-of-${mark}`;
    const vm: ProvidedVm = {
      id,
      state: is,
      address: { host: id, port: 9000 },
      createdAt: this.#now,
      ...(mark !== undefined && { mark }),
      ...(offer && { offer }),
    };
    this.#vms = [...this.#vms.filter((other) => other.id !== id), vm];
  }

  /** Steps of the former life are forgotten; what they did at the provider stays. */
  #restart(): void {
    const entries = restore([...this.#ledger.values()], this.#vms, { now: this.#now, bootDeadline: 60_000 });
    const kept = new Set(entries.map(({ mark }) => mark));
    this.#steps = [];
    this.#take({ resting: [], entries, gone: [...this.#ledger.keys()].filter((mark) => !kept.has(mark)) });
  }

  #take(changes: Planned): void {
    for (const offer of changes.resting) this.#resting.set(offer, this.#now + SETTINGS.poolRest);
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
      const wasNeedless =
        before.phase === 'wanted' && (before.inPlaceOf !== undefined || before.relieves !== undefined);
      const mayGo = before.phase === 'releasing' || isPutOff(before) || wasNeedless;
      expect(mayGo, `${mark} goes while ${before.phase}`).to.equal(true);
      this.gone.add(`${before.phase} → none`);
    } else if (after.phase !== before.phase) {
      expect(WAYS[before.phase], `${mark} leaves ${before.phase}`).to.include(after.phase);
      this.gone.add(`${before.phase} → ${after.phase}`);
    }
    if (before?.id !== undefined && after !== undefined) expect(after.id, `id of ${mark}`).to.equal(before.id);
  }
}
