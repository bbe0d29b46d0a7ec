// npm run bench:fosstrak -- [size] [seed]; default 100000 1. The same events and the same questions on our tables and on tables
// of Fosstrak's shape, on one MariaDB, asked the way each asks them. Prints how many times faster ours are, and by which index
// the database finds the events in theirs: none where it reads a whole table.
import type { QueryParameter } from '../../epcis/service/services.ts';
import { createEventRepository } from '../../epcis/repository/event-repository.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { createCaptureService } from '../../epcis/service/capture.ts';
import { createQueryService } from '../../epcis/service/query.ts';
import type { CaptureItem } from '../../epcis/service/services.ts';
import { createRandom, type Random } from '../../loadgen/workload/random.ts';
import { startMariaDb } from '../helpers/mariadb.ts';
import { ask, createTables, FosstrakWriter, indexOf, type FosstrakQuestion } from './fosstrak-tables.ts';
import * as chain from './lifecycles.ts';
import { QUESTIONS } from './questions.ts';

const [size, seed] = [Number(process.argv[2] ?? 100_000), Number(process.argv[3] ?? 1)];
const BATCH = 500;
const ROUNDS = 7;

const epcs = 'JOIN event_{type}_EPCs p ON p.event_id = e.id';
const valueOf = (parameters: readonly QueryParameter[], name: string): string =>
  parameters.find((parameter) => parameter.name === name)?.values[0] ?? '';
const step = (parameters: readonly QueryParameter[]): string =>
  `https://ref.gs1.org/cbv/BizStep-${valueOf(parameters, 'EQ_bizStep')}`;

/** The questions that Fosstrak knows, as it asks them; it has no event IDs and no sensors. */
const THEIRS: Readonly<Record<string, (parameters: readonly QueryParameter[]) => FosstrakQuestion>> = {
  'trace of an EPC': (asked) => ({ joins: epcs, where: 'p.epc IN (?)', values: [valueOf(asked, 'MATCH_anyEPC')] }),
  'time window at a read point': (asked) => ({
    where: 'r.uri IN (?) AND e.eventTimeMs >= ? AND e.eventTimeMs < ?',
    values: [valueOf(asked, 'EQ_readPoint'), ms(asked, 'GE_eventTime'), ms(asked, 'LT_eventTime')],
  }),
  'WD_ location': (asked) => {
    const region = Number(valueOf(asked, 'WD_bizLocation').split(':').at(-1));
    const sites = Array.from({ length: chain.SITES / 10 }, (_, n) => chain.site(region * 10 + n));
    const places = sites.map(() => '?').join(', ');
    return { where: `l.uri IN (${places}) AND s.uri IN (?)`, values: [...sites, step(asked)], newest: 30 };
  },
  'extension field': (asked) => ({
    joins: 'JOIN event_{type}_extensions x ON x.event_id = e.id',
    where: 'x.fieldname = ? AND x.strValue = ?',
    values: [`${chain.NAMESPACE}#lot`, asked[0]?.values[0] ?? ''],
  }),
  'EPC pattern': (asked) => ({
    joins: epcs,
    where: 'p.epc LIKE ? AND s.uri IN (?)',
    values: [valueOf(asked, 'MATCH_epc').replace('idpat', 'id').replace('*', '%'), step(asked)],
    newest: 30,
  }),
  'newest 30': () => ({ where: '1 = 1', values: [], newest: 30 }),
  'business transaction': (asked) => ({
    joins: 'JOIN event_{type}_bizTrans b ON b.event_id = e.id',
    where: 'b.bizTrans IN (?)',
    values: [valueOf(asked, 'EQ_bizTransaction_po')],
  }),
};

function ms(asked: readonly QueryParameter[], name: string): number {
  return Date.parse(valueOf(asked, name));
}

async function* itemsOf(items: readonly CaptureItem[]): AsyncGenerator<CaptureItem> {
  yield* items;
}

const median = (times: readonly number[]): number => [...times].sort((a, b) => a - b)[times.length >> 1] ?? NaN;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

const server = await startMariaDb(['--innodb-buffer-pool-size=3G', '--innodb-log-file-size=2G']);
const [ours, theirs] = await Promise.all(['ours', 'theirs'].map((name) => openDatabase({ url: server.url(name) })));
if (!ours || !theirs) throw new Error('no database');
await migrate(ours);
await createTables(theirs);
const repository = createEventRepository(ours, { now: () => Date.now() });
const [capture, query, writer] = [
  createCaptureService(repository),
  createQueryService(repository),
  new FosstrakWriter(theirs),
];
await repository.write((into) => into.vocabulary(chain.masterData()));
for (let from = 0; from < size; from += BATCH) {
  const events = Array.from({ length: Math.min(BATCH, size - from) }, (_, n) => chain.eventOf(seed, from + n));
  const items = events.map((event): CaptureItem => ({ kind: 'event', captured: chain.captured(event), at: '' }));
  await capture.capture(itemsOf(items), { errorBehaviour: 'rollback' });
  await writer.write(events);
}

print(`\n${size.toLocaleString('en')} events in MariaDB, median of ${ROUNDS}`);
print(
  `${'question'.padEnd(30)} ${'ours ms'.padStart(10)} ${'theirs ms'.padStart(10)} ${'faster'.padStart(8)} ${'rows'.padStart(6)}  their index`,
);
const lives = Math.floor(size / chain.EVENTS_PER_LIFE);
for (const { name, ask: parametersOf } of QUESTIONS) {
  const theirsOf = THEIRS[name];
  if (!theirsOf) continue;
  const random: Random = createRandom(seed);
  const [mine, other]: [number[], number[]] = [[], []];
  let rows = 0;
  // in turns, so that whatever else the machine does meets both; the first turn warms up
  for (let round = -1; round < ROUNDS; round += 1) {
    const parameters = parametersOf(lives, random);
    const begin = performance.now();
    let found = 0;
    for await (const { source } of await query.events(parameters)) found += Number(source.text !== '');
    const middle = performance.now();
    const same = await ask(theirs, theirsOf(parameters));
    if (round < 0) continue;
    mine.push(middle - begin);
    other.push(performance.now() - middle);
    rows += found;
    if (found !== same) print(`  ${name}: ${found} events here, ${same} there`);
  }
  const [a, b] = [median(mine), median(other)];
  const index = (await indexOf(theirs, theirsOf(parametersOf(lives, random)))) ?? 'none';
  print(
    `${name.padEnd(30)} ${a.toFixed(2).padStart(10)} ${b.toFixed(2).padStart(10)} ${(b / a).toFixed(1).padStart(7)}× ${(rows / ROUNDS).toFixed(1).padStart(6)}  ${index}`,
  );
}
await Promise.all([ours.close(), theirs.close()]);
await server.stop();
