// A node where its machine is out of order: a full disk, a clock that is wrong, other languages, two managers, a restart while workers run.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { isAlive } from '../../src/act/local/process-info.ts';
import { packed } from '../../src/manager/node-environment.ts';
import { identityOf } from '../../src/manager/own-keys.ts';
import { createDoor, nodeName, type Door } from '../../src/node/door.ts';
import { newOrderKey, type OrderKey } from '../../src/node/signed-orders.ts';
import type { NodeReport, Order } from '../../src/packing/orders.ts';
import { groupCertificate } from '../../src/tls/group.ts';
import { PROGRAM, startProgram, temporaryFolder, type Program } from '../helpers/mmeliot.ts';
import { until } from '../helpers/until.ts';

const SECRET = 'the group';
const MARK = 'node-1';

/** What goes wrong, in words; `no error` where nothing does. */
const thrownBy = (work: Promise<unknown>): Promise<string> => work.then(() => 'no error', String);

describe('a node whose machine is out of order', function () {
  this.timeout(90_000);
  const folder = temporaryFolder();
  let keys: OrderKey[];
  let door: Door;
  let program: Program;
  let port: number;
  const doors: Door[] = [];

  const openDoor = (its: () => readonly OrderKey[], aheadMs = 0): Door => {
    const made = createDoor({ secret: SECRET, keys: its, now: () => Date.now() + aheadMs });
    doors.push(made);
    return made;
  };
  /** `inside`: a shell's command that becomes the node. */
  const start = async (name: string, env: NodeJS.ProcessEnv = {}, inside?: string): Promise<void> => {
    const certificate = groupCertificate(SECRET, nodeName(MARK), Date.now());
    const identity = { mark: MARK, trusted: keys.map((key) => key.public), certificate, quota: 'signals' } as const;
    const told = {
      ...{ MMELIOT_NODE: packed(identity), MMELIOT_LISTEN: '127.0.0.1:0', STATE_DIRECTORY: join(folder.path, name) },
      NODE_COMPILE_CACHE: join(folder.path, 'cache'),
      ...env,
    };
    program =
      inside === undefined
        ? startProgram(['node'], { env: told })
        : startProgram(['-rm', 'sh', '-c', inside], { program: 'unshare', env: told });
    port = Number((await program.says(/"port":(\d+)/))[1]);
  };
  const ask = (order: Order, by = door): Promise<NodeReport> =>
    by.ask({ mark: MARK, address: { host: '127.0.0.1', port } }, order);
  const worker = (mark: string) => ({
    ...{ mark, id: `w-${mark}`, size: { cpu: 0.9, memoryBytes: 0 }, key: 'first' },
    environment: {
      ...identityAsTold(),
      ...{ MMELIOT_GROUP: 'g', MMELIOT_REPORT_EVERY: '10000', MMELIOT_LISTEN: '127.0.0.1:0' },
      MMELIOT_REPOSITORY_URL: `sqlite://${join(folder.path, `${mark}.db`)}`,
    },
  });
  const identityAsTold = (): Record<string, string> => ({ MMELIOT_IDENTITY: packed(identityOf(SECRET)) });
  const listed = async (mark: string) => (await ask({ what: 'report' })).workers.find((one) => one.mark === mark);
  const running = (mark: string) =>
    until(`${mark} runs`, async () => {
      const one = await listed(mark);
      return one?.state === 'running' ? one.port : undefined;
    });
  const gone = (mark: string) => until(`${mark} is gone`, async () => (await listed(mark)) === undefined);

  beforeEach(() => {
    keys = [newOrderKey()];
    door = openDoor(() => keys);
  });
  afterEach(async () => {
    await Promise.all(doors.splice(0).map((one) => one.close()));
    await program.stop();
  });
  after(() => folder.remove());

  it('says that its disk is full, lets run who runs, ends who is to end, obeys the next key, and starts others when there is room', async function () {
    const can = spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs -o size=64k tmpfs /mnt']).status === 0;
    if (!can) this.skip(); // nobody may mount a small disk here
    const disk = join(folder.path, 'small');
    mkdirSync(disk);
    const command = `mount -t tmpfs -o size=256k tmpfs '${disk}' && exec '${process.execPath}' '${PROGRAM}' node`;
    await start('small', {}, command);
    const seen = join('/proc', String(program.child.pid), 'root', disk);
    await ask({ what: 'start', worker: worker('a') });
    const its = await running('a');
    const filler = join(seen, 'filler');
    expect(() => writeFileSync(filler, Buffer.alloc(1_000_000))).to.throw(/ENOSPC/);

    const refusal = await thrownBy(ask({ what: 'start', worker: worker('b') }));
    expect(refusal).to.match(/The node could not do it: the disk is full .* make room there\.$/);
    expect((await ask({ what: 'report' })).workers.map(({ mark, state }) => [mark, state])).to.deep.equal([
      ['a', 'running'],
    ]);
    expect((await fetch(`http://127.0.0.1:${its}/ready`)).status).to.equal(200);
    expect(await thrownBy(ask({ what: 'rekey', mark: 'a', key: 'second' }))).to.contain('the disk is full');
    expect(readFileSync(join(seen, 'keys', 'a.key'), 'utf8')).to.equal('first');
    keys = [...keys, newOrderKey()];
    await ask({ what: 'report' });
    const former = openDoor(() => keys.slice(0, 1));
    expect(await thrownBy(ask({ what: 'report' }, former))).to.contain('signed by nobody');
    await ask({ what: 'stop', mark: 'a' });
    await gone('a');

    rmSync(filler);
    await ask({ what: 'start', worker: worker('b') });
    await running('b');
    const kept = JSON.parse(readFileSync(join(seen, 'trusted.json'), 'utf8')) as unknown;
    expect(kept).to.deep.equal([keys[1]?.public]);
  });

  for (const aheadMs of [-3_600_000, 3_600_000])
    it(`refuses orders of a manager whose clock is an hour ${aheadMs < 0 ? 'behind' : 'ahead'}, and says which way and how far`, async () => {
      await start('clock');
      const apart = openDoor(() => keys, aheadMs);
      const said = await thrownBy(ask({ what: 'start', worker: worker('a') }, apart));
      expect(said).to.contain('compare the clocks');
      expect(said).to.match(
        aheadMs < 0 ? /is 3600 s ahead of this machine's\.$/ : /is 3600 s behind this machine's\.$/,
      );
      const { workers, refused } = await ask({ what: 'report' });
      expect([workers, refused.old]).to.deep.equal([[], 1]);
    });

  it('carries the same workers under another language', async () => {
    await start('language', { LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', LANGUAGE: 'tr' });
    await ask({ what: 'start', worker: worker('I.i') });
    await running('I.i');
    const { workers } = await ask({ what: 'report' });
    expect(workers.map(({ mark, id, size }) => ({ mark, id, cpu: size.cpu }))).to.deep.equal([
      { mark: 'I.i', id: 'w-I.i', cpu: 0.9 },
    ]);
    await ask({ what: 'stop', mark: 'I.i' });
    await gone('I.i');
  });

  it('starts one worker of a mark for two managers at once, and obeys only one of them once that has another key', async () => {
    await start('two');
    const other = openDoor(() => keys.slice(0, 1));
    const orders = [door, other, door, other].map((by) => ask({ what: 'start', worker: worker('a') }, by));
    const reports = await Promise.all(orders);
    expect(reports.map(({ workers }) => workers.map(({ mark }) => mark))).to.deep.equal(orders.map(() => ['a']));
    await running('a');
    await Promise.all([ask({ what: 'stop', mark: 'a' }), ask({ what: 'stop', mark: 'a' }, other)]);
    await gone('a');
    keys = [...keys, newOrderKey()];
    await Promise.all([ask({ what: 'report' }), ask({ what: 'report' })]);
    expect(await thrownBy(ask({ what: 'start', worker: worker('b') }, other))).to.contain('signed by nobody');
    expect(await listed('b')).to.equal(undefined);
  });

  it('that is killed and comes back while its workers run sees them end, and carries others', async () => {
    await start('again');
    await ask({ what: 'start', worker: worker('a') });
    await running('a');
    const told = join(folder.path, 'again', 'workers', 'vm-1', 'vm.json');
    const { pid } = (JSON.parse(readFileSync(told, 'utf8')) as { process: { pid: number } }).process;
    await program.kill();
    await start('again');
    await ask({ what: 'start', worker: worker('b') });
    await running('b');
    await until('the worker of before has ended with its node', () => !isAlive(pid));
    const one = await listed('a');
    expect(one?.state).to.equal('failed');
    await ask({ what: 'stop', mark: 'a' });
    await gone('a');
    expect((await listed('b'))?.state).to.equal('running');
  });
});
