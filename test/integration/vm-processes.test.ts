// A VM of several cores: several service processes behind one port, and one VM to everybody else.
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import { isAlive } from '../../src/act/local/process-info.ts';
import { toEnvironment } from '../../src/manager/vm-environment.ts';
import { startCollector, type Collector } from '../../src/monitor/udp/collector.ts';
import { childrenOf } from '../helpers/children.ts';
import { temporaryFolder } from '../helpers/mmeliot.ts';
import { until } from '../helpers/until.ts';

const PROGRAM = join(import.meta.dirname, '../../src/cli/mmeliot.js');

describe('a VM of two cores', function () {
  this.timeout(60_000);
  const folder = temporaryFolder();
  const addressFile = join(folder.path, 'address.json');
  let vm: ChildProcess;
  let collector: Collector;
  let base: string;

  before(async () => {
    collector = await startCollector({ host: '127.0.0.1', port: 0, secret: 's', group: 'g' });
    const env = toEnvironment({
      ...{ id: 'vm-1', group: 'g', secret: 's', reportEvery: 200, collector: collector.address, addressFile, cpu: 2 },
      ...{ repositoryUrl: `sqlite://${folder.path}/epcis.db`, listen: { host: '127.0.0.1', port: 0 } },
    });
    vm = spawn(process.execPath, [PROGRAM, 'vm'], { stdio: 'ignore', env: { PATH: process.env['PATH'], ...env } });
    const read = () => JSON.parse(readFileSync(addressFile, 'utf8')) as { port: number; pid: number };
    const { port, pid } = await until(
      'it says where it listens',
      () => {
        try {
          return read();
        } catch {
          return undefined;
        }
      },
      40_000,
    );
    expect(pid).to.equal(vm.pid);
    base = `http://127.0.0.1:${port}`;
  });
  after(async () => {
    vm.kill('SIGKILL');
    await collector.close();
    folder.remove();
  });

  const processes = () => childrenOf(vm.pid ?? 0);
  const answers = async (count: number): Promise<number> => {
    let good = 0;
    for (let n = 0; n < count; n++) {
      // a connection each: they go to the processes in turn
      const answer = await fetch(`${base}/events`, { headers: { connection: 'close' } }).catch(() => undefined);
      if (answer?.status === 200) good += 1;
      await answer?.text();
    }
    return good;
  };

  it('serves by two processes, and is one VM to the manager', async () => {
    expect(processes()).to.have.length(2);
    expect(await answers(10)).to.equal(10);
    await until(
      'a load report of both',
      () => (collector.latest('vm-1')?.sample.networkOut ?? 0) > 0 || answers(1).then(() => false),
    );
  });

  it('goes on when one of them ends, and has another one', async () => {
    const [first = 0] = processes();
    process.kill(first, 'SIGKILL');
    const isReplaced = (): boolean => {
      const now = processes(); // once: between two looks it may end
      return now.length === 2 && !now.includes(first);
    };
    await until('another one', isReplaced, 20_000);
    await until('both serve', async () => (await answers(6)) === 6, 30_000);
  });

  it('lets nobody wait for one that was killed', async () => {
    const ask = () =>
      new Promise<void>((ended) => {
        const asked = request(`${base}/events`, { agent: false }, (answer) => answer.resume().on('close', ended));
        asked.on('error', () => ended()).end();
      });
    let done = false;
    const asking = Array.from({ length: 16 }, async () => {
      while (!done) await ask();
    });
    try {
      for (let n = 0; n < 3; n++) {
        const [first = 0] = processes();
        for (let asks = 0; asks < 100; asks++) await ask();
        process.kill(first, 'SIGKILL');
        await until('it has ended', () => !processes().includes(first), 10_000);
        await until('another one', () => processes().length === 2, 10_000);
      }
    } finally {
      done = true;
    }
    let isOver = false;
    void Promise.all(asking).then(() => (isOver = true));
    await until('each has been answered, or refused', () => isOver, 10_000);
  });

  it('ends as a whole', async () => {
    const all = processes();
    vm.kill('SIGTERM');
    await until('all have ended', () => all.every((pid) => !isAlive(pid)) && vm.exitCode !== null, 30_000);
    expect(vm.exitCode).to.equal(0);
  });
});
