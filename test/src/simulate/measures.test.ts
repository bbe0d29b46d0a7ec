import { expect } from 'chai';
import { measure, type Interval } from '../../../src/simulate/measures.ts';

const MINUTE = 60_000;
const minute = (interval: Partial<Interval>): Interval => ({
  at: 0,
  span: MINUTE,
  allocated: 1,
  ready: 1,
  arrived: 0,
  answered: 0,
  lost: 0,
  responseSum: 0,
  slow: 0,
  satisfied: 0,
  tolerated: 0,
  actions: 0,
  ...interval,
});

describe('measures', () => {
  it('counts energy as the paper does: 1 min with 1 VM, 2 with 2, 3 with 1 are 8', () => {
    const { energy, vmHours, minutes } = measure(
      [1, 2, 2, 1, 1, 1].map((allocated) => minute({ allocated })),
      70,
    );
    expect({ energy, vmHours, minutes }).to.deep.equal({ energy: 8, vmHours: 8 / 60, minutes: 6 });
  });

  it('counts saturation, response, loss, violations, Apdex and actions', () => {
    const busy = { arrived: 100, answered: 90, lost: 10, responseSum: 36_000, slow: 20, satisfied: 70, tolerated: 80 };
    const measures = measure([minute({ ...busy, lp: 80, actions: 1 }), minute({ ...busy, lp: 70 }), minute({})], 70);
    expect(measures).to.deep.include({
      requests: 200,
      throughput: 1,
      saturatedMinutes: 1,
      responseMs: 400,
      lossPercent: 10,
      violationsPercent: 30,
      apdex: 0.75,
      actions: 1,
      meanLp: 75,
    });
    expect(measures.thetaUnder).to.equal(undefined);
  });

  it('compares what was there with what was needed', () => {
    const measures = measure(
      [minute({ needed: 4, ready: 2 }), minute({ needed: 4, ready: 4 }), minute({ needed: 2, ready: 4 })],
      70,
    );
    expect(measures.thetaUnder).to.be.closeTo(50 / 3, 1e-9);
    expect(measures.thetaOver).to.be.closeTo(100 / 3, 1e-9);
    expect(measures.tauUnder).to.be.closeTo(100 / 3, 1e-9);
    expect(measures.tauOver).to.be.closeTo(100 / 3, 1e-9);
    expect(measures.instability).to.equal(100);
  });

  it('calls a fleet that follows its demand stable', () => {
    const followed = [1, 2, 2, 1].map((vms) => minute({ needed: vms, ready: vms }));
    expect(measure(followed, 70).instability).to.equal(0);
  });

  it('has no division by zero without requests or time', () => {
    for (const value of Object.values(measure([], 70))) expect(value).to.equal(0);
  });
});
