// A VM that dies over a subscription's run: what has the receiver got afterwards? For the tests and the bench.
import { randomUUID } from 'node:crypto';
import { createEventRepository } from '../../epcis/repository/event-repository.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { createSubscriptionStore } from '../../epcis/repository/subscriptions.ts';
import { createCaptureService } from '../../epcis/service/capture.ts';
import { startReceiver } from './receiver.ts';
import { until } from './until.ts';
import { eventsDocument, LEASES, stream, Vm } from './work-faults.ts';
import { read } from './work-vm-parts.ts';

export interface RunFault {
  /** The page over which the VM dies, from 1. */
  readonly page: number;
  /** Whether the receiver answered it. */
  readonly isAnswered: boolean;
}

export interface RunCounts {
  readonly captured: number;
  readonly lost: number;
  /** Accepted in two different pages. */
  readonly twice: number;
  /** Accepted again in the same page, under the same key: the VM died between the 2xx and its storing. */
  readonly repeatedPages: number;
  readonly isInOrder: boolean;
}

const EVENTS = 8;
export const RUN_OPTIONS = {
  ...LEASES,
  subscriptionTargets: ['127.0.0.1'],
  pageSize: 3,
  maxBackOffSeconds: 1,
} as const;

export async function dieOverARun(url: string, { page, isAnswered }: RunFault): Promise<RunCounts> {
  const database = await openDatabase({ url });
  await migrate(database);
  const receiver = await startReceiver();
  const [victim, ...others] = [1, 2, 3].map(() => new Vm({ url, options: RUN_OPTIONS })) as [Vm, Vm, Vm];
  const accepted: { key: string; epcs: string[] }[] = [];
  const pages = (): Map<string, string[]> => new Map(accepted.map(({ key, epcs }) => [key, epcs]));
  try {
    let requests = 0;
    receiver.answer = (response, { key, body }) => {
      requests += 1;
      if (requests !== page || isAnswered) {
        accepted.push({ key, epcs: JSON.parse(body) as string[] });
        response.writeHead(204).end();
      }
      if (requests === page) victim.process.kill('SIGKILL');
    };
    await createSubscriptionStore(database).create({
      id: randomUUID(),
      queryName: 'SimpleEventQuery',
      parameters: [],
      destination: receiver.url,
      reportIfEmpty: false,
      result: { form: 'json' },
      runAt: 0,
    });
    const capture = createCaptureService(createEventRepository(database, { now: () => Date.now() }));
    await capture.capture(read(stream(eventsDocument('run', EVENTS))), { errorBehaviour: 'rollback' });
    await victim.go();
    await until('the victim delivers', () => requests >= page, 60_000);
    await Promise.all(others.map((vm) => vm.go()));
    await until('everything arrives', () => [...pages().values()].flat().length >= EVENTS, 60_000);
    const epcs = [...pages().values()].flat();
    const expected = Array.from({ length: EVENTS }, (_, n) => `urn:example:run:${n}`);
    return {
      captured: EVENTS,
      lost: expected.filter((epc) => !epcs.includes(epc)).length,
      twice: epcs.length - new Set(epcs).size,
      repeatedPages: accepted.length - pages().size,
      isInOrder: epcs.join() === expected.join(),
    };
  } finally {
    await Promise.all([victim, ...others].map((vm) => vm.end('SIGKILL')));
    receiver.close();
    await database.close();
  }
}
