import { expect } from 'chai';
import fc from 'fast-check';
import { decide } from '../../../../src/decide/index.ts';
import { policies } from '../../../../src/decide/policies/index.ts';
import { DEFAULT_PARAMETERS, type ElasticityParameters, type PolicyName } from '../../../../src/decide/parameters.ts';
import { ahead } from '../../../../src/decide/policies/proliot.ts';
import { repairOf } from '../../../../src/decide/policies/adapt.ts';
import { endOfCurve } from '../../../../src/decide/common/peer-sizes.ts';
import { refusal } from '../../../../src/settings/values.ts';
import { past, situation, type Said } from '../../../helpers/situation.ts';

const by = (policy: PolicyName, said: Said, own: Readonly<Record<string, number>> = {}, max = 10) =>
  decide(situation({ max, ...said }), { ...DEFAULT_PARAMETERS, max, policy, policyParameters: own });

describe('hpa', () => {
  const now = 990_000;

  it('wants ceil(n × metric / target)', () => {
    expect(by('hpa', { cpu: 90, ready: 2 })).to.include({ action: 'allocate', count: 1 });
    expect(by('hpa', { cpu: 100, ready: 4 })).to.include({ action: 'allocate', count: 2 });
  });

  it('leaves 10 % around the target alone', () => {
    expect(by('hpa', { cpu: 76.9, ready: 4 }).action).to.equal('hold');
    expect(by('hpa', { cpu: 77.1, ready: 4 }).action).to.equal('allocate');
  });

  it('counts VMs that are not ready as idle when it goes up', () => {
    expect(by('hpa', { cpu: 100, ready: 2, pending: 1 }).action).to.equal('hold');
    expect(by('hpa', { cpu: 100, ready: 4, pending: 1 })).to.include({ action: 'allocate', count: 1 });
    expect(by('hpa', { cpu: 30, ready: 4, pending: 1, now }, { stabilization: 0 })).to.include({
      action: 'release',
      count: 3,
    });
  });

  it('looks every 15 s', () => {
    const history = past(1, () => ({ cpu: 90, vms: 2, ready: 2 }), { now, every: 5_000 });
    const early = past(1, () => ({ cpu: 90, vms: 2, ready: 2 }), { every: 5_000 });
    expect(by('hpa', { cpu: 90, ready: 2, history: early }).reason).to.contain('Not due');
    expect(by('hpa', { cpu: 90, ready: 2, now, history }).action).to.equal('allocate');
  });

  it('goes down only to the largest want of the last 300 s', () => {
    const busy = (ms: number) =>
      past(40, (i) => ({ vms: 4, ready: 4, cpu: (i + 1) * 10_000 >= ms ? 50 : 10 }), { now });
    expect(by('hpa', { cpu: 10, ready: 4, now, history: busy(290_000) }).count).to.equal(1);
    expect(by('hpa', { cpu: 10, ready: 4, now, history: busy(300_000) })).to.include({ action: 'release', count: 3 });
  });

  it('adds at most max(4, 100 %) in 15 s', () => {
    expect(by('hpa', { cpu: 100, ready: 2 }, { target: 10 }, 50).count).to.equal(4);
    expect(by('hpa', { cpu: 100, ready: 8 }, { target: 10 }, 50).count).to.equal(8);
    const byHalf = { target: 10, upVms: 1, upPercent: 50 };
    expect(by('hpa', { cpu: 100, ready: 3 }, byHalf, 50).count, 'a part of one is one, as in its code').to.equal(2);
    const history = past(3, (i) => ({ vms: i === 0 ? 6 : 2, ready: 2, cpu: 100 }), { now });
    expect(by('hpa', { cpu: 100, ready: 6, now, history }, { target: 10, policyPeriod: 25_000 }, 50).action).to.equal(
      'hold',
    );
  });
});

