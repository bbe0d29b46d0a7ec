// The admin server: what it shows of the manager, and its audit log.
import { rulesHistory } from '../../epcis/repository/access-rules.ts';
import { startAdminServer, type AdminServer } from '../admin/server.ts';
import type { AdminSource, AuditLog, ClientKeys } from '../admin/source.ts';
import type { Gateway } from '../balance/core/contract.ts';
import type { Config } from '../config/schema.ts';
import { defined } from '../loop/defined.ts';
import type { Collector } from '../monitor/udp/collector.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { adminSource, recentTraffic, type SourceDeps } from './admin-source.ts';
import { openAuditFile } from './audit-file.ts';
import { auditWithRules } from './audit-rules.ts';
import type { Closing } from './closing.ts';
import type { DataFolder } from './data-folder.ts';
import { logChange } from './event-log.ts';
import type { Loops } from './open-loops.ts';
import type { OpenedProvider } from './open-provider.ts';
import type { Databases } from './open-repository.ts';
import type { Watches } from './open-watches.ts';

interface Parts {
  readonly config: Config;
  readonly folder: DataFolder;
  readonly log: Log;
  readonly databases: Databases;
  readonly collector: Collector;
  readonly cloud: Pick<OpenedProvider, 'packing'>;
  readonly gateway: Gateway;
  readonly keys: ClientKeys;
  readonly watches: Watches;
  readonly metrics: Metrics;
  readonly loops: Loops;
  readonly shown: Pick<SourceDeps, 'about' | 'config' | 'logOf'>;
}

interface Admin {
  readonly url: AdminServer['url'];
  readonly view: AdminSource['view'];
}

export async function openAdmin(parts: Parts, closing: Closing): Promise<Admin> {
  const { config, folder, log, databases, keys, metrics } = parts;
  const source = sourceOf(parts);
  const audit = openAudit(folder, databases, log, closing);
  const server = await startAdminServer(config.admin, { source, keys, audit, metrics, log });
  closing.add(() => server.close());
  return { url: server.url, view: () => source.view() };
}

function sourceOf({ config, log, collector, cloud, gateway, watches, loops, shown }: Parts): AdminSource {
  const { role, loop, past, preview, work } = loops;
  const { packing } = cloud;
  return adminSource({
    ...{ ...shown, loop, past, preview, jobs: watches.jobs },
    about: { ...shown.about, ...(role !== undefined && { role }) },
    ...(work !== undefined && { work: work.source }),
    ...(packing && { nodes: () => packing.shown() }),
    gateway: { fleet: () => gateway.fleet(), traffic: recentTraffic(gateway) },
    facts: () => ({
      queueCapacity: config.gateway.queue.capacity,
      ...defined({ gateways: gateway.problems, repository: watches.repository() }),
      ...defined({ disk: watches.disk(), apart: collector.apart() }),
      refused: collector.refused(),
      exposed: watches.exposed(),
      ...(packing && { nodes: packing.shown().list }),
    }),
    onChange: (patch, who) => logChange(log, patch, who),
  });
}

function openAudit(folder: DataFolder, { all }: Databases, log: Log, closing: Closing): AuditLog {
  const audit = openAuditFile({
    ...{ file: folder.file('audit.jsonl'), now: Date.now },
    onProblem: (error) => log.error({ err: error }, 'The audit log cannot be written'),
  });
  closing.add(() => audit.flush());
  const rules = all.map(({ database, ...of }) => ({ ...of, history: () => rulesHistory(database) }));
  return auditWithRules(audit, rules, (error) =>
    log.warn({ err: error }, 'A repository does not tell who applied its rules'),
  );
}
