// The real control loop and the real gateway on a toy market of processes, under steady load, while the market takes
// VMs away: one, two at a time, a whole pool, without notice.
import { expect } from 'chai';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalProvider } from '../../src/act/local/local-provider.ts';
import type { Gateway } from '../../src/balance/core/contract.ts';
import { DEFAULT_PARAMETERS } from '../../src/decide/parameters.ts';
import { createControlLoop, type ControlLoop } from '../../src/loop/control-loop.ts';
import { AskingClients } from '../helpers/asking-clients.ts';
import { Bench } from '../helpers/gateway.ts';
import { LoopParts } from '../helpers/loop-parts.ts';
import { until } from '../helpers/until.ts';

const NEEDED = 4;
const NOTICE_MS = 20_000;
const OFFERS = [
  { pool: 'a', market: 'on-demand', price: 0.067 },
  ...['a', 'b', 'c'].map((pool, i) => ({ pool, market: 'interruptible', price: 0.009 + i / 1000 })),
];

describe('a fleet whose VMs are taken away', function () {
  this.timeout(120_000);
  const folder = mkdtempSync(join(tmpdir(), 'mmeliot-markets-'));
  const market = join(folder, 'market.json');
  const bench = new Bench();
  const provider = new LocalProvider({
    folder: join(folder, 'vms'),
    ...{ name: `mmeliot-test-${process.pid}-markets`, cpu: 0.25, quota: 'signals', market, killAfterMs: 1_000 },
    command: ({ id, addressFile }) => ({
      program: process.execPath,
      args: ['--no-warnings', join(import.meta.dirname, '../helpers/tiny-vm.ts'), addressFile],
      env: { MMELIOT_VM_ID: id },
    }),
  });
  let gateway: Gateway;
  let loop: ControlLoop;
  let clients: AskingClients;
  const parts = new LoopParts();
  /** Fewest VMs that took requests at once. */
  let fewest = Infinity;
  let watching: NodeJS.Timeout;

  const setMarket = (notices: Readonly<Record<string, number>> = {}) =>
    writeFileSync(market, JSON.stringify({ offers: OFFERS, notices }));
  const start = async () => {
    loop = createControlLoop({
      ...parts.forNext(),
      ...{ provider, gateway },
      parameters: {
        ...{ ...DEFAULT_PARAMETERS, min: NEEDED, max: 8, period: 1_000, drainDeadline: 2_000 },
        ...{ spotShare: 100, poolRest: 1_000, bootDeadline: 30_000 },
      },
    });
    await loop.start();
  };

  before(async () => {
    setMarket();
    gateway = await bench.gateway();
    await start();
    await until('all serve', () => ready().length === NEEDED);
    clients = new AskingClients(`http://127.0.0.1:${gateway.address.port}/`, 4);
    watching = setInterval(() => (fewest = Math.min(fewest, serving())), 20);
  });
  after(async () => {
    clearInterval(watching);
    await clients.stop();
    await loop.stop();
    await loop.settled();
    for (const { id } of await provider.list()) await provider.release(id);
    await provider.close();
    await bench.close();
    rmSync(folder, { recursive: true });
  });

  const serving = () => gateway.fleet().filter(({ state }) => state === 'ready').length;
  const ready = () => loop.state().fleet.filter(({ state }) => state === 'ready');
  const inPool = (pool: string) => ready().filter(({ offer }) => offer?.pool === pool && offer.market !== 'on-demand');
  const settled = (gone: readonly string[]) =>
    until(`${gone.join(' and ')} are replaced`, () => {
      const { fleet } = loop.state();
      const isCalm = fleet.every((vm) => vm.state === 'ready' && !vm.relieves && !vm.interruptAt && !vm.inPlaceOf);
      return isCalm && fleet.length === NEEDED && fleet.every(({ id }) => !gone.includes(id));
    });
  const take = async (taken: readonly string[], pool?: string) => {
    const at = Date.now() + NOTICE_MS;
    setMarket(pool === undefined ? Object.fromEntries(taken.map((id) => [id, at])) : { [pool]: at });
    await until('it is known', () =>
      taken.every((id) => loop.state().fleet.some((vm) => vm.id === id && vm.interruptAt)),
    );
    // the pool recovers when its VMs are gone
    if (pool !== undefined) await until('they are gone', () => inPool(pool).length === 0).then(() => setMarket());
    await settled(taken);
    setMarket();
  };

  it('is spread over the pools to begin with', () => {
    expect(['a', 'b', 'c'].map((pool) => inPool(pool).length)).to.deep.equal([2, 1, 1]);
  });

  it('replaces one, then two at a time', async () => {
    await take([ready()[0]?.id ?? '']);
    await take(
      ready()
        .slice(0, 2)
        .map(({ id }) => id),
    );
  });

  it('replaces a whole pool', async () => {
    const [pool = ''] = ['a', 'b', 'c'].toSorted((one, other) => inPool(other).length - inPool(one).length);
    expect(inPool(pool).length).to.be.at.least(2);
    await take(
      inPool(pool).map(({ id }) => id),
      pool,
    );
  });

  it('goes on after its manager was restarted in the middle', async () => {
    const [{ id } = { id: '' }] = ready();
    setMarket({ [id]: Date.now() + NOTICE_MS });
    await until('it is known', () => loop.state().fleet.some(({ inPlaceOf }) => inPlaceOf === id));
    await loop.stop();
    await loop.settled();
    const before = parts.ordered;
    await start();
    await settled([id]);
    expect(parts.ordered, 'orders since').to.equal(before);
    setMarket();
  });

  it('has lost no request, and never had fewer VMs than it needs', () => {
    expect(clients.lost).to.deep.equal([]);
    expect(clients.answered).to.be.greaterThan(100);
    expect(fewest).to.equal(NEEDED);
  });

  it('replaces one that is taken without notice at once', async () => {
    const [{ id } = { id: '' }] = ready();
    const { process: running } = JSON.parse(readFileSync(join(folder, 'vms', id, 'vm.json'), 'utf8')) as {
      process: { pid: number };
    };
    process.kill(running.pid, 'SIGKILL');
    await settled([id]);
    expect(loop.state().bill.rate).to.be.within(0.036, 0.045);
  });
});
