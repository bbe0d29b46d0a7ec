import { expect } from 'chai';
import fc from 'fast-check';
import { adaptive as definition } from '../../../../src/decide/adaptive/adaptive.ts';
import { PATIENCE } from '../../../../src/decide/adaptive/idle.ts';
import { burstiness, excesses } from '../../../../src/decide/adaptive/bursts.ts';
import { decide } from '../../../../src/decide/index.ts';
import { bootTimeOf, burstDelayOf, capacityOf, horizonOf } from '../../../../src/decide/adaptive/learned.ts';
import { DEFAULT_PARAMETERS } from '../../../../src/decide/parameters.ts';
import type { Situation } from '../../../../src/decide/common/policy.ts';
import { ratePerVm } from '../../../../src/queueing/queueing.ts';
import { logsOf } from '../../../../src/decide/adaptive/logs.ts';
import { outlooksOf, together, WAYS_ON } from '../../../../src/decide/adaptive/scenarios.ts';
import { mostOf, type Scenario } from '../../../../src/decide/adaptive/spread.ts';
import type { PeriodSummary } from '../../../../src/model.ts';
import { createChance } from '../../../../src/simulate/chance.ts';
import { past, situation } from '../../../helpers/situation.ts';

const PARAMETERS = { objectiveMs: 500, objectivePercent: 95, goal: 'worth', boot: 60_000 };

const adaptive = (seen: Situation, own: typeof PARAMETERS) =>
  definition.decide(seen, { ...DEFAULT_PARAMETERS, policyParameters: own });

/** A VM answers 20 a second, in 50 ms when it has nothing else to do. */
const at = (rate: number, ready = 1) => ({
  arrivalRate: rate,
  throughput: Math.min(rate, 20 * ready),
  ready,
  vms: ready,
  cpu: Math.min(100, (5 * rate) / ready),
  responseTime: 50 / (1 - Math.min(0.9, rate / 20 / ready)),
  concurrency: rate / 20,
});

function seen(
  rate: number,
  ready: number,
  more: Partial<Situation['present']> = {},
  before = (_: number) => rate,
): Situation {
  const base = situation({ ready, max: 40 });
  // a time with VMs enough long ago shows what one can do
  const history = past(200, (i) => at(before(i), i > 190 ? 10 * ready : ready), { now: base.now });
  return { ...base, history, present: { ...base.present, ...at(rate, ready), ...more } };
}

/** The same, where that was too much before as well. */
function seenLong(rate: number, ready: number): Situation {
  const base = seen(rate, ready);
  const [newest, ...older] = base.history;
  return newest === undefined ? base : { ...base, history: [{ ...newest, learned: { idleMs: PATIENCE } }, ...older] };
}