describe('kpa', () => {
  it('wants ceil(concurrency / 70 % of the limit)', () => {
    expect(
      by('kpa', { concurrency: 150, ready: 2, history: past(6, () => ({ concurrency: 150, ready: 2 })) }),
    ).to.include({
      action: 'allocate',
      count: 1,
    });
  });

  it('goes by the stable window: one busy period alone changes nothing', () => {
    const history = past(6, () => ({ concurrency: 100, ready: 2 }));
    expect(by('kpa', { concurrency: 150, ready: 2, history }).action).to.equal('hold');
  });

  it('takes the mean of the period, not what is there at its end', () => {
    const same = { throughput: 1000, responseTime: 150, concurrency: 10, ready: 2 };
    const seen = situation({ max: 10, ready: 2, history: past(6, () => same) });
    const kpa = { ...DEFAULT_PARAMETERS, max: 10, policy: 'kpa' } as const;
    expect(decide({ ...seen, present: { ...seen.present, ...same } }, kpa)).to.include({
      action: 'allocate',
      count: 1,
    });
  });

  it('holds every higher want of the panic, also one that is no cause of it', () => {
    const history = past(6, (i) => ({ concurrency: i === 3 ? 210 : i === 1 ? 290 : 10, ready: i < 3 ? 3 : 1, vms: 3 }));
    expect(by('kpa', { concurrency: 10, ready: 3, history }, {}, 20)).to.include({ action: 'hold' });
    const panicked = past(6, (i) => ({
      concurrency: i === 3 ? 210 : i === 1 ? 430 : 10,
      ready: i < 3 ? 4 : 1,
      vms: 4,
    }));
    expect(by('kpa', { concurrency: 10, ready: 4, history: panicked }, {}, 20).rule).to.equal('kpa panic');
  });

  it('panics when the panic window wants twice what is ready, and lets nothing go while it lasts', () => {
    const calm = past(6, () => ({ concurrency: 10, ready: 2, vms: 2 }));
    const burst = by('kpa', { concurrency: 270 * 2, ready: 2, history: calm });
    expect(burst).to.include({ action: 'allocate', count: 2, rule: 'kpa panic' });
    const after = past(6, (i) => ({ concurrency: i === 3 ? 560 : 10, ready: i === 3 ? 2 : 5, vms: 5 }));
    expect(by('kpa', { concurrency: 10, ready: 5, history: after }).action).to.equal('hold');
    const later = past(6, () => ({ concurrency: 10, ready: 4, vms: 4 }));
    expect(by('kpa', { concurrency: 10, ready: 4, history: later })).to.include({ action: 'release', count: 2 });
  });
});

describe('target-tracking', () => {
  const minutes = (n: number, cpu: number) => past(n * 6 - 1, () => ({ cpu, ready: 4, vms: 4 }));

  it('goes out after three minutes above the target, not before', () => {
    expect(by('target-tracking', { cpu: 100, ready: 4, history: minutes(3, 100) })).to.include({
      action: 'allocate',
      count: 2,
    });
    expect(by('target-tracking', { cpu: 100, ready: 4, history: minutes(3, 100).slice(0, -1) }).action).to.equal(
      'hold',
    );
  });

  it('goes in after fifteen minutes below 90 % of it', () => {
    expect(by('target-tracking', { cpu: 30, ready: 4, history: minutes(15, 30) })).to.include({
      action: 'release',
      count: 2,
    });
    expect(by('target-tracking', { cpu: 30, ready: 4, history: minutes(14, 30) }).action).to.equal('hold');
    expect(by('target-tracking', { cpu: 64, ready: 4, history: minutes(15, 64) }).action).to.equal('hold');
  });

  it('lets nothing go while a VM warms up', () => {
    expect(by('target-tracking', { cpu: 30, ready: 4, warming: 1, history: minutes(15, 30) }).action).to.equal('hold');
  });
});

