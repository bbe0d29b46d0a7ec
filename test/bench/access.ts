// npm run bench:access -- [events] [kind] [seed]; e.g. `100000 sqlite 1` (the defaults).
// The ten usual questions by a client of whom a hundred rules say what it sees, against the same questions without rules, in turn. What
// counts is the ratio of the medians; exit status 1 if that of all questions together is above 1.3.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasPatterns } from '../../epcis/access/rules/client-rights.ts';
import { readRules } from '../../epcis/access/rules/read.ts';
import { restrict } from '../../epcis/access/rules/restrict.ts';
import { rightsOf } from '../../epcis/access/rules/rights.ts';
import { indexEpcsOfEvents } from '../../epcis/repository/access-rules.ts';
import type { Database } from '../../epcis/repository/database/database.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { createEventRepository } from '../../epcis/repository/event-repository.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import { createCaptureService } from '../../epcis/service/capture.ts';
import { createQueryService } from '../../epcis/service/query.ts';
import type { CaptureItem, QueryParameter, QueryService } from '../../epcis/service/services.ts';
import { createRandom } from '../../loadgen/workload/random.ts';
import { startMariaDb } from '../helpers/mariadb.ts';
import { captured, eventOf, EVENTS_PER_LIFE, itemsOfProduct, masterData, site } from './lifecycles.ts';
import { QUESTIONS } from './questions.ts';

const DOCUMENT = 500;
const ASKED = 60;
const MOST = 1.3;
const CLIENT = { client: 'me', groups: [], roles: [] };

const [size = 100_000, , seed = 1] = process.argv.slice(2).map(Number);
const kind = process.argv[3] ?? 'sqlite';

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

class Timed {
  readonly times: number[] = [];
  rows = 0;

  async ask(query: QueryService, parameters: readonly QueryParameter[], isMasterData: boolean): Promise<void> {
    const begin = performance.now();
    const answer = await (isMasterData ? query.vocabularies(parameters) : query.events(parameters));
    for await (const row of answer) this.rows += Number(Boolean(row));
    this.times.push(performance.now() - begin);
  }

  get median(): number {
    return this.times.toSorted((a, b) => a - b)[Math.floor(this.times.length / 2)] ?? 0;
  }
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
    if (hasPatterns(rules)) await indexEpcsOfEvents(database);
    const rights = rightsOf(rules, CLIENT, Date.now());
    const limited = createQueryService(restrict(repository, () => rights));
    let [without, within] = [0, 0];
    say(
      `\n${some.length} rules ${name}, ${size} events on ${kind}\n${'question'.padEnd(30)}     without        with   ratio   events`,
    );
    for (const question of QUESTIONS) {
      const random = createRandom(seed);
      const [free, ruled] = [new Timed(), new Timed()];
      for (let n = 0; n < ASKED; n += 1) {
        const parameters = question.ask(Math.floor(size / EVENTS_PER_LIFE), random);
        await free.ask(open, parameters, question.masterData === true);
        await ruled.ask(limited, parameters, question.masterData === true);
      }
      without += free.median;
      within += ruled.median;
      say(
        `${question.name.padEnd(30)}${ms(free)}${ms(ruled)}${ratio(ruled.median / free.median)}   ${ruled.rows} of ${free.rows}`,
      );
    }
    say(`${'all together'.padEnd(54)}${ratio(within / without)}`);
    isGood &&= within / without <= MOST;
  }
  return isGood;
}

const ms = ({ median }: Timed): string => `${median.toFixed(2)} ms`.padStart(12);
const ratio = (number: number): string => number.toFixed(2).padStart(8);
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const folder = mkdtempSync(join(tmpdir(), 'mmeliot-bench-'));
const server = kind === 'mysql' ? await startMariaDb() : undefined;
const database = await openDatabase({ url: server?.url('bench') ?? `sqlite://${folder}/bench.db` });
try {
  await migrate(database);
  await fill(database);
  process.exitCode = (await measure(database)) ? 0 : 1;
} finally {
  await database.close();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}
