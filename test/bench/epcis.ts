// npm run bench:epcis -- [sizes] [kinds] [seed]; e.g. `10000,100000,1000000 sqlite,mysql 1` (these are the defaults).
// Fills a repository of each kind to each size and measures capture and the ten usual questions there. Absolute numbers say
// something about this machine only; the last table has the ratios that count. Exit status 1 if one misses its target.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../../epcis/repository/database/database.ts';
import { createEventRepository } from '../../epcis/repository/event-repository.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { createCaptureService } from '../../epcis/service/capture.ts';
import { createQueryService } from '../../epcis/service/query.ts';
import type { CaptureItem, CaptureService, QueryService } from '../../epcis/service/services.ts';
import { createRandom } from '../../loadgen/workload/random.ts';
import { startMariaDb } from '../helpers/mariadb.ts';
import { cpuRatio } from './driver-cpu.ts';
import { checkedBy, gzipRatios } from './epcis-extras.ts';
import { captured, eventOf, EVENTS_PER_LIFE, masterData } from './lifecycles.ts';
import { QUESTIONS, type Question } from './questions.ts';
import { printRatios, printSizes, type Measured } from './epcis-report.ts';

const DOCUMENT = 500;
/** Of each question in each round. */
const ASKED = 30;
const ROUNDS = 8;

const [sizesText = '10000,100000,1000000', kindsText = 'sqlite,mysql', seedText = '1'] = process.argv.slice(2);
const sizes = sizesText.split(',').map(Number);
const seed = Number(seedText);
if (![...sizes, seed].every((number) => Number.isSafeInteger(number) && number > 0)) {
  process.stderr.write('Usage: npm run bench:epcis -- [sizes, e.g. 10000,100000] [kinds: sqlite,mysql] [seed]\n');
  process.exit(2);
}

interface Place {
  /** The URL of an empty database for a repository of this size. */
  readonly url: (size: number) => string;
  readonly bytes: (database: Database) => Promise<number>;
  readonly close: () => Promise<void>;
}

async function sqlitePlace(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'mmeliot-bench-'));
  return {
    url: (size) => `sqlite://${folder}/${size}.db`,
    bytes: async (database) => {
      const [row] = await database.all('SELECT page_count * page_size AS n FROM pragma_page_count, pragma_page_size');
      return Number(row?.['n']);
    },
    close: async () => rmSync(folder, { recursive: true }),
  };
}

async function mysqlPlace(): Promise<Place> {
  const server = await startMariaDb(['--innodb-buffer-pool-size=2G', '--innodb-log-file-size=2G']);
  return {
    url: (size) => server.url(`bench${size}`),
    bytes: async (database) => {
      await database.all('ANALYZE TABLE event, event_epc, event_text, event_number');
      const [row] = await database.all(
        'SELECT CAST(SUM(data_length + index_length) AS DOUBLE) AS bytes FROM information_schema.tables WHERE table_schema = DATABASE()',
      );
      return Number(row?.['bytes']);
    },
    close: () => server.stop(),
  };
}

/** One repository under measurement. */
class Subject {
  readonly size: number;
  readonly url: string;
  readonly database: Database;
  readonly capture: CaptureService;
  readonly query: QueryService;
  readonly questions = new Map(QUESTIONS.map(({ name }) => [name, { times: [] as number[], rows: 0 }]));
  readonly documents = { events: 0, ms: 0 };
  readonly singles = { events: 0, ms: 0 };
  /** Documents that are checked by business rules as well. */
  readonly checked = { events: 0, ms: 0 };
  readonly #random = createRandom(seed);
  readonly #check: ReturnType<typeof checkedBy>;
  #filled = 0;

  constructor(size: number, url: string, database: Database) {
    const repository = createEventRepository(database, { now: () => Date.now() });
    this.size = size;
    this.url = url;
    this.database = database;
    this.capture = createCaptureService(repository);
    this.query = createQueryService(repository);
    this.#check = checkedBy(repository);
  }

  get events(): number {
    return this.#filled;
  }

  get lives(): number {
    return Math.floor(this.size / EVENTS_PER_LIFE);
  }

  async fill(): Promise<void> {
    await this.capture.capture(each(masterData().map((element) => ({ kind: 'vocabulary', element, at: '' }))), ALL);
    while (this.#filled < this.size) await this.#document(Math.min(DOCUMENT, this.size - this.#filled));
  }

  /** Making the events is not counted. */
  async #document(count: number, isChecked = false): Promise<number> {
    const items = Array.from({ length: count }, (_, n): CaptureItem => {
      return { kind: 'event', captured: captured(eventOf(seed, this.#filled + n)), at: '' };
    });
    this.#filled += count;
    const begin = performance.now();
    await this.capture.capture(isChecked ? this.#check(each(items)) : each(items), ALL);
    return performance.now() - begin;
  }

  async round(): Promise<void> {
    for (let n = 0; n < 3; n += 1) {
      this.documents.ms += await this.#document(DOCUMENT);
      this.checked.ms += await this.#document(DOCUMENT, true);
    }
    this.documents.events += 3 * DOCUMENT;
    this.checked.events += 3 * DOCUMENT;
    for (let n = 0; n < 30; n += 1) this.singles.ms += await this.#document(1);
    this.singles.events += 30;
    for (const question of QUESTIONS) for (let n = 0; n < ASKED; n += 1) await this.#ask(question);
  }

  async #ask({ name, ask, masterData }: Question): Promise<void> {
    const measured = this.questions.get(name);
    const parameters = ask(this.lives, this.#random);
    const begin = performance.now();
    const answer = masterData ? await this.query.vocabularies(parameters) : await this.query.events(parameters);
    let rows = 0;
    for await (const row of answer) rows += Number(Boolean(row));
    measured?.times.push(performance.now() - begin);
    if (measured) measured.rows += rows;
  }
}

const ALL = { errorBehaviour: 'rollback' } as const;

async function* each<T>(list: readonly T[]): AsyncGenerator<T> {
  yield* list;
}

async function measure(kind: string): Promise<Measured[]> {
  const place = kind === 'sqlite' ? await sqlitePlace() : await mysqlPlace();
  const subjects: Subject[] = [];
  for (const size of sizes) {
    const url = place.url(size);
    const database = await openDatabase({ url });
    await migrate(database);
    const subject = new Subject(size, url, database);
    await subject.fill();
    subjects.push(subject);
  }
  // in turns, so that whatever else the machine does meets all sizes alike
  for (let round = 0; round < ROUNDS; round += 1) for (const subject of subjects) await subject.round();
  const results: Measured[] = [];
  for (const { size, events, url, database, query, questions, documents, checked, singles, lives } of subjects) {
    results.push({
      kind,
      size,
      documents: documents.events / (documents.ms / 1000),
      single: singles.events / (singles.ms / 1000),
      questions: new Map([...questions].map(([name, { times, rows }]) => [name, summary(times, rows)])),
      bytes: (await place.bytes(database)) / events,
      memory: process.memoryUsage().rss,
      cpu: await cpuRatio(url, query, lives, seed),
      checks: checked.events / checked.ms / (documents.events / documents.ms),
      gzip: await gzipRatios(url),
    });
    await database.close();
  }
  await place.close();
  return results;
}

function summary(times: readonly number[], rows: number): { p50: number; p99: number; rows: number } {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  return { p50: at(0.5), p99: at(0.99), rows: rows / times.length };
}

const all: Measured[] = [];
for (const kind of kindsText.split(',')) {
  const results = await measure(kind);
  printSizes(results);
  all.push(...results);
}
process.exitCode = printRatios(all) ? 0 : 1;
