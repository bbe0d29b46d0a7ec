// One VM's background work as a process of its own, to be killed. It waits for `go` on its standard input.
// A fault stops it at one place of its first capture, where it says `reached` and waits for its end.
import { createEventRepository } from '../../epcis/repository/event-repository.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { splitDocument } from '../../epcis/bindings/split.ts';
import { DEFAULT_LIMITS } from '../../epcis/domain/document-limits.ts';
import { createCaptureService } from '../../epcis/service/capture.ts';
import type { CaptureItem, CaptureService } from '../../epcis/service/services.ts';
import { startWork } from '../../epcis/work/start.ts';
import type { WorkOptions } from '../../epcis/work/options.ts';
import { exportEpcs, read, writeEpcs } from './work-vm-parts.ts';

export type Fault = 'before' | 'middle' | 'after';

export interface VmSettings {
  readonly url: string;
  readonly fault?: Fault;
  readonly options: Partial<WorkOptions>;
}

/** Events that are read before the fault in the middle: more than one batch, so that part of them is written. */
const MIDDLE = 700;

const settings = JSON.parse(process.argv[2] ?? '') as VmSettings;
const database = await openDatabase({ url: settings.url, poolSize: 4 });
const capture = createCaptureService(createEventRepository(database, { now: () => Date.now() }));

process.stdout.write('ready\n');
process.stdin.once('data', () => {
  const work = startWork(
    {
      database,
      capture: withFault(capture),
      read,
      write: writeEpcs,
      writeExport: exportEpcs,
      now: Date.now,
      secret: 'a',
      split: (bytes) => (document) => splitDocument(document, 'xml', bytes, DEFAULT_LIMITS),
      logFailure: (error, what) => {
        process.stderr.write(`${what}: ${String(error)}\n`);
        return 'logged';
      },
    },
    settings.options,
  );
  process.once('SIGTERM', () => void work.close().then(() => process.exit(0)));
});

function withFault(service: CaptureService): CaptureService {
  const { fault } = settings;
  if (fault === undefined) return service;
  return {
    async capture(items, options) {
      if (fault === 'before') await reached();
      const result = await service.capture(fault === 'middle' ? broken(items) : items, options);
      return fault === 'after' ? reached() : result;
    },
  };
}

async function* broken(items: AsyncIterable<CaptureItem>): AsyncGenerator<CaptureItem> {
  let count = 0;
  for await (const item of items) {
    if (++count > MIDDLE) await reached();
    yield item;
  }
}

function reached(): Promise<never> {
  process.stdout.write('reached\n');
  return new Promise(() => setInterval(() => undefined, 60_000));
}
