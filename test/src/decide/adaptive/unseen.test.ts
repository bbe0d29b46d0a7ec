import { expect } from 'chai';
import fc from 'fast-check';
import type { Scenario } from '../../../../src/decide/adaptive/spread.ts';
import { withUnseen } from '../../../../src/decide/adaptive/unseen.ts';
import type { PeriodSummary } from '../../../../src/model.ts';

const EVERY = 10_000;
const HOUR = 360;
const HORIZON = 8;
const CASES: readonly Scenario[] = [
  { rate: 90, weight: 0.5 },
  { rate: 110, weight: 0.5 },
];

/** Of rates as they came, oldest first. */
const after = (rates: readonly number[], which: 'end' | 'highest' = 'end'): readonly Scenario[] => {
  const periods = rates
    .map((arrivalRate, i): PeriodSummary => ({
      ...{ at: i * EVERY, vms: 5, ready: 5, arrivalRate, throughput: arrivalRate },
      ...{ concurrency: 1, responseTime: 60 },
    }))
    .reverse();
  return withUnseen(CASES, { periods, horizon: HORIZON, near: 20 }, which);
};

/** Up and down by a half. */
const restless = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => (i % 16 < 8 ? 80 : 120));
const weightOf = (cases: readonly Scenario[], is: (rate: number) => boolean): number =>
  cases.reduce((sum, { rate, weight }) => sum + (is(rate) ? weight : 0), 0);

describe('what a short past has not seen', () => {
  it('is further away than what came, the less likely the more was seen, and nothing after two hours', () => {
    const beyond = [HOUR / 6, HOUR / 2, HOUR, 1.5 * HOUR].map((count) =>
      weightOf(after(restless(count)), (rate) => rate > 180),
    );
    expect(beyond[0]).to.be.within(0.02, 0.1);
    expect(beyond).to.eql([...beyond].sort((a, b) => b - a));
    expect(beyond.at(-1)).to.be.greaterThan(0);
    expect(after(restless(2 * HOUR + 1))).to.equal(CASES);
  });

  it('is nothing before the first stretch has come, and where nothing ever changed no more than that', () => {
    expect(after(restless(HORIZON))).to.equal(CASES);
    const steady = after(new Array<number>(HOUR).fill(100));
    expect(weightOf(steady, (rate) => rate < 89 || rate > 111)).to.equal(0);
  });

  it('is not below the present where the highest load counts', () => {
    const rates = restless(HOUR);
    expect(weightOf(after(rates, 'end'), (rate) => rate < 80)).to.be.greaterThan(0);
    expect(weightOf(after(rates, 'highest'), (rate) => rate < 80)).to.equal(0);
  });

  it('keeps the weights together at 1 and the loads in order and finite, whatever came', () =>
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e9, noNaN: true })), { maxLength: 800 }),
        (rates) => {
          const cases = after(rates, 'highest');
          expect(weightOf(cases, () => true)).to.be.closeTo(1, 1e-9);
          expect(cases.every(({ rate }) => Number.isFinite(rate) && rate >= 0)).to.equal(true);
          expect(cases.map(({ rate }) => rate)).to.eql(cases.map(({ rate }) => rate).sort((a, b) => a - b));
        },
      ),
    ));
});
