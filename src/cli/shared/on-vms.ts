// What is done with a repository on the VMs that serve it, instead of here: handed to them as stored work, and waited for.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../../epcis/repository/database/database.ts';
import { createJobStore } from '../../../epcis/repository/jobs.ts';
import { createStepStore } from '../../../epcis/repository/steps.ts';
import { lastPlace } from '../../../epcis/service/jobs-classes.ts';
import { estimatedEnd } from '../../../epcis/service/jobs-estimate.ts';
import type { SteppedJob } from '../../../epcis/service/steps.ts';
import type { StepKind, Task } from '../../../epcis/service/tasks.ts';
import type { Config } from '../../config/schema.ts';
import { MmeliotError } from '../../errors.ts';
import { lasting } from '../../time-left.ts';
import { untilInterrupted } from './signals.ts';

export interface DoneOnVms {
  readonly progress: SteppedJob['progress'];
  /** As gzip. */
  readonly document: AsyncIterable<Uint8Array>;
}

const LOOK_MS = 500;

/**
 * Resolves to what `use` makes of it, or to undefined where Ctrl-C ended it, which stops the VM that has it, too. It goes behind
 * whatever clients wait for: in the last class.
 */
export async function onVms<T>(
  {
    database,
    config,
    say,
  }: { readonly database: Database; readonly config: Config; readonly say: (text: string) => void },
  { kind, asked }: Pick<Task, 'kind' | 'asked'>,
  use: (done: DoneOnVms) => Promise<T> | T,
): Promise<T | undefined> {
  const store = createStepStore(database, kind);
  const id = randomUUID();
  const { jobClasses, promoteAfterSeconds } = config.epcis.work;
  await store.create({ id, asked, place: lastPlace(jobClasses, promoteAfterSeconds * 1000) });
  const interrupted = untilInterrupted().then(() => undefined);
  try {
    for (;;) {
      const job = await store.find(id);
      if (job === undefined) throw new MmeliotError('BAD_REQUEST', `Somebody deleted the job ${id}.`);
      if (!job.running) return await outcomeOf(job, kind, use, store.document(id));
      say(await standing(database, job, kind));
      if ((await Promise.race([interrupted.then(() => 'end'), sleep(LOOK_MS)])) === 'end') {
        process.exitCode = 130;
        return undefined;
      }
    }
  } finally {
    say('');
    await store.remove(id);
  }
}

function outcomeOf<T>(
  { success, errors, progress }: SteppedJob,
  kind: StepKind,
  use: (done: DoneOnVms) => Promise<T> | T,
  document: AsyncIterable<Uint8Array>,
): Promise<T> | T {
  if (success) return use({ progress, document });
  throw new MmeliotError('BAD_REQUEST', `The ${kind} failed on the VMs: ${errors[0]?.reason ?? 'nobody says why'}`);
}

async function standing(database: Database, { id, progress }: SteppedJob, kind: StepKind): Promise<string> {
  const ahead = await createJobStore(database).ahead(id);
  const { done, total } = progress;
  if (done === 0 && (ahead?.jobs ?? 0) > 0) return `${kind}: ${ahead?.jobs} jobs go before it`;
  if (total === undefined) return `${kind}: no VM has begun it yet`;
  const end = ahead && estimatedEnd(ahead);
  const left = ahead === undefined || end === undefined ? '' : `, about ${lasting(end - ahead.now)} left`;
  return `${kind}: ${done} of ${total} events${left}`;
}
