import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { mountPoint, ownCgroup } from '../../src/act/local/cgroup-mounts.ts';
import { openCpuQuota } from '../../src/act/local/cpu-quota.ts';
import { LocalProvider, type LocalVm } from '../../src/act/local/local-provider.ts';
import { cpuTimeMs, isAlive } from '../../src/act/local/process-info.ts';
import { onlyOffer, type ProvidedVm } from '../../src/act/provider.ts';
import { movedByHand } from '../helpers/toy-market.ts';
import { until } from '../helpers/until.ts';
import { providerContract } from '../src/act/provider-contract.ts';

const program = join(import.meta.dirname, '../helpers/tiny-vm.ts');

const commandOf =
  (mode: string) =>
  ({ id, addressFile, environment }: Pick<LocalVm, 'id' | 'addressFile' | 'environment'>) => ({
    program: process.execPath,
    args: ['--no-warnings', program, addressFile, mode],
    env: { ...environment, MMELIOT_VM_ID: id },
  });

providerContract(
  'local',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mmeliot-local-'));
    const file = join(folder, 'market.json');
    const pidOf = (id: string) =>
      (JSON.parse(readFileSync(join(folder, id, 'vm.json'), 'utf8')) as { process: { pid: number } }).process.pid;
    const market = movedByHand(
      (next) => writeFileSync(file, JSON.stringify(next)),
      (vm) => process.kill(pidOf(vm), 'SIGKILL'),
    );
    const options = {
      folder,
      market: file,
      name: `mmeliot-test-${process.pid}-contract`,
      cpu: 0.5,
      quota: 'auto',
      killAfterMs: 500,
      command: commandOf(''),
    } as const;
    const providers = [new LocalProvider(options)];
    const [provider] = providers as [LocalProvider];
    return {
      provider,
      market,
      successor: async () => {
        const next = new LocalProvider(options);
        providers.push(next);
        return next;
      },
      stop: async () => {
        for (const { id } of await provider.list()) await provider.release(id);
        for (const one of providers) await one.close();
        rmSync(folder, { recursive: true });
      },
    };
  },
  { hasMarket: true },
);

