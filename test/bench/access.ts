// npm run bench:access -- [events] [kind] [seed] [URL]; e.g. `100000 sqlite 1` (the defaults).
// The ten usual questions by a client of whom a hundred rules say what it sees, against the same questions without rules, in turn; until all is
// found, and until the answer is written as a VM sends it. What counts is the ratio of the medians; exit status 1 if that of all answers together
// is above 1.3. A million events take 3 minutes to capture. A repository at a URL is kept: it is filled where it is empty, and else measured.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askedBy } from '../../epcis/access/rules/client-rights.ts';
import { readRules } from '../../epcis/access/rules/read.ts';
import { restrict } from '../../epcis/access/rules/restrict.ts';
import { rightsOf } from '../../epcis/access/rules/rights.ts';
import { writeEvent } from '../../epcis/bindings/write.ts';
import type { VocabularyElement } from '../../epcis/domain/event.ts';
import { indexForRules } from '../../epcis/repository/access-rules.ts';
import type { Database } from '../../epcis/repository/database/database.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { createEventRepository } from '../../epcis/repository/event-repository.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import { createCaptureService } from '../../epcis/service/capture.ts';
import { createQueryService } from '../../epcis/service/query.ts';
import type { CaptureItem, QueryParameter, QueryService, StoredEvent } from '../../epcis/service/services.ts';
import { createRandom } from '../../loadgen/workload/random.ts';
import { startMariaDb } from '../helpers/mariadb.ts';
import { captured, eventOf, EVENTS_PER_LIFE, itemsOfProduct, masterData, site } from './lifecycles.ts';
import { QUESTIONS, type Question } from './questions.ts';

const DOCUMENT = 500;
const ASKED = 200;
const MOST = 1.3;
const CLIENT = { client: 'me', groups: [], roles: [] };

const [size = 100_000, , seed = 1] = process.argv.slice(2).map(Number);
const kind = process.argv[3] ?? 'sqlite';
const kept = process.argv[5];

/** A hundred rules each: of one kind only, and of every kind, conditions together, denials and hidden fields among them. */
const RULES: Readonly<Record<string, readonly object[]>> = {
  'by place': Array.from({ length: 100 }, (_, n) => ({ see: { EQ_bizLocation: site(n) } })),
  'of all kinds': [
    ...Array.from({ length: 40 }, (_, n) => ({ see: { EQ_bizLocation: site(n) } })),
    ...Array.from({ length: 20 }, (_, n) => ({ see: { epc: itemsOfProduct(n) } })),
    ...Array.from({ length: 20 }, (_, n) => ({ see: { EQ_bizStep: 'shipping', owner: site(40 + n) } })),
    ...Array.from({ length: 10 }, (_, n) => ({
      see: { location: `urn:example:region:${n}`, GE_eventTime: '2024-01-02T00:00:00Z' },
    })),
    ...Array.from({ length: 5 }, (_, n) => ({ deny: { EQ_bizLocation: site(95 + n), EQ_bizStep: 'storing' } })),
    ...Array.from({ length: 5 }, (_, n) => ({ hide: ['ilmd'], where: { EQ_bizLocation: site(90 + n) } })),
  ],
};

async function fill(database: Database): Promise<void> {
  const capture = createCaptureService(createEventRepository(database, { now: Date.now }));
  const all = { errorBehaviour: 'rollback' } as const;
  await capture.capture(
    each(masterData().map((element): CaptureItem => ({ kind: 'vocabulary', element, at: '' }))),
    all,
  );
  for (let from = 0; from < size; from += DOCUMENT) {
    const events = Array.from({ length: Math.min(DOCUMENT, size - from) }, (_, n) => captured(eventOf(seed, from + n)));
    await capture.capture(each(events.map((event): CaptureItem => ({ kind: 'event', captured: event, at: '' }))), all);
  }
}

async function* each<T>(list: readonly T[]): AsyncGenerator<T> {
  yield* list;
}

/** What is done with what a question finds: nothing, or what a VM does before it sends it. */
type Use = (rows: AsyncIterable<StoredEvent | VocabularyElement>) => Promise<number>;

const counted: Use = async (rows) => {
  let count = 0;
  for await (const row of rows) count += Number(Boolean(row));
  return count;
};

