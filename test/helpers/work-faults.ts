// Three VMs, one of which dies over a capture job: what is in the repository afterwards? For the tests and the bench.
import { randomUUID } from 'node:crypto';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { migrate } from '../../epcis/repository/migrate.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { createJobStore } from '../../epcis/repository/jobs.ts';
import type { JobOrigin } from '../../epcis/service/jobs-classes.ts';
import { createJobService } from '../../epcis/service/jobs.ts';
import { until } from './until.ts';
import type { Fault, VmSettings } from './work-vm.ts';

export interface FaultCounts {
  /** Events in all documents. */
  readonly submitted: number;
  /** Events in the repository. */
  readonly stored: number;
  readonly lost: number;
  readonly twice: number;
  /** Jobs that ended with success, of `JOBS`. */
  readonly succeeded: number;
  /** Jobs that somebody had to take over. */
  readonly takenOver: number;
}

export const JOBS = 4;
const EVENTS_PER_JOB = 900;
/** A document of all these events in four parts, each of more than a batch. */
const PART_BYTES = 250_000;
const NOBODY: JobOrigin = { path: '', client: '', header: () => undefined };

export class Vm {
  readonly process: ChildProcess;
  #said = '';

  constructor(settings: VmSettings) {
    this.process = spawn(process.execPath, [join(import.meta.dirname, 'work-vm.ts'), JSON.stringify(settings)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.process.stdout?.setEncoding('utf8').on('data', (text: string) => (this.#said += text));
  }

  async says(word: string): Promise<void> {
    await until(`a VM says ${word}`, () => this.#said.includes(`${word}\n`), 60_000);
  }

  async go(): Promise<void> {
    await this.says('ready');
    this.process.stdin?.write('go\n');
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const exit = once(this.process, 'exit');
    this.process.kill(signal);
    await exit;
  }
}

export const LEASES = { leaseSeconds: 3, pollMs: 100 } as const;

/** The first VM works alone until it is at the place of its death; then the others begin, and it dies. */
export async function dieOverAJob(
  url: string,
  fault: Fault,
  errorBehaviour: 'rollback' | 'proceed' | 'proceed in parts',
): Promise<FaultCounts> {
  const inParts = errorBehaviour === 'proceed in parts';
  const behaviour = inParts ? 'proceed' : errorBehaviour;
  const database = await openDatabase({ url });
  await migrate(database);
  const jobs = createJobService({
    ...{ store: createJobStore(database), newId: randomUUID, most: 1000, submitted: () => undefined },
    classify: ({ path } = NOBODY) => (path === 'bulk' ? { name: 'bulk', wait: 60_000 } : { name: 'normal', wait: 0 }),
  });
  const options = { ...LEASES, ...(inParts && { partBytes: PART_BYTES }) };
  const victim = new Vm({ url, fault, options });
  const others = [new Vm({ url, options }), new Vm({ url, options })];
  const documents = inParts ? 1 : JOBS;
  try {
    for (let n = 0; n < documents; n++) {
      const bytes = stream(eventsDocument(`${fault}-${n}`, (EVENTS_PER_JOB * JOBS) / documents));
      const origin = { ...NOBODY, path: n % 2 === 0 ? 'bulk' : '' };
      await jobs.submit({ bytes, mediaType: 'text/xml', errorBehaviour: behaviour, headers: {}, origin });
    }
    await victim.go();
    await victim.says('reached');
    await Promise.all(others.map((vm) => vm.go()));
    await victim.end('SIGKILL');
    // a part that was taken over is gone with the last of them
    let partsTakenOver = 0;
    const isDone = async (): Promise<boolean> => {
      const [parts] = await database.all(`SELECT COUNT(*) AS n FROM capture_job WHERE kind = 'part' AND attempt > 1`);
      partsTakenOver = Math.max(partsTakenOver, Number(parts?.['n']));
      return (await jobs.backlog()).jobs === 0;
    };
    await until('all jobs are finished', isDone, 120_000);
    const [events] = await database.all('SELECT COUNT(*) AS n FROM event');
    const [epcs] = await database.all('SELECT COUNT(DISTINCT epc) AS n FROM event_epc');
    const [taken] = await database.all('SELECT COUNT(*) AS n FROM capture_job WHERE attempt > 1');
    const submitted = JOBS * EVENTS_PER_JOB;
    const stored = Number(events?.['n']);
    const { jobs: all } = await jobs.list({ perPage: 100 });
    return {
      submitted,
      stored,
      lost: submitted - Number(epcs?.['n']),
      twice: stored - Number(epcs?.['n']),
      succeeded: all.filter(({ success, running }) => success && !running).length,
      takenOver: inParts ? partsTakenOver : Number(taken?.['n']),
    };
  } finally {
    await Promise.all([victim, ...others].map((vm) => vm.end('SIGKILL')));
    await database.close();
  }
}

/** Each event has one EPC, and no other has it. */
/** `eventBytes`: how large an event is, about, where that is more than it needs. */
export function eventsDocument(name: string, count: number, eventBytes = 0): string {
  const note = eventBytes === 0 ? '' : `<e:note xmlns:e="urn:example:e">${'x'.repeat(eventBytes - 310)}</e:note>`;
  const events = Array.from(
    { length: count },
    (_, n) =>
      `<ObjectEvent><eventTime>2026-01-01T00:00:00Z</eventTime><eventTimeZoneOffset>+00:00</eventTimeZoneOffset>` +
      `<epcList><epc>urn:example:${name}:${n}</epc></epcList><action>OBSERVE</action>` +
      `<bizStep>urn:epcglobal:cbv:bizstep:shipping</bizStep>${note}</ObjectEvent>`,
  );
  return (
    `<?xml version="1.0" encoding="UTF-8"?><epcis:EPCISDocument xmlns:epcis="urn:epcglobal:epcis:xsd:1" ` +
    `schemaVersion="1.2" creationDate="2026-01-01T00:00:00Z"><EPCISBody><EventList>${events.join('')}</EventList>` +
    `</EPCISBody></epcis:EPCISDocument>`
  );
}

export async function* stream(document: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(document);
}
