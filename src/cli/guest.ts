// What a VM of the fleet runs: EPCIS service and load agent, told who it is by environment variables.
import { createSecretKey, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMetadata, watchNotice, type Metadata } from '../../ec2/metadata.ts';
import { repositorySettings } from '../../epcis/repository/database/options.ts';
import { startEpcisServer } from '../../epcis/server.ts';
import { tracingSettings } from '../../epcis/tracing/options.ts';
import { isAlive } from '../act/local/process-info.ts';
import { writeWhole } from '../files/write-whole.ts';
import { startAgent } from '../monitor/udp/agent.ts';
import { countHttpBytes } from '../monitor/udp/http-bytes.ts';
import { openCpuMeter, processMs } from '../monitor/udp/usage.ts';
import { groupCertificate, RENEW_MS, VM_NAME } from '../tls/group.ts';
import { createLog, type Log } from '../telemetry/log.ts';
import { isOneOfThem, startProcesses, tellFirst, type Processes } from './shared/processes.ts';
import { untilInterrupted } from './shared/signals.ts';
import { passwordIn } from '../secrets.ts';
import { VERSION } from '../manager/program.ts';
import { defaultsOf } from '../settings/declaration.ts';
import { NODE } from '../manager/node-environment.ts';
import { fromEnvironment, type VmSettings } from '../manager/vm-environment.ts';

export const runGuest = async (): Promise<void> => {
  // what runs on every machine of a cloud is this: where workers are packed, it is a node
  if (process.env[NODE]) return (await import('./node.ts')).runNode();
  const settings = fromEnvironment(process.env);
  return isOneOfThem() ? oneProcess(settings) : guest(settings);
};

async function guest(settings: VmSettings): Promise<void> {
  const interrupted = untilInterrupted();
  const log = logOf(settings);
  const { host } = settings.listen;
  if (settings.parent !== undefined) endWith(settings.parent);
  const metadata = settings.metadata === undefined ? undefined : createMetadata(settings.metadata);
  const id = metadata && settings.id === '' ? await idFrom(metadata) : settings.id;
  const notices = metadata && settings.noticeEvery ? watchNotice(metadata, settings.noticeEvery) : undefined;
  const count = processesOf(settings);
  const service = count === 1 ? await alone(settings, log) : await several(count, log, () => interrupted.happened);
  if (interrupted.happened) return service.close();
  const agent =
    settings.collector &&
    startAgent({
      group: settings.group,
      vm: id,
      collector: settings.collector,
      secret: secretOf(settings),
      intervalMs: settings.reportEvery,
      ...(settings.cpu !== undefined && { cpuQuota: settings.cpu, usedMs: () => service.usage().cpuMs }),
      // on a machine of its own a VM's network is what its interfaces carry; a local VM has none of its own
      ...(settings.addressFile !== undefined && { network: () => service.usage() }),
      ...(notices && { interruptAt: notices.noticeAt }),
    });
  const announced = { host, port: service.port, pid: process.pid };
  if (settings.addressFile !== undefined) await writeWhole(settings.addressFile, JSON.stringify(announced));
  const what = settings.role === 'work' ? 'VM does stored work' : 'VM serves EPCIS';
  log.info({ vm: id, host, port: service.port, ...(count > 1 && { processes: count }) }, what);
  await interrupted;
  await service.close();
  await agent?.stop();
  notices?.stop();
}

/** What a VM knows and nobody is to read, whoever quotes it. */
const logOf = ({ secret, identity, repositoryUrl, readUrl = '' }: VmSettings): Log =>
  createLog({
    level: 'info',
    secrets: [
      secret,
      identity?.clientKey ?? '',
      identity?.reportKey ?? '',
      ...passwordIn(repositoryUrl),
      ...passwordIn(readUrl),
    ],
  });

const certificateOf = ({ secret, identity }: VmSettings) =>
  identity?.certificate ?? groupCertificate(secret, VM_NAME, Date.now());

/** What reports are signed with: the group's secret, or a key of its own, perhaps in a file, which may be written anew at any time. */
function secretOf({ secret, identity, keyFile }: VmSettings): () => string {
  if (keyFile === undefined) return () => identity?.reportKey ?? secret;
  let key = readFileSync(keyFile, 'utf8');
  return () => {
    try {
      key = readFileSync(keyFile, 'utf8');
    } catch {
      // the one before
    }
    return key;
  };
}

