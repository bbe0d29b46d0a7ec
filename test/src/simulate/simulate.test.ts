import { expect } from 'chai';
import type { SimulationOptions } from '../../../src/simulate/simulate.ts';
import { HOUR, MINUTE, simulated, wave } from '../../helpers/simulation.ts';

describe('simulate', function () {
  this.timeout(60_000);
  const open = (at: (t: number) => number) => ({ kind: 'open', at }) as const;
  const busyHour = { load: open(wave(3, 30)), duration: HOUR, bootMs: 30_000 };

  it('runs the production loop: grows under load, shrinks without it', async () => {
    const { timeline, measures } = await simulated({ ...busyHour, parameters: { policy: 'react' } });
    expect(timeline).to.have.length(360);
    expect(Math.max(...timeline.map(({ ready }) => ready))).to.equal(4);
    expect(timeline.at(-1)?.ready).to.be.lessThan(3);
    expect(measures.requests).to.be.closeTo(16.5 * 3600, 1000);
    expect(measures.energy).to.be.greaterThan(60).and.lessThan(240);
    expect(timeline.map(({ decision }) => decision.rule)).to.include('react');
  });

  it('gives the same result for the same seed, and another for another', async () => {
    for (const traffic of ['requests', 'fluid'] as const) {
      const run = (seed: number) => simulated({ ...busyHour, traffic, seed, bootFailures: 0.2, meanLifeMs: HOUR });
      const [first, again, other] = [await run(1), await run(1), await run(2)];
      expect(again).to.deep.equal(first);
      expect(other.measures).not.to.deep.equal(first.measures);
    }
  });

  it('skips only passes of the reconciliation that would find nothing', async () => {
    for (const traffic of ['requests', 'fluid'] as const) {
      const options = { ...busyHour, traffic, bootFailures: 0.3, meanLifeMs: HOUR / 4, releaseMs: 3_500 };
      expect(await simulated({ ...options, everyPass: true })).to.deep.equal(await simulated(options));
    }
  });

  const agreeing: readonly [string, Omit<SimulationOptions, 'quiet'>][] = [
    ['steady on one VM', { load: open(() => 6), duration: HOUR, parameters: { max: 1 } }],
    ['steady on four VMs', { load: open(() => 30), duration: HOUR, parameters: { min: 4 } }],
    ['overloaded', { load: open(() => 15), duration: HOUR / 4, parameters: { max: 1 } }],
    ['a wave with React', { ...busyHour, parameters: { policy: 'react' } }],
    ['a wave with MMEliot', busyHour],
    [
      'clients that think',
      { load: { kind: 'closed', at: wave(5, 40), thinkMs: 1000 }, duration: HOUR, bootMs: 30_000 },
    ],
  ];
  for (const [name, options] of agreeing) {
    it(`agrees with itself, fluid or request by request: ${name}`, async () => {
      const { measures: fluid } = await simulated({ ...options, traffic: 'fluid' });
      const { measures: single } = await simulated({ ...options, traffic: 'requests' });
      const about = `fluid ${JSON.stringify(fluid)} requests ${JSON.stringify(single)}`;
      expect(fluid.requests / single.requests, about).to.be.within(0.95, 1.05);
      expect(fluid.energy / single.energy, about).to.be.within(0.9, 1.1);
      expect(fluid.responseMs / single.responseMs, about).to.be.within(0.75, 1.33);
      expect(Math.abs(fluid.violationsPercent - single.violationsPercent), about).to.be.lessThan(4);
      expect(Math.abs(fluid.lossPercent - single.lossPercent), about).to.be.lessThan(2);
    });
  }

  it('has as many violations, fluid or request by request, on a fleet near its limit', async () => {
    // minutes: so that some hundred requests are slow
    const fleets = [
      [40, 0.8, 7],
      [40, 0.9, 5],
      [40, 0.95, 5],
      [10, 0.85, 10],
    ] as const;
    for (const [vms, load, minutes] of fleets) {
      const vm = { serviceMs: 50, parallel: 1, variation: 1 };
      const options = { load: open(() => 20 * vms * load), duration: minutes * MINUTE, vm, bootMs: 1000 };
      const run = async (traffic: 'fluid' | 'requests') =>
        (await simulated({ ...options, traffic, parameters: { min: vms, max: vms } })).measures.violationsPercent;
      const [fluid, single] = [await run('fluid'), await run('requests')];
      expect(fluid / single, `${vms} VMs at ${load}: ${fluid} and ${single} %`).to.be.within(0.65, 1.5);
    }
  });

  it('sends bursts at once, request by request', async () => {
    const load = { kind: 'bursts', at: () => 5, stepMs: 1000 } as const;
    const { measures, traffic } = await simulated({ load, duration: 5 * MINUTE, parameters: { max: 1 } });
    expect(traffic).to.equal('requests');
    expect(measures.requests).to.equal(1500);
    // five of 100 ms at once share the VM: about half a second, where one alone takes 0.1 s
    expect(measures.responseMs).to.be.within(250, 550);
  });

  it('sends a batch after the last one has ended, and a step after its begin at the earliest', async () => {
    const vm = { serviceMs: 100, parallel: 1, variation: 0 };
    const run = async (size: number) => {
      const load = { kind: 'batch', at: () => size, stepMs: 1000 } as const;
      const { measures, traffic } = await simulated({ load, duration: 5 * MINUTE, parameters: { max: 1 }, vm });
      expect(traffic).to.equal('requests');
      return measures.requests;
    };
    // five take half a second: one batch a second; twenty take two seconds: a batch every two
    expect(await run(5)).to.be.within(1495, 1505);
    expect(await run(20)).to.be.within(2980, 3020);
  });

  it('sends all bursts, however short their step is', async () => {
    const load = { kind: 'bursts', at: () => 2, stepMs: 30 } as const;
    const { measures } = await simulated({ load, duration: MINUTE, vm: { serviceMs: 10, parallel: 1, variation: 0 } });
    expect(measures.requests).to.be.within(3999, 4002);
  });

  it('has longer responses from VMs that are slower while they are new, and from unsteady ones', async () => {
    const load = open(() => 6);
    const vm = { serviceMs: 100, parallel: 1, variation: 0.5 };
    const run = async (more: object) =>
      (await simulated({ load, duration: 5 * MINUTE, parameters: { max: 1 }, vm: { ...vm, ...more } })).measures;
    const steady = await run({});
    expect((await run({ warming: { speed: 0.5, requests: 500 } })).responseMs).to.be.greaterThan(2 * steady.responseMs);
    expect((await run({ unsteadiness: 0.5 })).responseMs).to.be.greaterThan(1.2 * steady.responseMs);
  });

  it('finds the limit of requests at a VM as the gateway does', async () => {
    const load = open(wave(1, 30, 5 * MINUTE));
    const run = async (perVm: 'auto' | 32) => {
      const options = { load, duration: 5 * MINUTE, parameters: { max: 1 }, perVm, traffic: 'requests' } as const;
      return (await simulated(options)).timeline.map(({ deltaTp = 0 }) => deltaTp);
    };
    // in overload the limit sinks, and with it the time that requests spend at the VM; a fixed one keeps it
    const fall = (values: readonly number[]) => Math.min(...values.slice(15));
    expect(fall(await run('auto'))).to.be.lessThan(fall(await run(32)));
  });

  it('replaces VMs that crash and VMs that do not boot', async () => {
    const { timeline } = await simulated({
      load: open(() => 10),
      duration: 2 * HOUR,
      bootMs: 10_000,
      bootFailures: 0.3,
      meanLifeMs: HOUR / 6,
      parameters: { min: 3 },
    });
    const ready = timeline.map((period) => period.ready);
    expect(Math.min(...ready)).to.be.lessThan(3);
    expect(ready.reduce((sum, each) => sum + each, 0) / ready.length).to.be.greaterThan(2.5);
  });

  it('decides on what it hears, and it hears late when readings arrive late', async () => {
    const jump = { load: open((t) => (t < 10 * MINUTE ? 2 : 40)), duration: 20 * MINUTE, bootMs: 10_000 };
    const run = async (metricDelayMs: number) => {
      const { timeline } = await simulated({ ...jump, metricDelayMs, parameters: { policy: 'hpa' } });
      return timeline.find(({ decision }) => decision.action === 'allocate')?.at ?? NaN;
    };
    expect((await run(15_000)) - (await run(0))).to.be.at.least(10_000);
  });

  it('loses what the queue has no room for, or that waits too long', async () => {
    const overload = { load: open(() => 50), duration: 10 * MINUTE, parameters: { max: 1 } };
    for (const traffic of ['requests', 'fluid'] as const) {
      const { measures } = await simulated({ ...overload, traffic, queueCapacity: 50 });
      expect(measures.lossPercent).to.be.closeTo(80, 2);
    }
  });

  it('runs with 1,000 VMs', async () => {
    const { measures } = await simulated({
      load: open(() => 8_000),
      duration: 5 * MINUTE,
      parameters: { min: 1000, max: 1000 },
    });
    expect(measures.violationsPercent).to.be.lessThan(5);
    expect(measures.energy).to.be.closeTo(5000, 50);
  });
});
