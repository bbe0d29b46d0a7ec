import { expect } from 'chai';
import fc from 'fast-check';
import { candidates } from '../../../../src/decide/adaptive/candidates.ts';
import { shadowOf, step, type Shadow } from '../../../../src/decide/adaptive/shadow.ts';
import { play, record, type Learned, type Tournament } from '../../../../src/decide/adaptive/tournament.ts';
import { viewOf, type View } from '../../../../src/decide/adaptive/view.ts';
import { decide, withLearned } from '../../../../src/decide/index.ts';
import { DEFAULT_PARAMETERS, type ElasticityParameters } from '../../../../src/decide/parameters.ts';
import type { Decision, PeriodSummary } from '../../../../src/model.ts';
import { remember } from '../../../../src/loop/evaluate.ts';
import { createChance } from '../../../../src/simulate/chance.ts';
import { simulateBare } from '../../../../src/simulate/bare-loop.ts';
import { past, situation } from '../../../helpers/situation.ts';

const EVERY = 10_000;
const HOUR = 3_600_000;
const GOAL = { objectiveMs: 500, objectivePercent: 95, goal: 'worth' } as const;

/** VMs that answer 20 a second, half busy. */
const at = (rate: number) => {
  const vms = Math.max(1, Math.round(rate / 10));
  return { arrivalRate: rate, throughput: rate, ready: vms, vms, cpu: (5 * rate) / vms, responseTime: 60 };
};

const period = (now: number, rate: number): PeriodSummary => ({ at: now, concurrency: 1, ...at(rate) });

const parameters = (tournament: 'on' | 'off', more: Partial<ElasticityParameters> = {}): ElasticityParameters => ({
  ...DEFAULT_PARAMETERS,
  policy: 'adaptive',
  max: 20,
  ...more,
  policyParameters: { tournament },
});

/** What is remembered after a load of so many periods. */
function lived(rates: readonly number[], p: ElasticityParameters): readonly PeriodSummary[] {
  let history: readonly PeriodSummary[] = [];
  rates.forEach((rate, i) => (history = remember(history, period((i + 1) * EVERY, rate), p)));
  return history;
}

const tournamentIn = ([newest]: readonly PeriodSummary[]): Tournament | undefined =>
  (newest?.learned as Learned | undefined)?.tournament;

const rates = fc.array(fc.double({ min: 0, max: 500, noNaN: true }), { minLength: 2, maxLength: 60 });

describe("adaptive's shadows", () => {
  const history = past(30, () => at(30), { now: 0 });
  const view = (rate: number): View =>
    viewOf(period(EVERY, rate), history, GOAL, { bootMs: 60_000, limits: { min: 1, max: 9 } }) as View;
  const wants = (size: number) => ({ name: 'test', size: () => size });
  const served = (shadow: Shadow, rate: number, size: number): Shadow =>
    step(shadow, wants(size), view(rate), { at: EVERY, span: EVERY, kept: 1 });

  it('serve what came: all of it misses while a backlog is there, and it goes at the speed that is to spare', () => {
    const after = served({ ...shadowOf(wants(2), 2), waiting: 50 }, 30, 2);
    expect(after.record.missed).to.be.within(150, 200);
    expect(after.waiting).to.equal(0);
    expect(after.record.vmHours).to.be.closeTo(20 / 3600, 1e-9);
    const short = served(shadowOf(wants(1), 1), 50, 1);
    expect(short.record.missed).to.equal(500);
    expect(short.waiting).to.be.closeTo(300, 15);
  });

  it('boot as long as real VMs, pay for that, and let no booting VM go', () => {
    const grown = served(shadowOf(wants(4), 2), 30, 4);
    expect(grown).to.deep.include({ vms: 4, booting: [{ at: EVERY + 60_000, count: 2 }] });
    expect(grown.record.actions).to.equal(1);
    const back = served(grown, 30, 1);
    expect(back).to.deep.include({ vms: 2, booting: grown.booting });
  });

  it('keep what is too much for as long as their candidate does', () => {
    const patient = { ...wants(1), patienceMs: view(10).horizon.ms + 2 * EVERY };
    const next = (shadow: Shadow): Shadow => step(shadow, patient, view(10), { at: EVERY, span: EVERY, kept: 1 });
    const once = next(shadowOf(patient, 2));
    expect(once).to.deep.include({ vms: 2, idleMs: EVERY });
    expect(next(once)).to.deep.include({ vms: 1, idleMs: 0 });
  });

  it('stay within the bounds, and their records are never negative', () => {
    fc.assert(
      fc.property(rates, fc.integer({ min: 1, max: 5 }), fc.integer({ min: 5, max: 40 }), (load, min, max) => {
        const shadows = tournamentIn(lived(load, parameters('on', { min, max })))?.shadows ?? [];
        for (const {
          vms,
          booting,
          waiting,
          record: { missed, vmHours, actions },
        } of shadows) {
          expect(vms).to.be.within(min, max);
          expect(booting.reduce((sum, { count }) => sum + count, 0)).to.be.at.most(vms);
          expect(Math.min(waiting, missed, vmHours, actions)).to.be.at.least(0);
          expect(missed).to.be.at.most(load.reduce((sum, rate) => sum + 10 * rate, 0) + 1e-6);
        }
      }),
      { numRuns: 20 },
    );
  });
});

