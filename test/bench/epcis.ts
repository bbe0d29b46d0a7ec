// npm run bench:epcis -- [sizes] [kinds] [seed]; e.g. `10000,100000,1000000 sqlite,mysql 1` (these are the defaults).
// Fills a repository of each kind to each size and measures capture and the ten usual questions there. Absolute numbers say
// something about this machine only; the last table has the ratios that count. Exit status 1 if one misses its target.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../../epcis/repository/database.ts';
import { createEventRepository } from '../../epcis/repository/event-repository.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import { openDatabase } from '../../epcis/repository/open.ts';
import { createCaptureService } from '../../epcis/service/capture.ts';
import { createQueryService } from '../../epcis/service/query.ts';
import type { CaptureItem, CaptureService } from '../../epcis/service/services.ts';
import { createRandom } from '../../loadgen/workload/random.ts';
import { startMariaDb } from '../helpers/mariadb.ts';
import { cpuRatio } from './driver-cpu.ts';
import { captured, eventOf, EVENTS_PER_LIFE, masterData } from './lifecycles.ts';
import { QUESTIONS } from './questions.ts';
import { printRatios, printSizes, type Measured } from './epcis-report.ts';

const DOCUMENT = 500;
const ASKED = 200;

const [sizesText = '10000,100000,1000000', kindsText = 'sqlite,mysql', seedText = '1'] = process.argv.slice(2);
const sizes = sizesText.split(',').map(Number);
const seed = Number(seedText);
if (![...sizes, seed].every((number) => Number.isSafeInteger(number) && number > 0)) {
  process.stderr.write('Usage: npm run bench:epcis -- [sizes, e.g. 10000,100000] [kinds: sqlite,mysql] [seed]\n');
  process.exit(2);
}

interface Bench {
  readonly url: string;
  readonly database: Database;
  readonly bytes: () => Promise<number>;
  readonly close: () => Promise<void>;
}

async function openBench(kind: string): Promise<Bench> {
  if (kind === 'sqlite') {
    const folder = mkdtempSync(join(tmpdir(), 'mmeliot-bench-'));
    const file = join(folder, 'bench.db');
    const url = `sqlite://${file}`;
    const database = await openDatabase({ url });
    return {
      url,
      database,
      bytes: async () => statSync(file).size,
      close: async () => {
        await database.close();
        rmSync(folder, { recursive: true });
      },
    };
  }
  const server = await startMariaDb(['--innodb-buffer-pool-size=2G', '--innodb-log-file-size=1G']);
  const url = server.url('bench');
  const database = await openDatabase({ url });
  return {
    url,
    database,
    bytes: async () => {
      await database.all('ANALYZE TABLE event, event_epc, event_text, event_number');
      const [row] = await database.all(
        'SELECT CAST(SUM(data_length + index_length) AS DOUBLE) AS bytes FROM information_schema.tables WHERE table_schema = DATABASE()',
      );
      return Number(row?.['bytes']);
    },
    close: async () => {
      await database.close();
      await server.stop();
    },
  };
}

async function* items(from: number, count: number): AsyncGenerator<CaptureItem> {
  for (const each of made(from, count)) yield each;
}

function made(from: number, count: number): CaptureItem[] {
  return Array.from({ length: count }, (_, n) => ({
    kind: 'event',
    captured: captured(eventOf(seed, from + n)),
    at: '',
  }));
}

async function* given(list: readonly CaptureItem[]): AsyncGenerator<CaptureItem> {
  yield* list;
}

/** Events per second; making the events is not counted. */
async function rate(capture: CaptureService, from: number, count: number, perDocument: number): Promise<number> {
  let spent = 0;
  for (let n = from; n < from + count; n += perDocument) {
    const document = made(n, perDocument);
    const begin = performance.now();
    await capture.capture(given(document), { errorBehaviour: 'rollback' });
    spent += performance.now() - begin;
  }
  return count / (spent / 1000);
}

async function measure(kind: string): Promise<Measured[]> {
  const bench = await openBench(kind);
  await migrate(bench.database);
  const repository = createEventRepository(bench.database, { now: () => Date.now() });
  const capture = createCaptureService(repository);
  const query = createQueryService(repository);
  await repository.write((writer) => writer.vocabulary(masterData()));
  const results: Measured[] = [];
  let filled = 0;
  for (const size of sizes) {
    // the last part of the way is what is measured
    const sample = Math.min(20_000, Math.floor((size - filled) / 2 / DOCUMENT) * DOCUMENT);
    const singles = Math.min(500, sample);
    const bulk = size - filled - sample - singles;
    for (let n = 0; n < bulk; n += 5_000)
      await capture.capture(items(filled + n, Math.min(5_000, bulk - n)), { errorBehaviour: 'proceed' });
    const documents = await rate(capture, filled + bulk, sample, DOCUMENT);
    const single = await rate(capture, filled + bulk + sample, singles, 1);
    filled = size;
    const lives = Math.floor(size / EVENTS_PER_LIFE);
    const questions = new Map<string, { p50: number; p99: number; rows: number }>();
    for (const { name, ask, masterData } of QUESTIONS) {
      const random = createRandom(seed);
      const times: number[] = [];
      let rows = 0;
      for (let n = -20; n < ASKED; n += 1) {
        const parameters = ask(lives, random);
        const begin = performance.now();
        const answer = masterData ? await query.vocabularies(parameters) : await query.events(parameters);
        for await (const row of answer) if (row && n >= 0) rows += 1;
        if (n >= 0) times.push(performance.now() - begin);
      }
      times.sort((a, b) => a - b);
      const at = (share: number): number => times[Math.floor(share * (times.length - 1))] ?? 0;
      questions.set(name, { p50: at(0.5), p99: at(0.99), rows: rows / ASKED });
    }
    const bytes = (await bench.bytes()) / size;
    const memory = process.memoryUsage().rss;
    const cpu = await cpuRatio(bench.url, query, lives, seed);
    results.push({ kind, size, documents, single, questions, bytes, memory, cpu });
    printSizes(results.slice(-1));
  }
  await bench.close();
  return results;
}

const all: Measured[] = [];
for (const kind of kindsText.split(',')) all.push(...(await measure(kind)));
process.exitCode = printRatios(all) ? 0 : 1;