describe('oneflow', () => {
  const now = 990_000;
  const looks = (cpu: (i: number) => number, action?: number) =>
    past(60, (i) => ({ cpu: cpu(i), ready: 2, vms: 2, action: i === action ? 'allocate' : 'hold' }), { now });

  it('wants the expression to hold three looks in a row', () => {
    expect(by('oneflow', { cpu: 80, ready: 2, now, history: looks(() => 80) })).to.include({
      action: 'allocate',
      count: 1,
    });
    expect(by('oneflow', { cpu: 80, ready: 2, now, history: looks((i) => (i > 10 ? 50 : 80)) }).action).to.equal(
      'hold',
    );
  });

  it('looks every 90 s only', () => {
    expect(
      by('oneflow', { cpu: 80, ready: 2, now: 1_000_000, history: past(60, () => ({ cpu: 80 })) }).reason,
    ).to.contain('Not due');
  });

  it('keeps its cooldown', () => {
    expect(by('oneflow', { cpu: 80, ready: 2, now, history: looks(() => 80, 28) }).reason).to.contain('cooldown');
    expect(by('oneflow', { cpu: 80, ready: 2, now, history: looks(() => 80, 29) }).action).to.equal('allocate');
  });

  it('lets the first VM of the list go', () => {
    const { vms } = by('oneflow', { cpu: 10, ready: 2, lps: [50, 1], now, history: looks(() => 10) });
    expect(vms).to.deep.equal(['vm-1']);
  });
});

describe('react', () => {
  const speed = { speed: 20, capacity: 70 };

  it('adds the whole part of 1.2 times the shortfall', () => {
    expect(by('react', { arrivalRate: 35, ready: 2 }, speed)).to.include({ action: 'allocate', count: 1 });
    expect(by('react', { arrivalRate: 98, ready: 2 }, speed)).to.include({ action: 'allocate', count: 6 });
  });

  it('keeps 1.2 times what is needed, once a tenth is to spare', () => {
    expect(by('react', { arrivalRate: 35, ready: 5 }, speed)).to.include({ action: 'release', count: 1 });
    expect(by('react', { arrivalRate: 39, ready: 3 }, speed).action).to.equal('hold');
  });

  it('is not blind above 100 % of CPU', () => {
    expect(by('react', { arrivalRate: 140, cpu: 100, ready: 2 }, speed).count).to.equal(8);
  });

  it("measures a VM's speed where none is said", () => {
    const history = past(9, () => ({ cpu: 50, ready: 2, vms: 2, throughput: 20 }));
    expect(by('react', { arrivalRate: 35, cpu: 100, ready: 2, history }).action).to.equal('allocate');
    expect(by('react', { arrivalRate: 35, ready: 2 }).action).to.equal('hold');
  });
});

describe('adapt', () => {
  const speed = { speed: 20, capacity: 100 };
  const steady = (vms: number, arrivalRate: number, n = 9) => past(n, () => ({ arrivalRate, ready: vms, vms }));

  it('goes to 1.1 times the load and adds what there is to repair', () => {
    const history = steady(10, 200, 99);
    expect(by('adapt', { arrivalRate: 240, ready: 10, history }, speed, 40)).to.include({
      action: 'allocate',
      count: 6,
    });
  });

  it('shrinks by a quarter of what is above the load, added up period by period', () => {
    expect(by('adapt', { arrivalRate: 120, ready: 10, history: steady(10, 200) }, speed, 40)).to.include({
      action: 'release',
      count: 1,
    });
    expect(by('adapt', { arrivalRate: 160, ready: 10, history: steady(10, 200) }, speed, 40).action).to.equal('hold');
    expect(by('adapt', { arrivalRate: 160, ready: 10, history: steady(10, 160, 1) }, speed, 40).action).to.equal(
      'release',
    );
  });

  it('takes off what was done', () => {
    const periods = past(5, () => ({ vms: 10 }));
    expect(repairOf(periods, () => 7, 4)).to.be.closeTo(-1.75 + 1, 1e-9);
  });
});