describe("adaptive's tournament", function () {
  this.timeout(60_000);
  let history: readonly PeriodSummary[];
  before(() => (history = lived(day, parameters('on'))));

  const chance = createChance(4);
  const day = Array.from({ length: 900 }, (_, i) => Math.max(1, 100 + 60 * Math.sin(i / 60) + 30 * chance.normal()));

  it('has everyone take part, in bounded space', () => {
    const played = tournamentIn(history);
    expect(played?.shadows.map(({ name }) => name)).to.deep.equal(candidates.map(({ name }) => name));
    expect(JSON.stringify(played).length).to.be.below(8_000);
    expect(history.slice(1).every(({ learned }) => learned === undefined)).to.equal(true);
  });

  it('goes on from a journal as it would have without a restart, and is a pure function', () => {
    const p = parameters('on');
    const some = lived(day.slice(0, 500), p);
    const restored = JSON.parse(JSON.stringify(some)) as readonly PeriodSummary[];
    const next = period(501 * EVERY, 130);
    expect(JSON.stringify(withLearned(restored, next, p))).to.equal(JSON.stringify(withLearned(some, next, p)));
    const decided = (of: readonly PeriodSummary[]): Decision => {
      const seen = situation({ ready: 8, max: 20, now: next.at, arrivalRate: 130, history: of });
      return decide(seen, p);
    };
    expect(decided(restored)).to.deep.equal(decided(some));
  });

  it('has whoever governs decide, and says by which record', () => {
    const played = tournamentIn(history) as Tournament;
    const governedBy = (governor: string): Decision => {
      const [newest, ...older] = history as [PeriodSummary, ...PeriodSummary[]];
      const learned = { ...(newest.learned as Learned), tournament: { ...played, governor } };
      const seen = situation({ ready: 3, max: 40, now: newest.at + EVERY, arrivalRate: 140 });
      const present = { ...seen.present, ...period(newest.at + EVERY, 140), ready: 3, vms: 3 };
      return decide({ ...seen, present, history: [{ ...newest, learned }, ...older] }, parameters('on', { max: 40 }));
    };
    const react = governedBy('react'); // 140 ÷ 14 = 10 are needed: 3 + ⌊1.2 × 7⌋
    expect(react).to.include({ action: 'allocate', count: 8 });
    expect(react.reason).to.match(/the last hours' record: .* % at [\d.]+ VM-hours, \d+ changes.*; react governs;/);
    expect(governedBy('somebody of another version').count).to.equal(governedBy('adaptive').count);
  });

  it('lets another one govern only after three hours, with a lead, and for half an hour at least', () => {
    const [newest, ...older] = history as [PeriodSummary, ...PeriodSummary[]];
    const view = viewOf(newest, older, GOAL, { bootMs: 60_000, limits: { min: 1, max: 20 } }) as View;
    const played = tournamentIn(history) as Tournament;
    const governorAfter = (missed: number, since: number, began: number): string => {
      const shadows = played.shadows.map((shadow) => ({
        ...shadow,
        record: { missed: shadow.name === 'reg' ? missed : 1e6, vmHours: 10, actions: 5 },
      }));
      return play({ ...played, shadows, governor: 'adaptive', since, began }, view, newest, older).governor;
    };
    const long = newest.at - 5 * HOUR;
    expect(governorAfter(1e5, long, long)).to.equal('reg');
    expect(governorAfter(0.85e6, long, long), 'no lead').to.equal('adaptive');
    expect(governorAfter(1e5, newest.at - HOUR / 4, long), 'too soon').to.equal('adaptive');
    expect(governorAfter(1e5, long, newest.at - 2 * HOUR), 'too young').to.equal('adaptive');
  });

  it('tells the best, and whoever governs', () => {
    const { prices } = tournamentIn(lived(day.slice(0, 50), parameters('on'))) as Tournament;
    const of = (name: string, missed: number, vmHours: number, actions: number): Shadow => ({
      ...shadowOf({ name, size: () => 1 }, 1),
      record: { missed, vmHours, actions },
    });
    const shadows = [of('adaptive', 500, 30, 12), of('react', 9e9, 5, 1), of('reg', 800, 31, 40)];
    const told = record({ governor: 'reg', since: 0, began: 0, requests: 100_000, shadows, prices });
    expect(told).to.equal(
      "the last hours' record: adaptive 0.5 % at 30.0 VM-hours, 12 changes; reg 0.8 % at 31.0 VM-hours, 40 changes; reg governs",
    );
  });

  it('changes nothing where it is off, and leaves nothing behind when it is turned off', () => {
    const [off, on] = [lived(day.slice(0, 200), parameters('off')), lived(day.slice(0, 200), parameters('on'))];
    const turnedOff = withLearned(on, period(201 * EVERY, 90), parameters('off'));
    expect(JSON.stringify(turnedOff)).to.equal(
      JSON.stringify(withLearned(off, period(201 * EVERY, 90), parameters('off'))),
    );
    expect(JSON.stringify(turnedOff)).to.not.contain('tournament');
  });

  it('keeps the bounds whatever comes, in the whole loop', () => {
    fc.assert(
      fc.property(rates, fc.integer({ min: 1, max: 3 }), (load, min) => {
        const { intervals } = simulateBare({
          at: (t) => load[Math.floor(t / 60_000) % load.length] ?? 0,
          duration: 4 * HOUR,
          bootMs: 30_000,
          objective: { ms: 500, share: 0.95 },
          vm: { serviceMs: 50, parallel: 1, variation: 1 },
          seed: 1,
          parameters: parameters('on', { min, max: 12 }),
        });
        for (const { allocated } of intervals) expect(allocated).to.be.within(min, 12);
      }),
      { numRuns: 3 },
    );
  });
});
