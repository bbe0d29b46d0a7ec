import { expect } from 'chai';
import type { Vm } from '../../../src/model.ts';
import { Monitor, type MonitoredVm, type TrafficSource } from '../../../src/monitor/monitor.ts';
import { Window } from '../../../src/monitor/window.ts';
import { NO_TRAFFIC } from '../../helpers/world.ts';

const parameters = { period: 10_000, window: 3, responseSample: 'mean' } as const;
const vm: Vm = { id: 'a', state: 'ready', since: 0 };

describe('window', () => {
  it('keeps the newest samples, newest first', () => {
    const window = new Window(3);
    for (const value of [1, 2, 3, 4]) window.push(value);
    expect(window.samples).to.deep.equal([4, 3, 2]);
  });

  it('takes a repeated reading for no new sample', () => {
    const window = new Window(3);
    window.push(1, 100);
    window.push(1, 100);
    window.push(1, 101);
    expect(window.samples).to.deep.equal([1, 1]);
  });
});

describe('monitor', () => {
  let report: { at: number; cpu: number } | undefined;
  let times: Map<string, number>;
  let forgotten: string[];
  let monitor: Monitor;
  beforeEach(() => {
    report = undefined;
    times = new Map();
    forgotten = [];
    const sample = ({ at, cpu }: { at: number; cpu: number }) => ({ at, cpu, memory: 1, networkIn: 2, networkOut: 3 });
    monitor = new Monitor(
      {
        latest: () => report && { sample: sample(report), receivedAt: report.at },
        forget: (id) => forgotten.push(id),
      },
      { take: () => ({ traffic: NO_TRAFFIC, responseTimes: times }) },
    );
  });
  const look = (now: number, one: MonitoredVm = { vm }) => {
    const [seen] = monitor.observe(now, [one], parameters).vms;
    if (seen === undefined) throw new Error('nothing observed');
    return seen;
  };

  it('takes the backlog as it was seen last, and none where nobody looks', () => {
    expect(monitor.observe(10_000, [], parameters)).to.not.have.property('backlog');
    const backlog = { jobs: 1, events: 5, age: 200 };
    const traffic = { take: () => ({ traffic: NO_TRAFFIC, responseTimes: times }) };
    const looking = new Monitor({ latest: () => undefined, forget: () => undefined }, traffic, () => backlog);
    expect(looking.observe(10_000, [], parameters).backlog).to.equal(backlog);
  });

  it('takes one sample a period from the agent, and a repeated one for none', () => {
    report = { at: 10_000, cpu: 40 };
    expect(look(10_000)).to.deep.include({ cpu: [40], source: 'agent' });
    expect(look(20_000).cpu).to.deep.equal([40]);
    report = { at: 30_000, cpu: 60 };
    expect(look(30_000)).to.deep.include({
      cpu: [60, 40],
      latest: { at: 30_000, cpu: 60, memory: 1, networkIn: 2, networkOut: 3 },
    });
  });

  it('goes to the provider when the agent has been silent for more than two periods, and back', () => {
    report = { at: 10_000, cpu: 40 };
    look(10_000);
    const withProvider = (now: number) => look(now, { vm, monitoring: { at: now - 1_000, cpu: 70 } });
    expect(withProvider(30_000)).to.deep.include({ cpu: [40], source: 'agent' });
    expect(withProvider(30_001)).to.deep.include({ cpu: [70, 40], source: 'provider' });
    report = { at: 40_000, cpu: 50 };
    expect(withProvider(40_000)).to.deep.include({ cpu: [50, 70, 40], source: 'agent' });
  });

  it('calls a VM dark when agent and provider are silent', () => {
    expect(look(20_000).source).to.equal('agent');
    expect(look(20_001).source).to.equal('none');
    expect(look(200_000, { vm, monitoring: { at: 10_000, cpu: 70 } }).source).to.equal('none');
  });

  it('holds the last response time in a period without requests', () => {
    expect(look(10_000).responseTime).to.deep.equal([]);
    times.set('a', 120);
    look(20_000);
    times.clear();
    expect(look(30_000).responseTime).to.deep.equal([120, 120]);
  });

  it('clamps the CPU and forgets VMs that are gone', () => {
    report = { at: 10_000, cpu: 140 };
    expect(look(10_000).cpu).to.deep.equal([100]);
    monitor.observe(20_000, [], parameters);
    expect(forgotten).to.deep.equal(['a']);
  });

  it('asks the gateway for the sample that is set', () => {
    const asked: string[] = [];
    const traffic: TrafficSource = {
      take: (_now, sample) => {
        asked.push(sample);
        return { traffic: NO_TRAFFIC, responseTimes: times };
      },
    };
    const asking = new Monitor({ latest: () => undefined, forget: () => undefined }, traffic);
    for (const responseSample of ['mean', 'last'] as const)
      asking.observe(10_000, [], { ...parameters, responseSample });
    expect(asked).to.deep.equal(['mean', 'last']);
  });

  it('follows a changed window', () => {
    for (const at of [10_000, 20_000, 30_000, 40_000]) {
      report = { at, cpu: at / 1000 };
      look(at);
    }
    expect(monitor.observe(40_000, [{ vm }], { ...parameters, window: 2 }).vms[0]?.cpu).to.deep.equal([40, 30]);
  });
});