describe('local provider', function () {
  this.timeout(60_000);
  const root = mkdtempSync(join(tmpdir(), 'mmeliot-local-'));
  const opened: LocalProvider[] = [];
  let number = 0;

  const open = (mode = '', quota: 'auto' | 'signals' = 'auto', folder = join(root, String(++number)), more = {}) => {
    const provider = new LocalProvider({
      folder,
      name: `mmeliot-test-${process.pid}-${number}`,
      cpu: 0.25,
      quota,
      killAfterMs: 500,
      command: commandOf(mode),
      ...more,
    });
    opened.push(provider);
    return { provider, folder };
  };
  const seen = (provider: LocalProvider, id: string, state: ProvidedVm['state']) =>
    until(`${id} is ${state}`, async () => (await provider.list()).find((vm) => vm.id === id && vm.state === state));
  const memory = mountPoint('cgroup', 'memory') ?? '/none';
  const ofMemory = [
    memory,
    join(
      memory,
      ownCgroup((controllers) => controllers.split(',').includes('memory')),
    ),
  ];
  /** Whatever is left of ours below any cgroup root. */
  const cgroups = () =>
    ['/sys/fs/cgroup', '/sys/fs/cgroup/cpu', '/sys/fs/cgroup/unified', ...ofMemory].flatMap((root) =>
      existsSync(root) ? readdirSync(root).filter((name) => name.startsWith(`mmeliot-test-${process.pid}`)) : [],
    );
  const pidOf = (folder: string, id: string) =>
    (JSON.parse(readFileSync(join(folder, id, 'vm.json'), 'utf8')) as { process: { pid: number } }).process.pid;

  afterEach(async () => {
    for (const provider of opened.splice(0)) {
      for (const { id } of await provider.list()) await provider.release(id);
      await provider.close();
    }
    expect(cgroups()).to.deep.equal([]);
  });
  after(() => rmSync(root, { recursive: true }));

  it('runs a VM until it is released and leaves nothing behind', async () => {
    const { provider, folder } = open();
    const id = await provider.allocate({ mark: 'a' });
    const { address, mark } = await seen(provider, id, 'running');
    expect(mark).to.equal('a');
    expect(await (await fetch(`http://${address?.host}:${address?.port}`)).text()).to.equal(id);
    const pid = pidOf(folder, id);
    await provider.release(id);
    await until('it is gone', async () => (await provider.list()).length === 0);
    expect(isAlive(pid)).to.equal(false);
    await provider.settled();
    expect(readdirSync(folder)).to.deep.equal(['last-id.json']);
  });

  it('leaves nothing behind where it never had a VM', async () => {
    const { provider } = open();
    expect(await provider.list()).to.deep.equal([]); // and its groups are looked for behind each test
  });

  it('makes no cgroup for memory before a VM has a limit, so that who is killed leaves none', () => {
    open();
    const found = ofMemory.flatMap((at) => (existsSync(at) ? readdirSync(at) : []));
    expect(found.filter((name) => name.startsWith(`mmeliot-test-${process.pid}`))).to.deep.equal([]);
  });

  it('makes one VM for one mark, however often and how fast it is asked', async () => {
    const { provider } = open();
    const ids = await Promise.all(['x', 'x', 'y', 'x'].map((mark) => provider.allocate({ mark })));
    expect(new Set(ids)).to.have.property('size', 2);
    expect(await provider.list()).to.have.length(2);
  });

  it('does not use a number twice', async () => {
    const { provider } = open();
    const first = await provider.allocate({ mark: 'a' });
    await provider.release(first);
    await until('it is gone', async () => (await provider.list()).length === 0);
    expect(await provider.allocate({ mark: 'b' })).to.not.equal(first);
  });

  it('says that a VM failed whose process ended', async () => {
    const { provider } = open('crash');
    const id = await provider.allocate({ mark: 'a' });
    const { note } = await seen(provider, id, 'failed');
    expect(note).to.equal('its process ended without a word');
  });

  it("tells a failed VM's last line, and keeps its log when it is released", async () => {
    const { provider, folder } = open('complain');
    const id = await provider.allocate({ mark: 'a' });
    const { note } = await seen(provider, id, 'failed');
    const kept = join(folder, 'ended', `${id}.log`);
    expect(note).to.equal(`its process ended and said last: Error: there is no reader (more in ${kept})`);
    expect(await provider.log?.(id)).to.include('there is no reader');
    expect(await provider.log?.('../../etc/passwd')).to.equal(undefined);
    await provider.release(id);
    await until('it is gone', async () => (await provider.list()).length === 0);
    expect(readFileSync(kept, 'utf8')).to.include('there is no reader');
  });

  it("bounds a running VM's log, which goes on after it", async () => {
    const { provider, folder } = open('chatty');
    const id = await provider.allocate({ mark: 'a' });
    await seen(provider, id, 'running');
    const log = join(folder, id, 'vm.log');
    await until('it was moved aside', async () => {
      await provider.list();
      return existsSync(`${log}.1`);
    });
    await until('it goes on', () => statSync(log).size > 0);
    expect(statSync(`${log}.1`).size).to.equal(256_000);
  });

  it('kills a VM that does not end when told to', async () => {
    const { provider, folder } = open('deaf');
    const id = await provider.allocate({ mark: 'a' });
    await seen(provider, id, 'running');
    const pid = pidOf(folder, id);
    await provider.release(id);
    await until('it is gone', async () => (await provider.list()).length === 0);
    expect(isAlive(pid)).to.equal(false);
  });

  it('finds its VMs again after its process was killed, and finishes the releases of before', async () => {
    const { provider, folder } = open();
    const kept = await provider.allocate({ mark: 'kept' });
    const leaving = await provider.allocate({ mark: 'leaving' });
    await seen(provider, kept, 'running');
    await seen(provider, leaving, 'running');
    writeFileSync(join(folder, leaving, 'releasing'), ''); // the crash came right after the mark was made
    const { provider: next } = open('', 'auto', folder);
    expect((await next.list()).map(({ id, state }) => [id, state])).to.have.deep.members([
      [kept, 'running'],
      [leaving, 'releasing'],
    ]);
    await until('the release is finished', async () => (await next.list()).length === 1);
    expect(await next.allocate({ mark: 'kept' })).to.equal(kept);
  });

  it('removes what is left of a VM by who was killed while it made or removed it', async () => {
    const folder = join(root, 'left');
    for (const name of ['.next', 'vm-7']) mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, '.next', 'vm.json.new'), '{"mark":');
    writeFileSync(join(folder, 'vm-7', 'vm.log'), 'the end');
    const { provider } = open('', 'auto', folder);
    expect(await provider.list()).to.deep.equal([]);
    expect(readdirSync(folder)).to.deep.equal(['.next']);
    const id = await provider.allocate({ mark: 'next' });
    expect(readdirSync(folder)).to.have.members([id, 'last-id.json']);
    await provider.release(id);
    await provider.settled();
    expect(readdirSync(folder)).to.have.members(['last-id.json']);
  });

  it('knows a VM whose folder somebody has removed, and ends it when it is released', async () => {
    const { provider, folder } = open();
    const id = await provider.allocate({ mark: 'a' });
    const { address } = await seen(provider, id, 'running');
    const pid = pidOf(folder, id);
    rmSync(folder, { recursive: true });
    expect((await seen(provider, id, 'running')).address).to.deep.equal(address);
    expect(await provider.allocate({ mark: 'a' })).to.equal(id);
    const other = await provider.allocate({ mark: 'b' });
    expect(other).to.equal(`vm-${Number(id.slice(3)) + 1}`);
    await provider.release(id);
    await until('it is gone', async () => (await provider.list()).every((vm) => vm.id !== id));
    expect(isAlive(pid)).to.equal(false);
    await seen(provider, other, 'running');
    process.kill(pidOf(folder, other), 'SIGKILL');
    rmSync(folder, { recursive: true });
    await until('of one that has ended, too, nothing is left', async () => (await provider.list()).length === 0);
  });

  it('lets a VM use in a later period what it has not used of one, where the kernel knows that, also when its share shrinks', async () => {
    const quota = openCpuQuota(`mmeliot-test-${process.pid}`, 'auto');
    const child = spawn('sleep', ['60']);
    try {
      for (const cores of [0.5, 0.1]) {
        quota.limit('vm', child.pid ?? NaN, cores);
        const read = (name: string): number =>
          parseInt(readFileSync(join(quota.folder?.('vm') ?? '', name), 'utf8'), 10);
        const known = [
          ['cpu.max.burst', 'cpu.max'],
          ['cpu.cfs_burst_us', 'cpu.cfs_quota_us'],
        ].find(([burst]) => existsSync(join(quota.folder?.('vm') ?? '', burst as string)));
        for (const [burst, share] of known ? [known] : [])
          expect(read(burst as string))
            .to.equal(read(share as string))
            .and.to.be.above(0);
      }
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
      quota.release('vm');
      quota.close();
    }
  });

  it('weighs each of its VMs as a process of the machine, where there are cgroups', async () => {
    const quota = openCpuQuota(`mmeliot-test-${process.pid}`, 'auto');
    const children = ['one', 'two', 'three'].map((vm) => ({ vm, child: spawn('sleep', ['60']) }));
    const weight = (): number | undefined => {
      const all = join(quota.folder?.('one') ?? '', '..');
      for (const [file, ofProcess] of [
        ['cpu.weight', 100],
        ['cpu.shares', 1024],
      ] as const)
        if (existsSync(join(all, file))) return Number(readFileSync(join(all, file), 'utf8')) / ofProcess;
      return undefined;
    };
    const seenWeights: (number | undefined)[] = [];
    try {
      for (const { vm, child } of children) {
        quota.limit(vm, child.pid ?? NaN, 0.1);
        seenWeights.push(weight());
      }
    } finally {
      for (const { vm, child } of children.reverse()) {
        child.kill('SIGKILL');
        await once(child, 'exit');
        quota.release(vm);
        if (vm !== 'one') seenWeights.push(weight());
      }
      quota.close();
    }
    expect(seenWeights).to.deep.equal(quota.kind === 'signals' ? Array(5).fill(undefined) : [1, 2, 3, 2, 1]);
  });

  for (const quota of ['auto', 'signals'] as const) {
    it(`limits a busy VM to its share of a core (${quota})`, async () => {
      const { provider, folder } = open('busy', quota);
      const id = await provider.allocate({ mark: 'a' });
      await seen(provider, id, 'running');
      const pid = pidOf(folder, id);
      const before = { at: performance.now(), cpu: cpuTimeMs(pid) ?? NaN };
      await until('it has burnt CPU for a while', () => performance.now() - before.at > 1500);
      const share = ((cpuTimeMs(pid) ?? NaN) - before.cpu) / (performance.now() - before.at);
      expect(share).to.be.greaterThan(0.02).and.lessThan(0.35);
    });

    it(`ends a VM that takes more memory than it may have, and no other (${quota})`, async () => {
      const { provider, folder } = open('hungry', quota, undefined, { anySize: true });
      const sized = (mark: string, memoryBytes: number) => {
        const offer = { ...onlyOffer('sized'), size: { name: 'sized', vcpu: 1, memoryBytes } };
        return provider.allocate({ mark, offer, environment: { TOLD: mark } });
      };
      const [small, large] = await Promise.all([sized('a', 200 * 2 ** 20), sized('b', 2 ** 40)]);
      expect(readFileSync(`/proc/${pidOf(folder, large)}/environ`, 'utf8')).to.contain('TOLD=b');
      await seen(provider, small, 'failed');
      await seen(provider, large, 'running');
      for (const id of [small, large]) await provider.release(id);
      await provider.settled();
    });
  }

  it('monitors the CPU of its VMs', async () => {
    const { provider } = open('busy');
    const id = await provider.allocate({ mark: 'a' });
    await seen(provider, id, 'running');
    const monitoring = await until('it was measured', async () => (await provider.list())[0]?.monitoring);
    expect(monitoring.cpu).to.be.greaterThan(5).and.at.most(100);
  });
});