const LOOK_MS = 1_000;

/** A worker whose node is gone is nobody's: it ends, as if it were told to. */
function endWith(parent: string): void {
  const [pid = '', start = ''] = parent.split(':');
  const timer = setInterval(() => {
    if (isAlive(Number(pid), start === '' ? undefined : Number(start))) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_MS);
  timer.unref();
}

type Service = Pick<Processes, 'port' | 'usage' | 'close'>;

/** A process uses one core. Of a part of a core there is one, too. */
function processesOf({ epcis, cpu }: VmSettings): number {
  const { processes = 0 } = epcis ?? {};
  return processes > 0 ? processes : Math.max(1, Math.floor(openCpuMeter(cpu).cores));
}

async function alone(settings: VmSettings, log: Log): Promise<Service> {
  const { server, usage } = await serve(settings, log);
  return { port: server.port, usage, close: () => server.close() };
}

/** What they have in common is a name, by which the work of all is known as one VM's. */
function several(count: number, log: Log, isEnding: () => boolean): Promise<Service> {
  const onFailure = (error: Error): void => {
    log.error({ err: error }, 'The VM gives up');
    process.exit(1);
  };
  return startProcesses(
    count,
    { MMELIOT_WORKER: process.env['MMELIOT_WORKER'] ?? randomUUID() },
    { isEnding, onFailure },
  );
}

async function oneProcess(settings: VmSettings): Promise<void> {
  const interrupted = untilInterrupted();
  const { server, usage } = await serve(settings, logOf(settings), processesOf(settings)).catch((error: unknown) => {
    setImmediate(() => process.exit()); // after it has been told: the channel to the first process would keep this one
    throw error;
  });
  tellFirst(server.port, usage);
  await interrupted;
  await server.close();
  process.exit(0); // the channel to the first process would keep this one
}

async function serve(settings: VmSettings, log: Log, processes = 1) {
  const { host, port } = settings.listen;
  const network = countHttpBytes();
  const { poolSize = repositorySettings.poolSize.default } = settings;
  const server = await startEpcisServer({
    ...settings.epcis,
    tracing: { ...defaultsOf(tracingSettings), ...settings.tracing, resource: whoIs(settings) },
    host,
    port,
    repository: {
      url: settings.repositoryUrl,
      ...(settings.readUrl !== undefined && { readUrl: settings.readUrl }),
      poolSize,
    },
    ...(settings.secret !== '' && { groupSecret: settings.secret, certificate: certificateOf(settings) }),
    ...(settings.identity && {
      clientKey: createSecretKey(settings.identity.clientKey, 'base64url'),
      certificate: settings.identity.certificate,
    }),
    ...(settings.role !== undefined && { role: settings.role }),
    cores: Math.min(1, openCpuMeter(settings.cpu).cores / processes),
    ...(process.env['MMELIOT_WORKER'] !== undefined && { worker: process.env['MMELIOT_WORKER'] }),
    log,
  }).catch(async (error: unknown) => {
    throw (await import('./shared/on-repository.ts')).forPeople(error);
  });
  if (settings.identity === undefined)
    setInterval(() => server.useCertificate(certificateOf(settings)), RENEW_MS).unref();
  return { server, usage: () => ({ cpuMs: processMs(), ...network() }) };
}

/** As traces name it. A VM that asks the cloud for its ID is told by its host. */
const whoIs = ({ id, group }: VmSettings) => ({
  ...{ 'service.name': 'mmeliot-vm', 'service.namespace': group, 'service.version': VERSION },
  ...(id === '' ? { 'host.name': hostname() } : { 'service.instance.id': id }),
});

/** The network may come up later than we do; the unit's restarts would only be slower. */
async function idFrom(metadata: Metadata): Promise<string> {
  for (let tries = 1; ; tries++) {
    try {
      return await metadata.instanceId();
    } catch (error) {
      if (tries === ID_TRIES) throw error;
      await sleep(1_000);
    }
  }
}
const ID_TRIES = 60;