describe('adaptive', () => {
  it('keeps a fleet that is worth its price', () => {
    const decision = adaptive(seen(30, 3), PARAMETERS);
    expect(decision.action).to.equal('hold');
    expect(decision.reason).to.match(
      /^adaptive: 30 requests a second, in 70 s at most 3\d in 19 of 20 cases by moments like this one \(100 %\), the line of its levels \(0 %\), .*, and a VM/,
    );
  });

  it('adds at once what a jump of the arrivals needs, however busy the VMs say they are', () => {
    for (const cpu of [100, 50, 0, undefined]) {
      const jump = seen(200, 3, { cpu, throughput: 60, concurrency: 400, responseTime: 3000 });
      const decision = adaptive(jump, PARAMETERS);
      expect(decision.action).to.equal('allocate');
      expect(decision.count).to.be.within(7, 37);
    }
  });

  it('releases what the load does not need any more, but nothing for a small difference', () => {
    const decision = adaptive(seenLong(30, 12), PARAMETERS);
    expect(decision.action).to.equal('release');
    expect(decision.vms).to.have.length(decision.count);
    expect(12 - decision.count).to.be.within(2, 4);
    expect(adaptive(seenLong(30, 3), PARAMETERS).action).to.equal('hold');
  });

  it('keeps what is too much until it was so for long enough', () => {
    const decision = adaptive(seen(30, 12), PARAMETERS);
    expect(decision.action).to.equal('hold');
    expect(decision.reason).to.match(/; \d of 12 VMs would do, but not for long enough yet\.$/);
  });

  it('wants more VMs where requests wait for one another in bursts', () => {
    const calm = seen(12, 1);
    expect(adaptive(calm, PARAMETERS).action).to.equal('hold');
    const late = (period: Situation['present']) => ({ ...period, responseTime: (period.responseTime ?? 0) + 600 });
    const bursts = {
      ...calm,
      present: late(calm.present),
      history: calm.history.map((p) => (p.ready > 0 ? late(p) : p)),
    };
    expect(adaptive(bursts, PARAMETERS).action).to.equal('allocate');
  });

  it('has no VM more than the objective needs where cost is the goal, and grows as far as it needs', () => {
    const cheap = { ...PARAMETERS, goal: 'cost' };
    const size = (rate: number, ready: number, p: typeof PARAMETERS) => {
      const { action, count } = adaptive(seenLong(rate, ready), p);
      return ready + (action === 'allocate' ? count : action === 'release' ? -count : 0);
    };
    for (const rate of [30, 55, 90, 150, 300]) {
      const ready = Math.ceil(rate / 14);
      const fewest = size(rate, ready, cheap);
      expect(20 * fewest, `${rate} a second`).to.be.greaterThan(rate); // what is never served misses, too
      expect(fewest).to.be.at.most(size(rate, ready, PARAMETERS));
      expect(size(rate, ready, { ...cheap, objectivePercent: 99.9 })).to.be.at.least(fewest);
    }
    expect(size(300, 16, cheap)).to.be.greaterThan(15);
    expect(size(300, 30, cheap)).to.be.within(16, 20);
    expect(size(5000, 10, cheap), 'more than all can answer').to.equal(40);
  });

  it('never lets ready VMs go for pending ones', () => {
    const few = seen(30, 2, { vms: 12 });
    expect(adaptive(few, PARAMETERS).action).to.equal('hold');
  });

  it('asks for VMs before a load that has come each time comes again', () => {
    // for two hours: a minute of 100 a second in every five, now 10 s before it
    const wave = (i: number) => (i % 30 < 6 ? 100 : 20);
    const decision = adaptive(
      seen(20, 3, {}, (i) => wave(i + 1 + 30 - 7)),
      { ...PARAMETERS, boot: 20_000 },
    );
    expect(decision.action).to.equal('allocate');
  });

  it('holds while nothing was ever answered', () => {
    expect(adaptive(situation({ arrivalRate: 5 }), PARAMETERS).action).to.equal('hold');
  });

  it('wants no fewer VMs for a sterner objective or more load, within its bounds', () => {
    const wanted = (rate: number, objectivePercent: number) => {
      const decision = adaptive(seen(rate, 1), { ...PARAMETERS, objectivePercent });
      return 1 + decision.count;
    };
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 300 }), (rate, more) => {
        expect(wanted(rate, 99)).to.be.at.least(wanted(rate, 80));
        // a change within the margin isn't made
        expect(wanted(rate + more, 95)).to.be.at.least(wanted(rate, 95) - 1);
        expect(wanted(rate, 95)).to.be.within(1, 40);
      }),
      { numRuns: 50 },
    );
  });

  it('is guarded against flapping, as our own policies are', () => {
    const parameters = { ...DEFAULT_PARAMETERS, policy: 'adaptive', max: 40 } as const;
    expect(decide(seen(200, 3, { throughput: 60, concurrency: 400 }), parameters).action).to.equal('allocate');
    expect(decide(seenLong(30, 12), parameters).action).to.equal('release');
  });
});

/** Each way counts as much. */
const ALIKE = WAYS_ON.map(() => 1 / WAYS_ON.length);

const lineOf = (periods: readonly PeriodSummary[], horizon: number): readonly Scenario[] =>
  outlooksOf(periods, { floor: 1, slack: 0, burst: 0 })(horizon, 'end')[1] ?? [];

