import { expect } from 'chai';
import { periodView, shortened } from '../../../src/loop/view.ts';
import { ScriptedSource, vm } from '../admin/scripted-source.ts';

describe('view of the manager', () => {
  it('join what the manager knows of a VM with what the gateway sees of it', () => {
    const source = new ScriptedSource();
    source.fleet = [vm('vm-1', 'ready'), vm('vm-2', 'pending', 'booting')];
    source.play(55.5, { deltaTp: -3, tp: 80 });
    const view = source.view();
    expect(view.counts).to.eql({ pending: 1, ready: 1, draining: 0, kept: 0, releasing: 0, failed: 0 });
    expect(view).to.include({ lp: 55.5, tp: 80, deltaTp: -3, group: 'mmeliot' });
    expect(view.vms[0]).to.include({ id: 'vm-1', lp: 55.5, cpu: 55.5, inFlight: 3, limit: 16, responseTime: 40 });
    expect(view.vms[1])
      .to.include({ id: 'vm-2', state: 'pending', note: 'booting' })
      .and.not.to.have.property('inFlight');
  });

  it('show why the gateway leaves a VM out', () => {
    const source = new ScriptedSource();
    source.gatewayVms = [{ id: 'vm-1', state: 'out', note: 'refused', inFlight: 0, limit: 1, responseTime: 0 }];
    expect(source.view().vms[0]).to.include({ state: 'ready', note: 'refused', out: true });
  });

  it('tell the backlog of the last period', () => {
    const source = new ScriptedSource();
    source.play(50);
    expect(source.view()).not.to.have.property('backlog');
    const [last] = source.records;
    if (last === undefined) throw new Error('nothing was recorded');
    const backlog = { jobs: 1, events: 5, age: 200 };
    source.records[0] = { ...last, observation: { ...last.observation, backlog } };
    expect(source.view()).to.have.property('backlog', backlog);
  });

  it('hold before the first period', () => {
    const view = new ScriptedSource().view();
    expect(view).not.to.have.any.keys('lp', 'tp', 'deltaTp');
    expect(view.vms[0]).to.include({ warming: false, dark: false });
  });

  it('keep of a large fleet what needs attention: first what is not ready, then the most loaded', () => {
    const source = new ScriptedSource();
    source.fleet = Array.from({ length: 1000 }, (_, i) => vm(`vm-${i}`, i === 700 ? 'failed' : 'ready'));
    source.play(50);
    const forecast = { vms: source.fleet.map(({ id }, i) => ({ id, lp: i / 20, tp: 1, warming: false, dark: false })) };
    source.records[0] = { ...source.records[0]!, forecast };
    const view = shortened(source.view(), 3);
    expect(view.vms.map(({ id }) => id)).to.eql(['vm-700', 'vm-999', 'vm-998']);
    expect(view.counts).to.include({ ready: 999, failed: 1 });
  });

  it('lets nothing out that it does not declare', () => {
    const source = new ScriptedSource();
    const inner = { ...vm('vm-1', 'ready'), mark: 'a secret of ours' };
    source.fleet = [inner];
    const atGateway = { id: 'vm-1', state: 'ready', inFlight: 1, limit: 2, responseTime: 3, tunnels: 9 } as const;
    source.gatewayVms = [atGateway];
    source.play(50);
    expect(source.view().vms[0]).to.have.all.keys(
      ...['id', 'state', 'since', 'address', 'lp', 'tp', 'cpu', 'warming', 'dark', 'inFlight', 'limit', 'responseTime'],
    );
  });

  it('make a period small, with what failed in it and two classes of requests', () => {
    const source = new ScriptedSource();
    source.fleet = [vm('vm-1', 'ready'), vm('vm-2', 'pending')];
    source.play(75, { action: 'allocate', failed: 'no host has room', lost: 4 });
    const view = periodView(source.records[0]!);
    expect(view).to.include({ action: 'allocate', count: 1, rule: 'above-high', ready: 1, vms: 2, lp: 75, lost: 4 });
    expect(view.outcome).to.eql([
      { step: 'allocate', vm: 'vm-2', ok: false, durationMs: 1200, message: 'no host has room' },
    ]);
    expect(JSON.stringify(view).length).to.be.lessThan(1200);
  });
});
