// What a VM of the fleet runs: EPCIS service and load agent, told who it is by environment variables.
import { setTimeout as sleep } from 'node:timers/promises';
import { createMetadata, watchNotice, type Metadata } from '../../ec2/metadata.ts';
import { startEpcisServer } from '../../epcis/server.ts';
import { writeWhole } from '../files/write-whole.ts';
import { startAgent } from '../monitor/udp/agent.ts';
import { countHttpBytes } from '../monitor/udp/http-bytes.ts';
import { groupCertificate, RENEW_MS, VM_NAME } from '../tls/group.ts';
import { createLog } from '../telemetry/log.ts';
import { untilInterrupted } from './shared/signals.ts';
import { fromEnvironment, type VmSettings } from '../manager/vm-environment.ts';

export const runGuest = (): Promise<void> => guest(fromEnvironment(process.env));

async function guest(settings: VmSettings): Promise<void> {
  const interrupted = untilInterrupted();
  const log = createLog({ level: 'info' });
  const { host, port } = settings.listen;
  const metadata = settings.metadata === undefined ? undefined : createMetadata(settings.metadata);
  const id = metadata && settings.id === '' ? await idFrom(metadata) : settings.id;
  const notices = metadata && settings.noticeEvery ? watchNotice(metadata, settings.noticeEvery) : undefined;
  // on a machine of its own a VM's network is what its interfaces carry; a local VM has none of its own
  const network = settings.addressFile === undefined ? undefined : countHttpBytes();
  const server = await startEpcisServer({
    ...settings.epcis,
    host,
    port,
    repository: { url: settings.repositoryUrl, ...(settings.readUrl !== undefined && { readUrl: settings.readUrl }) },
    ...(settings.secret !== '' && { groupSecret: settings.secret, certificate: certificateOf(settings) }),
    ...(settings.role !== undefined && { role: settings.role }),
    log,
  });
  const renewal = setInterval(() => server.useCertificate(certificateOf(settings)), RENEW_MS).unref();
  const agent =
    settings.collector &&
    startAgent({
      group: settings.group,
      vm: id,
      collector: settings.collector,
      secret: settings.secret,
      intervalMs: settings.reportEvery,
      ...(settings.cpu !== undefined && { cpuQuota: settings.cpu }),
      ...(network !== undefined && { network }),
      ...(notices && { interruptAt: notices.noticeAt }),
    });
  const announced = { host, port: server.port, pid: process.pid };
  if (settings.addressFile !== undefined) await writeWhole(settings.addressFile, JSON.stringify(announced));
  log.info({ vm: id, host, port: server.port }, settings.role === 'work' ? 'VM does stored work' : 'VM serves EPCIS');
  await interrupted;
  clearInterval(renewal);
  await server.close();
  await agent?.stop();
  notices?.stop();
}

const certificateOf = ({ secret }: VmSettings) => groupCertificate(secret, VM_NAME, Date.now());

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
