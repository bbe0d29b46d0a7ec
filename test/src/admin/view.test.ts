import { expect } from 'chai';
import { periodView, stateView } from '../../../src/admin/view.ts';
import { ScriptedSource, vm } from './scripted-source.ts';

describe('admin views', () => {
  it('join what the manager knows of a VM with what the gateway sees of it', () => {
    const source = new ScriptedSource();
    source.fleet = [vm('vm-1', 'ready'), vm('vm-2', 'pending', 'booting')];
    source.play(55.5, { deltaTp: -3, tp: 80 });
    const view = stateView(source.state());
    expect(view.counts).to.eql({ pending: 1, ready: 1, draining: 0, releasing: 0, failed: 0 });
    expect(view).to.include({ lp: 55.5, tp: 80, deltaTp: -3, group: 'mmeliot' });
    expect(view.vms[0]).to.include({ id: 'vm-1', lp: 55.5, cpu: 55.5, inFlight: 3, limit: 16, responseTime: 40 });
    expect(view.vms[1])
      .to.include({ id: 'vm-2', state: 'pending', note: 'booting' })
      .and.not.to.have.property('inFlight');
  });

  it('show why the gateway leaves a VM out', () => {
    const state = new ScriptedSource().state();
    const gatewayVms = [{ id: 'vm-1', state: 'out', note: 'refused', inFlight: 0, limit: 1, responseTime: 0 }] as const;
    expect(stateView({ ...state, gatewayVms }).vms[0]).to.include({ state: 'ready', note: 'refused' });
  });

  it('tell the backlog of the last period', () => {
    const source = new ScriptedSource();
    source.play(50);
    const state = source.state();
    expect(stateView(state)).not.to.have.property('backlog');
    const [last] = source.records;
    if (last === undefined) throw new Error('nothing was recorded');
    const backlog = { jobs: 1, events: 5, age: 200 };
    const seen = { ...last, observation: { ...last.observation, backlog } };
    expect(stateView({ ...state, last: seen })).to.have.property('backlog', backlog);
  });

  it('hold before the first period', () => {
    const view = stateView(new ScriptedSource().state());
    expect(view).not.to.have.any.keys('lp', 'tp', 'deltaTp');
    expect(view.vms[0]).to.include({ warming: false, dark: false });
  });

  it('keep of a large fleet what needs attention: first what is not ready, then the most loaded', () => {
    const source = new ScriptedSource();
    source.fleet = Array.from({ length: 1000 }, (_, i) => vm(`vm-${i}`, i === 700 ? 'failed' : 'ready'));
    source.play(50);
    const state = source.state();
    const forecast = { vms: source.fleet.map(({ id }, i) => ({ id, lp: i / 20, tp: 1, warming: false, dark: false })) };
    const view = stateView({ ...state, last: { ...source.records[0]!, forecast } }, 3);
    expect(view.vms.map(({ id }) => id)).to.eql(['vm-700', 'vm-999', 'vm-998']);
    expect(view.counts).to.include({ ready: 999, failed: 1 });
  });

  it('make a period small, with what failed in it', () => {
    const source = new ScriptedSource();
    source.fleet = [vm('vm-1', 'ready'), vm('vm-2', 'pending')];
    source.play(75, { action: 'allocate', failed: 'no host has room', lost: 4 });
    const view = periodView(source.records[0]!);
    expect(view).to.include({ action: 'allocate', count: 1, rule: 'above-high', ready: 1, vms: 2, lp: 75, lost: 4 });
    expect(view.outcome).to.eql([
      { step: 'allocate', vm: 'vm-2', ok: false, durationMs: 1200, message: 'no host has room' },
    ]);
    expect(JSON.stringify(view).length).to.be.lessThan(600);
  });
});
