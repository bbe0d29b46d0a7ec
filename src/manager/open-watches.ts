// What is looked at from time to time beside the VMs: the repository and its replica, the disk, files that others may read.
import { isBeingRestored } from '../../epcis/repository/backup.ts';
import { createJobStore } from '../../epcis/repository/jobs.ts';
import { createSubscriptionStore } from '../../epcis/repository/subscriptions.ts';
import { defined } from '../loop/defined.ts';
import type { Facts } from '../loop/finding.ts';
import type { Log } from '../telemetry/log.ts';
import { storedWork, watchBacklog, whyUnwritable, type BacklogWatch } from './backlog-watch.ts';
import type { Closing } from './closing.ts';
import type { DataFolder } from './data-folder.ts';
import { watchDisk, type DiskWatch } from './disk-watch.ts';
import { watchExposed, type ExposedFiles } from './exposed-files.ts';
import type { Databases } from './open-repository.ts';
import { watchReplica, type ReplicaWatch } from './replica-watch.ts';

/** Each as it was seen last. */
export interface Watches {
  readonly backlog: BacklogWatch['newest'];
  readonly jobs: BacklogWatch['first'];
  readonly repository: () => Facts['repository'];
  readonly replica: ReplicaWatch['newest'];
  readonly disk: DiskWatch['newest'];
  readonly exposed: ExposedFiles['newest'];
}

export async function openWatches(
  { repository, all }: Databases,
  folder: DataFolder,
  secretFiles: readonly string[],
  log: Log,
  closing: Closing,
): Promise<Watches> {
  const stores = all.map(({ database }) => ({
    jobs: createJobStore(database),
    subscriptions: createSubscriptionStore(database),
  }));
  const backlog = watchBacklog(
    () => storedWork(stores),
    log,
    async () => ({ unwritable: await whyUnwritable(repository), isPart: await isBeingRestored(repository) }),
  );
  closing.add(() => backlog.close());
  const replica = watchReplica(repository, log);
  closing.add(() => replica.close());
  const disk = await watchDisk(folder.path);
  closing.add(() => disk.close());
  const exposed = await watchExposed([...secretFiles, folder.file('secret')]);
  closing.add(() => exposed.close());
  return {
    ...{ backlog: backlog.newest, jobs: backlog.first, replica: replica.newest },
    ...{ disk: disk.newest, exposed: exposed.newest },
    repository() {
      const seen = backlog.repository();
      return seen && { ...seen, ...defined({ replica: replica.newest() }) };
    },
  };
}
