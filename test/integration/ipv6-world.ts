// What test/integration/ipv6.test.ts runs in a network namespace of its own: there are two IPv6 addresses,
// and of IPv4 nothing but the loopback that every machine has. Ends with status 1 and a stack where something fails.
import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { runLoad } from '../../loadgen/cli.ts';
import { environmentOf, type MachineOrder } from '../../opennebula/emulator/machine-room.ts';
import { roomOf } from '../../src/act/local/machine-room.ts';
import { startEmulator } from '../../opennebula/emulator/server.ts';
import type { ManagerView } from '../../src/loop/view.ts';
import { mmeliot, startProgram, temporaryFolder, type Program } from '../helpers/mmeliot.ts';
import { QUICK } from '../opennebula/emulated.ts';
import { until } from '../helpers/until.ts';
import { vmMachines } from '../helpers/vm-machines.ts';

/** The manager's machine, and where the VMs are. */
const [HERE, THERE] = ['fd00::1', 'fd00::7'];
const LOGIN = { user: 'scaler', password: 'a-good-password' };
const TOKEN = 'a-long-enough-token';
const GATEWAY = `http://[${HERE}]:8080/`;
const ADMIN = `http://[${HERE}]:8081/`;

const folder = temporaryFolder();
const COMMON = [
  ...['access=open', `gateway.host=${HERE}`, `admin.host=${HERE}`, `admin.token=${TOKEN}`],
  ...['gateway.port=8080', 'admin.port=8081', 'collector.port=8082', 'elasticity.period=1s', 'elasticity.window=3'],
];

async function withCloud(work: (settings: readonly string[]) => Promise<void>): Promise<void> {
  let context: Readonly<Record<string, string>> = {};
  const machines = vmMachines(
    { folder: join(folder.path, 'machines'), name: `mmeliot-ipv6-test-${process.pid}`, cpu: 0.5, quota: 'signals' },
    () => environmentOf(context),
    `[${THERE}]:0`,
  );
  const room = roomOf(machines, (order: MachineOrder) => (context = order.context), 50);
  // no monitoring by the cloud: what is known of the load came over UDP
  const options = { ...LOGIN, ...QUICK, monitoringMs: 10_000_000, host: HERE, address: () => THERE };
  const emulator = await startEmulator(options, room);
  try {
    await work([
      ...['provider=opennebula', 'access=open', `opennebula.url=${emulator.url}`, `opennebula.user=${LOGIN.user}`],
      ...[`opennebula.password=${LOGIN.password}`, `opennebula.collector=[${HERE}]:8082`, 'collector.host=::'],
      `repository.url=sqlite://${join(folder.path, 'epcis.db')}`,
    ]);
  } finally {
    await emulator.close();
    await machines.close();
  }
}

async function serves(name: string, settings: readonly string[], vmHost: string): Promise<void> {
  const set = [`dataDir=${join(folder.path, name)}`, ...COMMON, ...settings].flatMap((one) => ['--set', one]);
  const system = startProgram(['up', ...set]);
  await system.says(/load on it/);
  const said = system.output();
  assert.ok(said.includes(GATEWAY) && said.includes(ADMIN), said);
  const state = async () =>
    (
      await fetch(`${ADMIN}api/state`, { headers: { authorization: `Bearer ${TOKEN}` } })
    ).json() as Promise<ManagerView>;
  const vm = await until('its VM reports its load', async () => {
    const [first] = (await state()).vms;
    return first?.cpu !== undefined && !first.dark && first;
  });
  assert.equal(vm.address?.host, vmHost);
  const { ok, lost } = await runLoad({ url: GATEWAY, profile: 'constant', max: 2, duration: 1_500 });
  assert.ok(ok > 0 && lost === 0, `${ok} answered, ${lost} lost`);
  const query = await fetch(`${GATEWAY}queries`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: name, query: { eventTypes: ['ObjectEvent'] } }),
  });
  const location = new URL(query.headers.get('location') ?? '', query.url);
  assert.equal(location.host, `[${HERE}]:8080`);
  assert.equal((await fetch(location)).status, 200);
  assert.equal((await fetch(ADMIN)).status, 200);
  const status = await mmeliot('status', '--admin', ADMIN, '--token', TOKEN);
  assert.equal(status.status, 0, status.output);
  assert.ok(status.output.includes(`at ${GATEWAY}`), status.output);
  await ended(system);
  process.stdout.write(`${name}: serves\n`);
}

async function ended(program: Program): Promise<void> {
  const { status, output } = await program.stop();
  assert.equal(status, 0, output);
}

/** Local addresses of sockets that listen for IPv4. */
const listeners = (): readonly string[] =>
  readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , socketState]) => socketState === '0A')
    .map(([, local = '']) => local);

const answers = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port }, () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

/** As a VM of a cloud is told by default. */
async function listensToBoth(): Promise<void> {
  const vm = startProgram(['vm'], {
    env: { MMELIOT_VM_ID: '7', MMELIOT_LISTEN: '[::]:8090', MMELIOT_REPOSITORY_URL: `sqlite://${folder.path}/vm.db` },
  });
  await vm.says(/VM serves EPCIS/);
  assert.deepEqual([await answers(THERE, 8090), await answers('127.0.0.1', 8090)], [true, true]);
  await ended(vm);
  process.stdout.write('a VM by itself: serves\n');
}

try {
  await withCloud(async (cloud) => {
    const system = serves('opennebula-builtin', [...cloud, 'gateway.dataPlane=builtin'], THERE);
    await Promise.race([system, until('it serves', async () => answers(HERE, 8080))]);
    assert.deepEqual(listeners(), [], 'nothing listens for IPv4');
    await system;
  });
  await serves(
    'local-haproxy',
    ['gateway.dataPlane=haproxy', 'local.host=::1', 'collector.host=::1', 'local.cpu=0.5'],
    '::1',
  );
  await listensToBoth();
} finally {
  folder.remove();
}
