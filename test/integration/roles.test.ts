// A group with roles, as a user has it: VMs for clients, and VMs for stored work that are there while there is some.
import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJournal } from '../../src/manager/journal-file.ts';
import { mmeliot, startProgram, startSystem, temporaryFolder, type System } from '../helpers/mmeliot.ts';
import { until } from '../helpers/until.ts';
import { eventsDocument } from '../helpers/work-faults.ts';

interface Job {
  readonly running: boolean;
  readonly success: boolean;
  readonly class?: string;
  readonly place?: number;
  readonly progress?: { readonly captured: number; readonly events: number };
}

describe('a group with roles', function () {
  this.timeout(180_000);
  const folder = temporaryFolder();
  const market = join(folder.path, 'market.json');
  const settings = [
    ...[`local.market=${market}`, 'elasticity.period=500ms', 'elasticity.max=2', 'manager.releaseWithin=20s'],
  ];
  const roles = 'roles={work: {max: 2, vcpu: 1.5, policyParameters: {by: literal, grace: 3s}}}';
  let system: System;
  before(async () => {
    const offers = [
      { pool: 'here/small', price: 1, cpu: 1 },
      { pool: 'here/large', price: 2, cpu: 1.5 },
    ];
    writeFileSync(market, JSON.stringify({ offers }));
    system = await startSystem(folder.path, ...settings, roles);
  });
  after(async () => {
    await system.stop();
    folder.remove();
  });

  const submit = async (name: string): Promise<string> => {
    const headers = { 'content-type': 'application/xml', 'GS1-EPCIS-Version': '2.0' };
    const body = eventsDocument(name, 200).replace('schemaVersion="1.2"', 'schemaVersion="2.0"');
    const xml = body.replace('urn:epcglobal:epcis:xsd:1', 'urn:epcglobal:epcis:xsd:2');
    const answer = await fetch(new URL('capture', system.gateway), { method: 'POST', headers, body: xml });
    expect(answer.status, await answer.text()).to.equal(202);
    return answer.headers.get('location') ?? '';
  };
  const job = async (url: string): Promise<Job> =>
    (await (await fetch(new URL(url, system.gateway), { headers: { accept: 'application/json' } })).json()) as Job;
  const finished = (url: string): Promise<Job> =>
    until(
      'the job is finished',
      async () => {
        const now = await job(url);
        return now.running ? undefined : now;
      },
      60_000,
    );

  it('has no VM for stored work until there is some, and none again afterwards', async () => {
    expect((await system.state()).work).to.include({ role: 'work' });
    expect((await system.state()).work?.vms).to.deep.equal([]);
    const told = startProgram(['events', '--follow', '--admin', system.admin], { cwd: folder.path });
    const url = await submit('one');
    const waiting = await job(url);
    expect(waiting).to.deep.include({
      running: true,
      class: 'normal',
      place: 1,
      progress: { captured: 0, events: 200 },
    });

    const shown = await until('the page shows it', async () => (await system.state()).jobs?.[0]);
    expect(shown).to.deep.include({ running: false, class: 'normal', progress: { captured: 0, events: 200 } });

    const worker = await until(
      'a VM for it is ready',
      async () => (await system.state()).work?.vms.find(({ state }) => state === 'ready'),
      60_000,
    );
    const answer = await fetch(`http://${worker.address?.host}:${worker.address?.port}/events`);
    expect(answer.status, 'clients are not served there').to.equal(404);
    expect(await finished(url)).to.deep.include({ success: true, progress: { captured: 200, events: 200 } });
    const { vms } = await system.state();
    expect(vms.map(({ id }) => id)).to.not.include(worker.id);
    expect(worker.offer?.size.name, 'a VM size of its own').to.equal('large');
    expect(new Set(vms.map(({ offer }) => offer?.size.name))).to.deep.equal(new Set(['small']));

    const explained = await mmeliot('explain', '--role', 'work', '--admin', system.admin);
    expect(explained.output).to.include('policy backlog');
    await until('no VM for stored work', async () => (await system.state()).work?.vms.length === 0, 30_000);
    await told.says(/decision +stored work: allocate 1: backlog: 1 job waits or runs; 1 VM wanted, 0 there\./);
    await told.says(/decision +stored work: release 1/);
    await told.stop();
    const happened = (await mmeliot('events', '--admin', system.admin)).output;
    expect(happened.match(/stored work: (allocate|release) 1/g)).to.deep.equal([
      'stored work: allocate 1',
      'stored work: release 1',
    ]);
    const otherwise = await mmeliot('preview', 'max=1', '--role', 'work', '--admin', system.admin);
    expect(otherwise.output, otherwise.output).to.match(/VMs allocated +1 +1/);
    const entries = await readJournal(join(folder.path, 'work'));
    const records = entries.flatMap((entry) => (entry.kind === 'period' ? [entry.record] : []));
    expect(new Set(records.map(({ role }) => role))).to.deep.equal(new Set(['work']));
    expect(new Set(records.map(({ decision }) => decision.action))).to.include.members(['allocate', 'release']);
    expect((await system.decisions())[0]).to.include({ role: 'query' });
  });

  it('is steered role by role', async () => {
    const set = (...args: string[]) => mmeliot('set', ...args, '--admin', system.admin);
    expect((await set('min=0')).output).to.include('min is 0: a whole number from 1');
    const warm = await set('--role', 'work', 'min=1');
    expect(warm, warm.output).to.include({ status: 0 });
    await until('one is there always', async () => (await system.state()).work?.counts.ready === 1, 60_000);
    const { work, parameters } = await system.state();
    expect([work?.parameters.min, parameters.policy, work?.parameters.policy]).to.deep.equal([1, 'mmeliot', 'backlog']);
    // the fleet may go on between the two looks
    const shown = await until('the list shows the one that is ready', async () => {
      const ready = (await system.state()).work?.vms.find(({ state }) => state === 'ready')?.id;
      const { output } = await mmeliot('vm', 'list', '--admin', system.admin);
      return ready !== undefined && output.includes(ready) && output;
    });
    expect(shown).to.include('For stored work');
    const status = await mmeliot('status', '--admin', system.admin);
    expect(status.output).to.match(/stored work +1 ready, 0 pending of 1 to 2 VMs, policy backlog/);
  });

  it('becomes a group in which every VM does both, without roles and with nothing lost', async () => {
    const before = await system.state();
    const url = await submit('left-over');
    await system.kill();
    system = await startSystem(folder.path, ...settings);
    expect((await system.state()).work).to.equal(undefined);
    const old = new Set([...before.vms, ...(before.work?.vms ?? [])].map(({ id }) => id));
    await until(
      'only VMs that do both',
      async () => {
        const { vms } = await system.state();
        return vms.some(({ state }) => state === 'ready') && vms.every(({ id }) => !old.has(id));
      },
      60_000,
    );
    const left = await finished(url);
    expect(left, JSON.stringify(left)).to.include({ success: true });
    const after = await finished(await submit('after'));
    expect(after, JSON.stringify(after)).to.include({ success: true });
  });
});
