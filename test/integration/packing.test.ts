// Workers on nodes of the local provider, as a user has them: roles on, while both kinds of load go on.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { FREE_PORTS, mmeliot, startSystem, temporaryFolder, type System } from '../helpers/mmeliot.ts';
import { until } from '../helpers/until.ts';
import { eventsDocument } from '../helpers/work-faults.ts';

describe('packing', function () {
  this.timeout(180_000);
  const folder = temporaryFolder();
  const packing = 'packing={worker: {cpu: 0.9, memory: 400MiB}, rotateKeys: 2s}';
  const settings = [
    ...['local.cpu=2', 'manager.releaseWithin=30s'],
    ...['elasticity={period: 500ms, min: 2, max: 4, drainDeadline: 1s}'],
    'roles={work: {max: 1, policyParameters: {by: literal, grace: 2s}}}',
  ];
  let system: System;
  let asking = true;
  const answers: number[] = [];
  before(async () => {
    system = await startSystem(folder.path, ...settings, packing);
  });
  after(() => {
    asking = false;
    folder.remove();
  });

  it('is refused at the start where what is kept of nodes is damaged', async () => {
    const { path, remove } = temporaryFolder();
    writeFileSync(join(path, 'packing.json'), '{"workers": [');
    const all = [`dataDir=${path}`, ...FREE_PORTS, ...settings, packing];
    const { status, output } = await mmeliot('up', ...all.flatMap((one) => ['--set', one]));
    remove();
    expect(status, output).to.equal(2);
    expect(output).to.match(/What is kept of nodes in \S+packing\.json cannot be read \(damaged\): put the file aside/);
  });

  const nodes = async () => (await system.state()).nodes?.list ?? [];
  const ready = async (count: number) => {
    const { vms } = await system.state();
    const all = vms.filter(({ state }) => state === 'ready');
    return all.length === count && vms.length === count ? all : undefined;
  };
  const submit = async (name: string): Promise<string> => {
    const headers = { 'content-type': 'application/xml', 'GS1-EPCIS-Version': '2.0' };
    const body = eventsDocument(name, 200).replace('schemaVersion="1.2"', 'schemaVersion="2.0"');
    const xml = body.replace('urn:epcglobal:epcis:xsd:1', 'urn:epcglobal:epcis:xsd:2');
    const answer = await fetch(new URL('capture', system.gateway), { method: 'POST', headers, body: xml });
    expect(answer.status).to.equal(202);
    return answer.headers.get('location') ?? '';
  };
  const succeeded = (url: string) =>
    until(
      'the job is done',
      async () => {
        const answer = await fetch(new URL(url, system.gateway), { headers: { accept: 'application/json' } });
        return ((await answer.json()) as { success?: boolean; running?: boolean }).running === false;
      },
      60_000,
    );
  const ask = async (): Promise<void> => {
    while (asking) {
      const answer = await fetch(new URL('events?perPage=1', system.gateway)).catch(() => undefined);
      await answer?.text();
      answers.push(answer?.status ?? 0);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

  it('puts two workers on a node, another one for stored work on a second node, and gives that back', async () => {
    await until('two serve', () => ready(2));
    const [first, ...more] = await nodes();
    expect(more).to.deep.equal([]);
    expect(first).to.include({ state: 'ready', vms: 2, cores: 2, used: 1.8 });
    const asked = ask();
    const url = await submit('packed');
    await until('there are two nodes', async () => (await nodes()).length === 2);
    await succeeded(url);
    const { output } = await mmeliot('vm', 'list', '--admin', system.admin);
    expect(output)
      .to.match(/^\s+VM\s+NODE/m)
      .and.to.match(/^\s+w-\w+\s+vm-1\s+ready/m);
    await until('the second node is given back', async () => (await nodes()).length === 1, 60_000);
    expect((await mmeliot('explain', '--admin', system.admin)).output).to.contain('1 node carries 2 VMs.');
    asking = false;
    await asked;
    expect(answers.length).to.be.greaterThan(10);
    expect(answers.filter((status) => status !== 200)).to.deep.equal([]);
  });

  it('has given workers and nodes other keys meanwhile, and no report was refused', async () => {
    const keys = () => readFileSync(join(folder.path, 'node-keys.json'), 'utf8');
    const before = keys();
    await until('there is another key', () => keys() !== before);
    const since = Date.now();
    await until('the VMs are heard', async () => {
      const { vms } = await system.state();
      return vms.length === 2 && vms.every(({ cpu }) => cpu !== undefined) && Date.now() - since > 1_000;
    });
    // on a machine that is busy a node may be silent for a moment
    const metrics = await until('one node is ready', async () => {
      const text = await (await fetch(`${system.admin}metrics`)).text();
      return /^mmeliot_nodes\{state="ready"\} 1$/m.test(text) ? text : undefined;
    });
    expect(metrics).to.contain('mmeliot_collector_datagrams_total{result="forged"} 0');
  });

  it('goes on after a kill of the manager with the workers that there are, and without a node with others', async () => {
    const before = (await system.state()).vms.map(({ id }) => id);
    await system.kill();
    system = await startSystem(folder.path, ...settings, packing);
    const after = await until('they serve', () => ready(2));
    expect(after.map(({ id }) => id)).to.have.members(before);
    const { process: node } = JSON.parse(readFileSync(join(folder.path, 'vms/vm-1/vm.json'), 'utf8')) as {
      process: { pid: number };
    };
    process.kill(node.pid, 'SIGKILL');
    const others = await until(
      'others serve',
      async () => {
        const serving = await ready(2);
        return serving?.every(({ id }) => !before.includes(id)) ? serving : undefined;
      },
      60_000,
    );
    expect(new Set(others.map((vm) => vm.node))).not.to.include('vm-1');
  });

  it('ends where it is turned off: others serve before its nodes are given back, and no request is lost', async () => {
    await system.kill();
    system = await startSystem(folder.path, ...settings);
    answers.length = 0;
    asking = true;
    const asked = ask();
    const isOver = async () =>
      (await ready(2))?.every(({ node }) => node === undefined) && (await nodes()).length === 0;
    await until('VMs with machines of their own serve, and there is no node', isOver, 60_000);
    asking = false;
    await asked;
    expect(answers.filter((status) => status !== 200)).to.deep.equal([]);
  });

  it('leaves no node and no worker when it ends', async () => {
    const { output, status } = await system.stop();
    expect(status, output).to.equal(0);
    const left = readdirSync(join(folder.path, 'vms')).filter((name) => name.startsWith('vm-'));
    expect(left).to.deep.equal([]);
    expect(existsSync(join(folder.path, 'packing.json'))).to.equal(true);
  });
});
