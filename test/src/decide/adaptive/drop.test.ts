import { expect } from 'chai';
import { dropOf } from '../../../../src/decide/adaptive/drop.ts';
import type { PeriodSummary } from '../../../../src/model.ts';

const EVERY = 10_000;
const FLOOR = 5;

/** Of rates as they came, oldest first. */
const dropAfter = (rates: readonly number[]) =>
  dropOf(
    rates
      .map((arrivalRate, i): PeriodSummary => ({
        ...{ at: i * EVERY, vms: 5, ready: 5, arrivalRate, throughput: arrivalRate },
        ...{ concurrency: 1, responseTime: 60 },
      }))
      .reverse(),
    EVERY,
    FLOOR,
  );

const of = (count: number, rate: number): readonly number[] => Array.from({ length: count }, () => rate);
const repeated = (times: number, part: readonly number[]): readonly number[] =>
  Array.from({ length: times }, () => part).flat();

describe('a fall of the load', () => {
  it('is none while the load goes on, rises, or falls slowly', () => {
    expect(dropAfter([])).to.equal(undefined);
    expect(dropAfter(of(1, 0))).to.equal(undefined);
    expect(dropAfter([...of(200, 100), ...of(5, 70)])).to.equal(undefined);
    expect(dropAfter([...of(200, 20), ...of(5, 200)])).to.equal(undefined);
    expect(dropAfter(Array.from({ length: 400 }, (_, i) => 200 * 0.98 ** i))).to.equal(undefined);
  });

  it('may pass for a minute and a half where none came before, one in five', () => {
    for (const after of [3, 8])
      expect(dropAfter([...of(300, 100), ...of(after, 0)])).to.eql({ chance: 0.2, level: 100 });
    expect(dropAfter([...of(300, 100), ...of(13, 0)])).to.equal(undefined);
  });

  it('passes as often as such falls did', () => {
    const fall = [...of(60, 100), ...of(4, 0)];
    const passing = dropAfter([...repeated(15, [...of(100, 100), ...of(12, 0)]), ...fall])?.chance;
    const lasting = dropAfter([...repeated(6, [...of(100, 100), ...of(100, 0)]), ...fall])?.chance;
    expect(passing).to.be.above(0.6);
    expect(lasting).to.be.below(0.1);
  });
});
