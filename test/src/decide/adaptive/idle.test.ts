import { expect } from 'chai';
import fc from 'fast-check';
import { idleAfter, idleBefore, isTooSoon, PATIENCE } from '../../../../src/decide/adaptive/idle.ts';
import { withLearned } from '../../../../src/decide/index.ts';
import { DEFAULT_PARAMETERS } from '../../../../src/decide/parameters.ts';
import type { PeriodSummary } from '../../../../src/model.ts';
import { past } from '../../../helpers/situation.ts';

const EVERY = 10_000;
const PARAMETERS = { ...DEFAULT_PARAMETERS, policy: 'adaptive', max: 40 } as const;

/** 12 VMs, or others, under 30 requests a second: two or three would do. */
const load = (vms: number) => ({
  ...{ arrivalRate: 30, throughput: 30, ready: vms, vms, cpu: 150 / vms, responseTime: 55, concurrency: 2 },
});

const periods = past(400, () => load(12), { now: 0 });

const bare = (period: PeriodSummary | undefined): PeriodSummary => ({
  ...(period as PeriodSummary),
  learned: undefined,
});

/** What is learned of them one after the other; newest first. */
function lived(sizes: readonly number[]): readonly PeriodSummary[] {
  let history: readonly PeriodSummary[] = periods;
  for (const [i, vms] of sizes.entries()) {
    const [newest] = history;
    history = [withLearned(history, { ...bare(newest), ...load(vms), at: i * EVERY }, PARAMETERS), ...history];
  }
  return history;
}

const idleOf = ([newest]: readonly PeriodSummary[]): number => idleBefore(newest, newest ?? { vms: 0 });

describe('what a fleet has too much', () => {
  it('adds up period by period, and is forgotten where it is not too much', () => {
    expect(idleAfter(60_000, 5, 3, EVERY)).to.equal(80_000);
    expect(idleAfter(60_000, 5, 5, EVERY)).to.equal(0);
    expect(idleAfter(60_000, 5, 6, EVERY)).to.equal(0);
  });

  it('is given back the sooner the more it is, and at once where the forecast sees as far as patience goes', () => {
    expect(isTooSoon(120_000, PATIENCE, 70_000)).to.equal(true);
    expect(isTooSoon(130_000, PATIENCE, 70_000)).to.equal(false);
    expect(isTooSoon(EVERY, PATIENCE, PATIENCE)).to.equal(false);
    expect(isTooSoon(0, PATIENCE, 70_000), 'nothing is too much').to.equal(false);
  });

  it('is known from one period to the next, and begins anew when the fleet has changed', () => {
    const [one, three] = [lived([12, 12]), lived([12, 12, 12, 12])];
    expect(idleOf(one)).to.be.greaterThan(0);
    expect(idleOf(three)).to.equal(2 * idleOf(one));
    expect(idleOf(lived([12, 12, 12, 12, 11]))).to.be.within(1, idleOf(one));
  });

  it('says nothing where a journal holds something else, or of another fleet', () => {
    const [period] = periods as [PeriodSummary];
    expect(idleBefore({ ...period, learned: { idleMs: PATIENCE } }, period)).to.equal(PATIENCE);
    expect(idleBefore({ ...period, learned: { idleMs: PATIENCE } }, { vms: 11 })).to.equal(0);
    expect(idleBefore(undefined, period)).to.equal(0);
    fc.assert(
      fc.property(fc.anything(), (odd) => {
        for (const learned of [odd, { idleMs: odd }]) {
          const idle = idleBefore({ ...period, learned }, period);
          expect(idle).to.be.at.least(0).and.below(Infinity);
        }
      }),
    );
  });
});
