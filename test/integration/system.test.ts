// The whole system as a user starts it: real gateway, manager and VMs with a CPU quota, real events, real load.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { runLoad } from '../../loadgen/cli.ts';
import { isAlive } from '../../src/act/local/process-info.ts';
import { FREE_PORTS, mmeliot, startSystem, temporaryFolder, type System } from '../helpers/mmeliot.ts';
import { until } from '../helpers/until.ts';

const run = promisify(execFile);

/** Short periods, so that hours of scaling fit into a minute. */
const FAST = ['elasticity.period=1s', 'elasticity.window=3', 'elasticity.max=3'];

const pidOf = (system: System, vm: string): number =>
  (JSON.parse(readFileSync(join(system.dataDir, 'vms', vm, 'vm.json'), 'utf8')) as { process: { pid: number } }).process
    .pid;

const ready = async (system: System, count: number, deadlineMs = 90_000) =>
  until(
    `${count} VMs are ready`,
    async () => {
      const { counts } = await system.state();
      return counts.ready === count && counts.pending + counts.draining + counts.releasing === 0;
    },
    deadlineMs,
  );

describe('the whole system', function () {
  this.timeout(240_000);
  const folders: ReturnType<typeof temporaryFolder>[] = [];
  let system: System | undefined;

  const folder = () => {
    const made = temporaryFolder();
    folders.push(made);
    return made.path;
  };
  const stop = async () => {
    const stopping = system;
    system = undefined;
    return stopping?.stop();
  };

  afterEach(stop);
  after(() => folders.forEach(({ remove }) => remove()));

  it('does what its summary says, keeps its data over a restart and leaves nothing running', async () => {
    const dataDir = folder();
    system = await startSystem(dataDir);
    const curls = system
      .output()
      .split('\n')
      .filter((line) => line.trim().startsWith('curl '));
    expect(curls).to.have.length(2);
    const [capture = '', query = ''] = curls;
    await run('bash', ['-c', capture]);
    expect((await run('bash', ['-c', query])).stdout).to.include('urn:epc:id:sgtin:0614141.107346.2018');

    const again = await mmeliot('up', '--set', `dataDir=${dataDir}`, ...FREE_PORTS.flatMap((one) => ['--set', one]));
    expect(again.status).to.equal(2);
    expect(again.output).to.match(/runs already/);

    const pid = pidOf(system, 'vm-1');
    const stopped = await stop();
    expect(stopped?.status).to.equal(0);
    expect(isAlive(pid)).to.equal(false);
    expect(existsSync(join(dataDir, 'lock'))).to.equal(false);
    expect(existsSync(join(dataDir, 'vms', 'vm-1'))).to.equal(false);

    system = await startSystem(dataDir);
    const restarted = query.replace(/http:\/\/127\.0\.0\.1:\d+/, system.gateway.replace(/\/$/, ''));
    expect((await run('bash', ['-c', restarted])).stdout).to.include('urn:epc:id:sgtin:0614141.107346.2018');
  });

  it('allocates under load, releases after it, and loses no request on the way', async () => {
    system = await startSystem(folder(), ...FAST);
    const load = new AbortController();
    const scaled = ready(system, 2).finally(() => load.abort());
    // a load that one VM can't carry and the queue can: requests wait, none is refused
    const phases = [];
    while (!load.signal.aborted) {
      phases.push(
        await runLoad({
          url: system.gateway,
          profile: 'constant',
          drive: 'closed',
          max: 12,
          thinkTime: 20,
          duration: 4_000,
        }),
      );
    }
    await scaled;
    const released = ready(system, 1);
    const calm = await runLoad({ url: system.gateway, profile: 'constant', max: 2, duration: 20_000 });
    await released;
    for (const { sent, ok, lost, notSent, lossByCause } of [...phases, calm]) {
      expect(lossByCause).to.deep.equal({});
      expect({ lost, notSent, ok }).to.deep.equal({ lost: 0, notSent: 0, ok: sent });
      expect(sent).to.be.greaterThan(0);
    }
  });

  it('survives kill -9 of a VM under load: no query lost, the VM replaced', async () => {
    system = await startSystem(folder(), ...FAST, 'elasticity.min=2');
    await ready(system, 2);
    const victim = (await system.state()).vms.find((vm) => vm.state === 'ready')?.id ?? '';
    const load = runLoad({
      url: system.gateway,
      profile: 'constant',
      drive: 'open',
      max: 20,
      duration: 12_000,
      mix: 'poll=1,rest=1',
    });
    await until('load has begun', async () => (await system?.state())?.traffic.arrivalRate !== 0);
    process.kill(pidOf(system, victim), 'SIGKILL');
    await until(
      'the VM was replaced',
      async () => {
        const { vms } = (await system?.state()) ?? { vms: [] };
        return vms.filter((vm) => vm.state === 'ready' && vm.id !== victim).length === 2;
      },
      60_000,
    );
    const { sent, ok, lossByCause } = await load;
    expect(lossByCause).to.deep.equal({});
    expect(ok).to.equal(sent).and.greaterThan(50);
  });

  it('adds a VM where accepted captures pile up, though no threshold asks for one', async () => {
    const only = ['elasticity.policy=eliot', 'elasticity.high=100', 'elasticity.longestBacklog=1s'];
    system = await startSystem(folder(), ...FAST, ...only);
    const { gateway, admin } = system;
    await until('the first VM is warm', async () => (await system?.state())?.vms[0]?.warming === false);
    const event = {
      type: 'ObjectEvent',
      eventTime: '2031-01-01T00:00:00Z',
      eventTimeZoneOffset: '+00:00',
      action: 'OBSERVE',
    };
    const eventList = Array.from({ length: 10_000 }, (_, i) => ({ ...event, epcList: [`urn:x:tag:${i}`] }));
    const answer = await fetch(new URL('capture', gateway), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'gs1-epcis-version': '2.0.0' },
      body: JSON.stringify({
        '@context': [],
        type: 'EPCISDocument',
        schemaVersion: '2.0',
        creationDate: event.eventTime,
        epcisBody: { eventList },
      }),
    });
    expect(answer.status).to.equal(202);
    const metric = async (name: string) => {
      const text = await (await fetch(new URL('metrics', admin))).text();
      return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
    };
    await until('the backlog is told', async () => (await metric('mmeliot_backlog_events')) === 10_000);
    await until('the backlog allocates', async () =>
      /mmeliot_decisions_total\{[^}]*action="allocate",rule="backlog"/.test(
        await (await fetch(new URL('metrics', admin))).text(),
      ),
    );
    await until('the work is done', async () => (await metric('mmeliot_backlog_jobs')) === 0, 90_000);
  });

  it('is tuned, explained and replayed from the command line, and keeps what was tuned over a restart', async () => {
    const dataDir = folder();
    system = await startSystem(dataDir, ...FAST);
    const { admin } = system;
    const command = (name: string, ...args: string[]) => mmeliot(name, ...args, '--admin', admin);

    const set = await command('set', 'high=81', 'period=900ms', '--json');
    expect(set).to.deep.include({ status: 0 });
    expect(JSON.parse(set.output)).to.deep.equal({ changed: { high: 81, period: '900ms' }, warnings: [] });
    const refused = await command('set', 'low=90');
    expect(refused.status).to.equal(2);
    expect(refused.output).to.match(/^mmeliot: .*low.*high/);

    await until('a period was decided with it', async () => (await system?.state())?.parameters.high === 81);
    const explained = await until('there is a decision', async () => {
      const { output } = await command('explain');
      return /policy mmeliot/.test(output) && output;
    });
    expect(explained)
      .to.match(/allocate/i)
      .and.match(/release/i);

    await stop();
    const replayed = await mmeliot('replay', dataDir);
    expect(replayed.output).to.match(/[1-9]\d* periods replayed, 0 decided differently/);
    const all = await mmeliot('replay', dataDir, '--all');
    expect(all.output, 'what no decision asked for').to.match(/allocate \S+: The fleet has a minimum of 1\./);
    const otherwise = await mmeliot('replay', dataDir, '--set', 'high=0', '--set', 'low=0');
    expect(otherwise.status).to.equal(0);
    expect((await command('explain')).output).to.match(/No mmeliot answers/);
    expect((await mmeliot('explain', '--admin', 'nowhere')).output).to.match(/a URL such as/);

    system = await startSystem(dataDir, ...FAST);
    expect((await system.state()).parameters).to.include({ high: 81, period: 900 });
  });

  it('says in one sentence what is wrong with its configuration, and exits with 2', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await until('a port is taken', () => taken.listening);
    const { port } = taken.address() as AddressInfo;
    const wrong: Record<string, [string[], RegExp]> = {
      'unknown key': [['gateway.prt=1'], /no setting gateway\.prt/],
      'low above high': [['elasticity.low=80'], /low/],
      'port taken': [[...FREE_PORTS, `gateway.port=${port}`], new RegExp(`${port}`)],
      'admin port taken': [[...FREE_PORTS, `admin.port=${port}`], new RegExp(`${port}`)],
      'unreachable database': [[...FREE_PORTS, 'repository.url=mysql://u:hush@127.0.0.1:1/db'], /127\.0\.0\.1/],
      'bad repository URL': [['repository.url=postgres://x'], /repository/i],
    };
    for (const [what, [settings, sentence]] of Object.entries(wrong)) {
      const { status, output } = await mmeliot(
        'up',
        ...[`dataDir=${folder()}`, ...settings].flatMap((one) => ['--set', one]),
      );
      expect(status, `${what}: ${output}`).to.equal(2);
      const complaint = output.split('\n').filter((line) => line.startsWith('mmeliot: '));
      expect(complaint, what).to.have.length(1);
      expect(complaint[0], what).to.match(sentence).and.not.include('hush');
      expect(output, what).to.not.match(/\n\s+at .*:\d+/);
    }
    taken.close();
  });
});
