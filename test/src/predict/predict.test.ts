import { expect } from 'chai';
import fc from 'fast-check';
import type { Observation, PeriodSummary, VmState } from '../../../src/model.ts';
import { aging } from '../../../src/predict/aging.ts';
import { change, forecast } from '../../../src/predict/index.ts';
import { NO_TRAFFIC } from '../../helpers/world.ts';

const parameters = { predictor: 'aging', window: 7, warmup: 2, sumsTimeOn: false } as const;
const percents = fc.array(fc.double({ min: 0, max: 100, noNaN: true }), { maxLength: 20 });

describe('aging', () => {
  it('gives the golden 73.125 for 81, 70, 72, 68, 60', () => {
    expect(aging([81, 70, 72, 68, 60], 7)).to.equal(73.125);
    expect(aging([81, 70, 72, 68, 60], 5)).to.equal(73.125);
  });

  it('of a full window of 7 at 100 is 99.21875, the largest LP', () => {
    expect(aging(Array<number>(7).fill(100), 7)).to.equal(99.21875);
  });

  it('stays within 0 and the largest LP, forgets what is older than the window', () => {
    fc.assert(
      fc.property(percents, (samples) => {
        const lp = aging(samples, 7);
        expect(lp).to.be.within(0, 99.21875);
        expect(lp).to.equal(aging(samples.slice(0, 7), 7));
      }),
    );
  });

  it('never falls when a sample rises', () => {
    fc.assert(
      fc.property(percents, fc.nat(6), fc.double({ min: 0, max: 100, noNaN: true }), (samples, i, more) => {
        const higher = samples.map((sample, j) => (j === i ? Math.max(sample, more) : sample));
        expect(aging(higher, 7)).to.be.at.least(aging(samples, 7));
      }),
    );
  });
});

describe('forecast', () => {
  const vm = (id: string, cpu: number[], responseTime: number[] = [], state: VmState = 'ready', dark = false) => ({
    vm: { id, state, since: 0 },
    cpu,
    responseTime,
    source: dark ? ('none' as const) : ('agent' as const),
  });
  const of = (vms: Observation['vms'], previous?: PeriodSummary, sumsTimeOn = false) =>
    forecast({ at: 0, vms, traffic: NO_TRAFFIC }, previous, { ...parameters, sumsTimeOn });
  const previous = (tp: number | undefined): PeriodSummary => ({
    at: 0,
    vms: 1,
    ready: 1,
    arrivalRate: 0,
    concurrency: 0,
    ...(tp === undefined ? {} : { tp }),
  });

  it('is the mean of the ready, warm VMs that are not dark', () => {
    const seen = [
      vm('a', [80, 80]),
      vm('b', [40, 40]),
      vm('warming', [100]),
      vm('pending', [100, 100], [], 'pending'),
      vm('draining', [100, 100], [], 'draining'),
      vm('dark', [100, 100], [], 'ready', true),
    ];
    expect(of(seen).lp).to.equal(45);
  });

  it('is unknown without evidence', () => {
    expect(of([vm('warming', [100])])).to.not.have.any.keys('lp', 'tp', 'deltaTp');
  });

  it('starts the sum of TP from 0 each period: a steady response time gives a steady TP', () => {
    const steady = [vm('a', [50, 50], Array<number>(7).fill(128))];
    const first = of(steady);
    expect(first.tp).to.equal(127);
    expect(of(steady, previous(first.tp)).tp).to.equal(127);
    expect(of(steady, previous(first.tp)).deltaTp).to.equal(0);
  });

  it('adds to the sum of TP for ever where the paper is taken as printed', () => {
    const steady = [vm('a', [50, 50], Array<number>(7).fill(128))];
    expect(of(steady, undefined, true)).to.deep.include({ tp: 127 });
    expect(of(steady, previous(127), true)).to.deep.include({ tp: 254, deltaTp: 100 });
    expect(of(steady, previous(254), true)).to.deep.include({ tp: 381, deltaTp: 50 });
  });

  it('gives delta TP signed, in per cent of the previous TP', () => {
    expect(change(200, 250)).to.equal(25);
    expect(change(200, 150)).to.equal(-25);
  });

  it('has no delta TP while the previous TP is 0 or unknown', () => {
    const seen = [vm('a', [50, 50], [100, 100])];
    expect(of(seen, previous(0))).to.not.have.property('deltaTp');
    expect(of(seen, previous(undefined))).to.not.have.property('deltaTp');
    expect(of(seen)).to.not.have.property('deltaTp');
  });

  it('takes a TP as evidence only from the second response time on', () => {
    expect(of([vm('a', [50, 50], [100])])).to.not.have.property('tp');
    expect(of([vm('a', [50, 50], [100, 100])]).tp).to.equal(75);
  });
});