describe('reg', () => {
  const speed = { speed: 20, capacity: 100 };

  it('fits a quadratic', () => {
    expect(endOfCurve([70, 80, 90])).to.be.closeTo(90, 1e-9);
    expect(endOfCurve([16, 9, 4, 1, 0])).to.be.closeTo(0, 1e-9);
    expect(endOfCurve([1, 2])).to.equal(undefined);
  });

  it('grows at once, to 1.05 times the load', () => {
    expect(by('reg', { arrivalRate: 79, ready: 3 }, speed)).to.include({ action: 'allocate', count: 2 });
  });

  it('does not shrink in a dip, and keeps a fifth more than the curve needs', () => {
    const growing = past(10, (i) => ({ arrivalRate: 180 - 15 * i, ready: 9, vms: 9 }));
    expect(by('reg', { arrivalRate: 150, ready: 9, history: growing }, speed).action).to.equal('hold');
    const falling = past(10, (i) => ({ arrivalRate: 40 + 20 * i, ready: 6, vms: 6 }));
    expect(by('reg', { arrivalRate: 40, ready: 6, history: falling }, speed)).to.include({
      action: 'release',
      count: 3,
    });
  });
});

describe('proliot', () => {
  it('sees 40, 50, 60 go on to 83.33', () => {
    expect(ahead([60, 50, 40], { horizon: 3, average: 3 })).to.be.closeTo(83.333, 0.001);
    expect(by('proliot', { cpu: 60, history: past(2, (i) => ({ cpu: 50 - i * 10 })) })).to.include({
      action: 'allocate',
    });
  });

  it('holds until it has three samples', () => {
    expect(by('proliot', { cpu: 99, history: past(1, () => ({ cpu: 90 })) }).action).to.equal('hold');
  });
});

describe('every policy', () => {
  const names = Object.keys(policies) as PolicyName[];
  const period = fc.record({
    cpu: fc.option(fc.double({ min: 0, max: 100, noNaN: true }), { nil: undefined }),
    ready: fc.integer({ min: 0, max: 8 }),
    concurrency: fc.nat(2000),
    action: fc.constantFrom('hold' as const, 'allocate' as const, 'release' as const),
  });
  const world = fc.record({
    lp: fc.option(fc.double({ min: 0, max: 100, noNaN: true }), { nil: undefined }),
    deltaTp: fc.option(fc.double({ min: -100, max: 500, noNaN: true }), { nil: undefined }),
    concurrency: fc.nat(2000),
    ready: fc.integer({ min: 0, max: 8 }),
    pending: fc.nat(2),
    history: fc.array(period, { maxLength: 120 }),
    now: fc.integer({ min: 1e9, max: 2e9 }),
  });

  for (const policy of names)
    it(`${policy} keeps the bounds, releases only ready VMs, and is a pure function`, () => {
      fc.assert(
        fc.property(world, fc.boolean(), ({ history, ...said }, noFlap) => {
          const seen = situation({
            ...said,
            min: 1,
            max: 8,
            history: history.map((one, i) => ({
              ...{ at: said.now - (i + 1) * 10_000, vms: one.ready, arrivalRate: 0, count: 0 },
              ...one,
            })),
          });
          const parameters: ElasticityParameters = { ...DEFAULT_PARAMETERS, policy, max: 8, noFlap };
          const decision = decide(seen, parameters);
          const n = seen.present.vms;
          const after = n + { allocate: decision.count, release: -decision.count, hold: 0 }[decision.action];
          expect(after).to.be.within(Math.min(1, n), Math.max(8, n));
          if (n >= 1 && n <= 8) expect(after).to.be.within(1, 8);
          expect(decision.count === 0).to.equal(decision.action === 'hold');
          if (decision.action === 'release') expect(new Set(decision.vms).size).to.equal(decision.count);
          const ready = seen.fleet.filter((vm) => vm.state === 'ready').map((vm) => vm.id);
          expect(ready).to.include.members([...(decision.vms ?? [])]);
          expect(decision.reason).to.match(/\.$/);
          expect(decide(seen, parameters)).to.deep.equal(decision);
        }),
        { numRuns: 60 },
      );
    });

  it('tells its parameters, each with a default and a line of text', () => {
    for (const name of names) {
      expect(policies[name].doc).to.match(/\.$/);
      for (const parameter of Object.values(policies[name].parameters)) {
        expect(refusal(parameter, parameter.default)).to.equal(undefined);
        expect(parameter.doc).to.not.equal('');
      }
    }
  });
});
