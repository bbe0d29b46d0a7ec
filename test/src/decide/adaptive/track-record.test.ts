import { expect } from 'chai';
import fc from 'fast-check';
import { LEVELS, outlooksOf, WAYS_ON } from '../../../../src/decide/adaptive/scenarios.ts';
import { spread, type Scenario } from '../../../../src/decide/adaptive/spread.ts';
import { isNext, judged, recordIn, sharesOf, type TrackRecord } from '../../../../src/decide/adaptive/track-record.ts';
import { DEFAULT_PARAMETERS } from '../../../../src/decide/parameters.ts';
import { remember } from '../../../../src/loop/evaluate.ts';
import type { PeriodSummary } from '../../../../src/model.ts';
import { createChance } from '../../../../src/simulate/chance.ts';

const EVERY = 10_000;
const HOUR = 3_600_000;
const NONE = recordIn(undefined);

/** Each way says one rate, whatever comes. */
const saying = (rates: readonly number[]): readonly (readonly Scenario[])[] => rates.map((rate) => spread([rate]));

/** The record after a load of so many periods. */
function lived(
  rates: readonly number[],
  horizonMs: number,
  outlooks: (i: number) => readonly (readonly Scenario[])[] | undefined,
): TrackRecord {
  let record = NONE;
  for (const [i, rate] of rates.entries()) {
    const at = (i + 1) * EVERY;
    const said = isNext(record, at, horizonMs) ? outlooks(i) : undefined;
    record = judged(record, { at, span: EVERY, horizonMs, rate, outlooks: said });
  }
  return record;
}

const period = (at: number, rate: number): PeriodSummary => {
  const vms = Math.max(1, Math.round(rate / 10));
  return {
    ...{ at, vms, ready: vms, arrivalRate: rate, throughput: rate, cpu: (5 * rate) / vms },
    ...{ concurrency: rate / 20, responseTime: 60 },
  };
};

describe("the record of adaptive's forecasts", () => {
  it('counts moments alike at first, and then the way that was right', () => {
    expect(sharesOf(NONE, 4 * HOUR)).to.deep.equal([1, 0, 0, 0]);
    const off = saying([90, 100.5, 110, 140]);
    const shares = (count: number): readonly number[] =>
      sharesOf(
        lived(new Array<number>(count).fill(100), 60_000, () => off),
        4 * HOUR,
      );
    for (const count of [30, 100, 400, 2_000]) {
      const [moments = 0, right = 0, high = 0, far = 0] = shares(count);
      expect(moments + right + high + far).to.be.closeTo(1, 1e-9);
      expect(right).to.be.above(Math.max(high, far));
    }
    const [half = 0, right = 0] = shares(440);
    expect([half, right], 'an hour, which fades').to.satisfy(() => Math.abs(half - right) < 0.2);
    expect(shares(2_000)[1]).to.be.above(0.85);
  });

  it('counts no levels that are not those of hours', () => {
    const record = lived(new Array<number>(1_000).fill(100), 60_000, () => saying([90, 90, 90, 100]));
    expect(sharesOf(record, HOUR)[LEVELS]).to.equal(0);
    expect(sharesOf(record, 4 * HOUR)[LEVELS]).to.be.above(0.7);
  });

  it('counts the way of the load: levels where minutes have nothing to do with each other, the line where it comes in waves', () => {
    const best = (rateOf: (i: number) => number): string => {
      const rates = Array.from({ length: 300 }, (_, i) => rateOf(i));
      const outlooks = (i: number) =>
        i < 100
          ? undefined
          : outlooksOf(
              rates
                .slice(0, i + 1)
                .reverse()
                .map((rate, k) => period(-k, rate)),
              { floor: 20, slack: 0, burst: 0 },
            )(7, 'end');
      const [, ...shares] = sharesOf(lived(rates, 70_000, outlooks), 4 * HOUR);
      return WAYS_ON[1 + shares.indexOf(Math.max(...shares))] ?? '';
    };
    const chance = createChance(3);
    expect(best(() => 100 * Math.exp(0.3 * chance.normal()))).to.equal('where it was');
    expect(best((i) => 100 * Math.exp(0.5 * Math.sin(i / 15) + 0.02 * chance.normal()))).to.equal(
      'the line of its levels',
    );
  });

  it('takes bounded space, whatever the horizon, and is the same after a trip through a journal', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1e5, noNaN: true }), { minLength: 1, maxLength: 300 }),
        fc.integer({ min: 1, max: 3_600 }),
        (rates, seconds) => {
          const record = lived(rates, 1_000 * seconds, (i) => saying(WAYS_ON.map((_, k) => (k + 1) * (rates[i] ?? 0))));
          expect(record.expected.length).to.be.at.most(5);
          const learned: unknown = JSON.parse(JSON.stringify({ record }));
          expect(recordIn({ ...period(0, 1), learned })).to.deep.equal(record);
          const shares = sharesOf(record, 4 * HOUR);
          expect(shares.reduce((sum, share) => sum + share, 0)).to.be.closeTo(1, 1e-9);
          for (const share of shares) expect(share).to.be.within(0, 1);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('does not hold what was expected before a pause against what came after it', () => {
    const before = lived([100, 100, 100], 60_000, () => saying([100, 50, 50, 50]));
    const after = judged(before, { at: 3_600_000, span: 3_570_000, horizonMs: 60_000, rate: 500, outlooks: undefined });
    expect(after).to.deep.include({ expected: [], losses: [0, 0, 0, 0] });
  });

  it('knows nothing of what another version has learned', () => {
    for (const record of [undefined, null, 7, {}, { losses: [1, 2], judgedMs: 3, expected: [] }])
      expect(recordIn({ ...period(0, 1), learned: { record } })).to.equal(NONE);
  });

  it('is kept with the newest period, and goes on from there', () => {
    const parameters = { ...DEFAULT_PARAMETERS, policy: 'adaptive', max: 20 } as const;
    const chance = createChance(1);
    let history: readonly PeriodSummary[] = [];
    for (let i = 1; i <= 60; i++)
      history = remember(history, period(i * EVERY, 100 * Math.exp(0.3 * chance.normal())), parameters);
    const record = recordIn(history[0]);
    expect(record.judgedMs).to.be.above(400_000);
    expect(record.expected.length).to.be.within(3, 5);
    expect(JSON.stringify(record).length).to.be.below(3_000);
    expect(history.slice(1).every(({ learned }) => learned === undefined)).to.equal(true);
  });
});