const written: Use = async (rows) => {
  let count = 0;
  for await (const row of rows) {
    const text = 'source' in row ? writeEvent(row, { form: 'json', version: '2.0' }) : JSON.stringify(row);
    count += Buffer.from(text).length > 0 ? 1 : 0;
  }
  return count;
};

class Timed {
  readonly times: number[] = [];
  rows = 0;
  readonly #query: QueryService;
  readonly #use: Use;

  constructor(query: QueryService, use: Use) {
    this.#query = query;
    this.#use = use;
  }

  async ask(parameters: readonly QueryParameter[], isMasterData: boolean): Promise<void> {
    const begin = performance.now();
    const query = this.#query;
    this.rows += await this.#use(await (isMasterData ? query.vocabularies(parameters) : query.events(parameters)));
    this.times.push(performance.now() - begin);
  }

  get median(): number {
    return this.times.toSorted((a, b) => a - b)[Math.floor(this.times.length / 2)] ?? 0;
  }
}

/** One question again and again; who is asked first, finds it less at hand, so that changes. */
async function compared(question: Question, services: readonly QueryService[], use: Use): Promise<readonly Timed[]> {
  const random = createRandom(seed);
  const timed = services.map((service) => new Timed(service, use));
  for (let n = 0; n < ASKED; n += 1) {
    const parameters = question.ask(Math.floor(size / EVENTS_PER_LIFE), random);
    for (const each of n % 2 === 0 ? timed : timed.toReversed())
      await each.ask(parameters, question.masterData === true);
  }
  return timed;
}

async function measure(database: Database): Promise<boolean> {
  const repository = createEventRepository(database, { now: Date.now });
  const open = createQueryService(repository);
  let isGood = true;
  for (const [name, some] of Object.entries(RULES)) {
    const rules = readRules({
      rules: [
        { name: 'all places', for: 'everybody', masterData: 'everything' },
        ...some.map((rule, n) => ({ name: `r${n}`, for: 'client:me', ...rule })),
      ],
    });
    await indexForRules(database, askedBy(rules));
    const rights = rightsOf(rules, CLIENT, Date.now());
    const services = [open, createQueryService(restrict(repository, () => rights))];
    const sums = { found: [0, 0], answered: [0, 0] };
    say(`\n${some.length} rules ${name}, ${size} events on ${kind}`);
    say(
      `${'question'.padEnd(30)}  found: without        with   ratio   answered: without        with   ratio   events`,
    );
    for (const question of QUESTIONS) {
      const found = await compared(question, services, counted);
      const answered = await compared(question, services, written);
      for (const n of [0, 1]) {
        sums.found[n] = (sums.found[n] ?? 0) + (found[n]?.median ?? 0);
        sums.answered[n] = (sums.answered[n] ?? 0) + (answered[n]?.median ?? 0);
      }
      const [free, ruled] = [answered[0]?.rows, answered[1]?.rows];
      const line = [found, answered].map((both) => row(both.map(({ median }) => median))).join('     ');
      say(`${question.name.padEnd(30)}    ${line}   ${ruled} of ${free}`);
    }
    say(`${'all together'.padEnd(30)}    ${row(sums.found)}     ${row(sums.answered)}`);
    isGood &&= ratioOf(sums.answered) <= MOST;
  }
  return isGood;
}

const ratioOf = ([without = 0, within = 0]: readonly number[]): number => within / without;
const row = (both: readonly number[]): string =>
  [...both.map((time) => `${time.toFixed(3)} ms`.padStart(12)), ratioOf(both).toFixed(2).padStart(8)].join('');
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const folder = mkdtempSync(join(tmpdir(), 'mmeliot-bench-'));
const server = kind === 'mysql' && kept === undefined ? await startMariaDb() : undefined;
const database = await openDatabase({ url: kept ?? server?.url('bench') ?? `sqlite://${folder}/bench.db` });
try {
  await migrate(database);
  const isEmpty = (await database.all('SELECT 1 FROM event LIMIT 1')).length === 0;
  if (isEmpty) await fill(database);
  if (!isEmpty || kept === undefined) process.exitCode = (await measure(database)) ? 0 : 1;
} finally {
  await database.close();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}