describe('what adaptive learns', () => {
  it('finds what a VM can do, in spite of wrong readings', () => {
    const periods = past(60, (i) => at(10 + (i % 10), 2));
    const capacity = capacityOf(periods, 500, 1);
    expect(capacity && ratePerVm(capacity)).to.be.closeTo(20, 0.5);
    const wrong = periods.map((period, i) => (i % 3 === 0 ? { ...period, cpu: 1e3 } : period));
    const robust = capacityOf(wrong, 500, 1);
    expect(robust && ratePerVm(robust)).to.be.closeTo(20, 0.5);
    const { serviceMs = NaN, parallel } =
      capacityOf(
        periods.map((p) => ({ ...p, cpu: 0 })),
        500,
        1,
      ) ?? {};
    expect(parallel).to.equal(1);
    expect(serviceMs).to.be.within(50, 90);
  });

  it('finds the wait of requests that come at once, in proportion to the load', () => {
    const capacity = { serviceMs: 50, parallel: 1, variation: 1 };
    const steady = past(60, (i) => at(4 + (i % 10), 1));
    expect(burstDelayOf(steady, capacity)).to.be.closeTo(0, 1);
    const bursts = (period: (typeof steady)[number]) => ({
      ...period,
      responseTime: (period.responseTime ?? 0) + 500 * (period.arrivalRate / 20),
    });
    expect(burstDelayOf(steady.map(bursts), capacity)).to.be.closeTo(500, 1);
    const wrong = steady.map((period, i) => (i % 3 === 0 ? { ...bursts(period), responseTime: 1e6 } : bursts(period)));
    expect(burstDelayOf(wrong, capacity)).to.be.within(500, 600);
    // neither idle nor saturated VMs count
    expect(
      burstDelayOf(
        [at(1, 1), at(20, 1)].map((p) => ({ ...p, at: 0, responseTime: 9e3 })),
        capacity,
      ),
    ).to.equal(0);
  });

  it('takes the longest boot it has seen, or is seeing', () => {
    const vm = { id: 'a', state: 'ready', since: 0 } as const;
    expect(bootTimeOf([vm], 100_000, 60_000)).to.equal(60_000);
    expect(
      bootTimeOf(
        [
          { ...vm, bootTime: 20_000 },
          { ...vm, bootTime: 30_000 },
        ],
        100_000,
        60_000,
      ),
    ).to.equal(30_000);
    const pending = { id: 'b', state: 'pending', since: 10_000 } as const;
    expect(bootTimeOf([{ ...vm, bootTime: 20_000 }, pending], 100_000, 60_000)).to.equal(90_000);
    expect(horizonOf(seen(1, 1), 60_000)).to.deep.equal({ periods: 7, ms: 70_000 });
  });

  it('lays the past on the present in four ways', () => {
    // doubled after each quiet period, and halved again
    const periods = [at(10), ...Array.from({ length: 100 }, (_, i) => at(i % 2 === 0 ? 20 : 10))].map((p, i) => ({
      ...p,
      at: -i,
    }));
    const medians = (now: number, which: 'end' | 'highest' = 'end'): readonly number[] =>
      outlooksOf(
        [at(now), ...periods.slice(1)].map((p, i) => ({ ...p, at: -i })),
        { floor: 0.001, slack: 0, burst: 0 },
      )(1, which).map((cases) => mostOf(cases, 0.5));
    const [alike, line = 0, changed, level] = medians(10);
    for (const found of [alike, changed, level]) expect(found).to.be.closeTo(20, 0.01);
    expect(line, 'its weights are bounded: it goes most of the way').to.be.within(16, 20.01);
    const [moved, , doubled, same] = medians(15, 'highest');
    for (const found of [moved, doubled]) expect(found).to.be.closeTo(30, 0.01);
    expect(same).to.be.closeTo(20, 0.01);
  });

  it('counts each way by its share', () => {
    const [ten, twenty] = [10, 20].map((rate) => [{ rate, weight: 1 }]);
    const cases = together([ten ?? [], twenty ?? []], [0.9, 0.1]);
    expect(cases.reduce((sum, { weight }) => sum + weight, 0)).to.be.closeTo(1, 1e-9);
    expect([mostOf(cases, 0.5), mostOf(cases, 0.88), mostOf(cases, 0.95)]).to.deep.equal([10, 10, 20]);
  });

  it('takes a dip for one where minutes have nothing to do with each other, and for a new level where levels last', () => {
    fc.assert(
      fc.property(fc.nat(9_999), fc.double({ min: 0.3, max: 0.45, noNaN: true }), (seed, dip) => {
        const chance = createChance(seed);
        let level = 0;
        const loads = (lasting: boolean): number[] =>
          Array.from({ length: 600 }, () =>
            lasting ? 100 * Math.exp((level += 0.05 * chance.normal())) : 100 * Math.exp(0.1 * chance.normal()),
          );
        const expected = (rates: readonly number[]): number => {
          const [now = 1, ...before] = rates;
          const periods = [now * dip, ...before].map((rate, i) => ({ ...at(rate), at: -i }));
          return mostOf(lineOf(periods, 6), 0.5) / now;
        };
        const noise = loads(false);
        expect(expected([100, ...noise.slice(1)]), 'a dip').to.be.within(0.55, 1.3);
        expect(expected(loads(true)), 'a new level').to.be.below(dip * 2);
      }),
      { numRuns: 20 },
    );
  });

  it('goes on with a rise that went on each time, and back from a peak that passed each time', () => {
    // a wave: from each place on it the way is known
    const wave = (i: number): number => 100 * Math.exp(0.5 * Math.sin((2 * Math.PI * i) / 60));
    const expected = (now: number): number => {
      const periods = Array.from({ length: 600 }, (_, i) => ({ ...at(wave(now - i)), at: -i }));
      return mostOf(lineOf(periods, 7), 0.5);
    };
    for (const now of [600, 610, 625, 640])
      expect(expected(now)).to.be.within(0.8 * wave(now + 7), 1.25 * wave(now + 7));
  });

  it('holds of the next loads about as many as it says, after little past as well', () => {
    for (const lasting of [0, 0.9])
      for (const [count, horizon] of [
        [60, 7],
        [150, 19],
        [700, 19],
      ] as const) {
        let held = 0;
        for (let seed = 1; seed <= 300; seed++) {
          const chance = createChance(seed);
          let level = 0;
          const step = (): number => (level = lasting * level + Math.sqrt(1 - lasting ** 2) * 0.3 * chance.normal());
          const rates = Array.from({ length: count + horizon }, () => 100 * Math.exp(step()));
          const periods = rates.slice(0, count).map((rate, i) => ({ ...at(rate), at: i }));
          const cases = together(
            outlooksOf(periods.reverse(), { floor: 20, slack: 0, burst: 0 })(horizon, 'end'),
            ALIKE,
          );
          if ((rates.at(-1) ?? 0) <= mostOf(cases, 0.95)) held++;
        }
        expect(held / 300, `${count} periods, lasting ${lasting}`).to.be.within(0.87, 0.98);
      }
  });

  it('finds the same of a load whatever was asked before', () => {
    const one = { at: 0, ...at(5) };
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            rates: fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 9 }),
            floor: fc.constantFrom(1, 7),
          }),
        ),
        fc.array(fc.nat(9), { maxLength: 40 }),
        (asked, way) => {
          // pasts that share their periods, as one decision's does with the next one's
          const known = Array.from({ length: 10 }, (_, rate) => ({ ...one, arrivalRate: rate }));
          let past = known.slice(0, 6);
          const check = (periods: typeof past, floor: number): void => {
            const found = logsOf(periods, floor);
            expect([...found.logs]).to.deep.equal(
              periods.map(({ arrivalRate }) => Math.log(arrivalRate + found.floor)),
            );
          };
          for (const rate of way) {
            past = [{ ...one, arrivalRate: rate }, ...past.slice(0, 20 - rate)];
            check(past, 7);
          }
          for (const { rates, floor } of asked)
            check(
              rates.map((rate) => known[rate] ?? one),
              floor,
            );
        },
      ),
      { numRuns: 100 },
    );
  });

  it('expects loads that can be, whatever the past was: weights of 1 in all, no rate below 0 or beyond all measure', () => {
    const rate = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e6, noNaN: true }));
    fc.assert(
      fc.property(
        fc.array(rate, { minLength: 1, maxLength: 150 }),
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom('end' as const, 'highest' as const),
        fc.double({ min: 0.01, max: 1e3, noNaN: true }),
        (rates, horizon, which, floor) => {
          const periods = rates.map((each, i) => ({ ...at(each), at: -i }));
          const outlooks = outlooksOf(periods, { floor, slack: 0, burst: 0 })(horizon, which);
          const [least, most] = [Math.min(...rates), Math.max(...rates)];
          // a stretch's own factor, laid on the present, and two ways as long as they may be
          const bound = Math.max(most, (((rates[0] ?? 0) + floor) * Math.exp(6) * (most + floor)) / (least + floor));
          for (const cases of [...outlooks, together(outlooks, ALIKE)]) {
            expect(cases.reduce((sum, { weight }) => sum + weight, 0)).to.be.closeTo(1, 1e-9);
            for (const [i, one] of cases.entries()) {
              expect(one.rate).to.be.within(0, bound * (1 + 1e-9));
              expect(one.rate).to.be.at.least(cases[i - 1]?.rate ?? 0);
            }
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('tells bursts from chance', () => {
    const even = past(10, () => ({ arrivalRate: 10, arrivals: [10, 10, 10, 10] }));
    const bursty = past(10, () => ({ arrivalRate: 10, arrivals: [0, 0, 40, 0] }));
    expect(burstiness(even)).to.equal(0);
    expect(burstiness(bursty)).to.be.closeTo(Math.sqrt(1 - 10 / 400), 1e-9);
  });

  it('takes no chance for bursts, at whatever rates', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const chance = createChance(seed);
      const count = (rate: number) => Array.from({ length: 10 }, () => chance.poisson(rate));
      const quiet = past(60, (i) => ({ arrivalRate: 1, arrivals: count(i % 7 === 0 ? 300 : 3 + (i % 20)) }));
      expect(burstiness(quiet), `seed ${seed}`).to.equal(0);
    }
  });

  it('asks only for what a burst needs within the time that a request may wait', () => {
    const [period] = past(1, () => ({ arrivalRate: 10, arrivals: [5, 5, 5, 5, 50, 5, 5, 5, 5, 10] }));
    const [, , , , burst = 0, after = 0] = excesses(period, 0.6) ?? [];
    expect(burst).to.be.closeTo(40 / 1.6, 1e-9);
    // what the second after it still has to answer
    expect(after).to.be.closeTo(35 / 2.6, 1e-9);
    expect(Math.max(...(excesses(period, 0) ?? []))).to.equal(40);
    expect(excesses(past(1, () => ({ arrivalRate: 10 }))[0], 0.6)).to.equal(undefined);
    expect(excesses(undefined, 0.6)).to.equal(undefined);
  });
});
