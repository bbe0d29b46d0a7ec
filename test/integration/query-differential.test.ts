// Whatever is captured and whatever is asked: both databases answer as a plain reading of the standard does. One repository of
// random events for many random queries; `npm run differential -- sql` asks as many as wanted.
import { expect } from 'chai';
import { createEventRepository } from '../../epcis/repository/event-repository.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { createCaptureService } from '../../epcis/service/capture.ts';
import { gather } from '../../epcis/service/gather.ts';
import { createQueryService } from '../../epcis/service/query.ts';
import type { QueryParameter, QueryService, StoredEvent } from '../../epcis/service/services.ts';
import type { VocabularyElement } from '../../epcis/domain/event.ts';
import { seeded } from '../../src/random.ts';
import { captured, itemsOf } from '../helpers/epcis-samples.ts';
import { KINDS } from '../helpers/fresh-repository.ts';
import { runs } from '../helpers/runs.ts';
import { below, pick, some, type Random } from '../fuzz/queries/chance.ts';
import {
  ATTRIBUTE_TEXTS,
  ATTRIBUTES,
  anyEvent,
  masterData,
  NAMES,
  poolsOf,
  VOCABULARIES,
  type Name,
} from '../fuzz/queries/events.ts';
import { sortKey } from '../fuzz/queries/fields.ts';
import type { Asked, Question, Stored } from '../fuzz/queries/kinds.ts';
import { question } from '../fuzz/queries/questions.ts';
import { identity, under } from '../fuzz/queries/things.ts';
import { instant } from '../fuzz/queries/values.ts';

const EVENTS = 150;
const QUESTIONS = 600;
/** Then other events. */
const IN_A_REPOSITORY = 10_000;

interface World extends Asked {
  readonly query: QueryService;
  readonly stored: readonly Stored[];
  close(): Promise<void>;
}

async function open(url: string, random: Random): Promise<World> {
  const database = await openDatabase({ url });
  await migrate(database);
  let now = Date.UTC(2024, 5, 1);
  const repository = createEventRepository(database, { now: () => now });
  const capture = createCaptureService(repository);
  const query = createQueryService(repository);
  const pools = poolsOf(random);
  const elements = masterData(random, pools);
  const vocabulary = async function* () {
    for (const element of elements) yield { kind: 'vocabulary' as const, element, at: '' };
  };
  await capture.capture(vocabulary(), { errorBehaviour: 'rollback' });
  const known = new Map<string, Stored>();
  // several captures, each with a record time of its own; what comes again is what was there
  for (let batch = 0; batch < 5; batch++) {
    now += 1 + below(random, 3);
    const events = Array.from({ length: EVENTS / 5 }, () => anyEvent(random, pools));
    for (const event of events) {
      const { hash } = captured(event);
      const key = JSON.stringify([hash, event.eventID, event.errorDeclaration]);
      if (!known.has(key)) known.set(key, { event, hash, recordTime: new Date(now).toISOString() });
    }
    await capture.capture(itemsOf(events), { errorBehaviour: 'rollback' });
  }
  const stored = [...known.values()];
  return {
    ...pools,
    random,
    elements,
    query,
    stored,
    recordTimes: [...new Set(stored.map(({ recordTime }) => recordTime))],
    hashes: stored.map(({ hash }) => hash),
    close: () => database.close(),
  };
}

const textOf = ({ event }: Pick<Stored, 'event'>): string => JSON.stringify(event);

function questionsOf(world: World): readonly Question[] {
  const asked = some(world.random, 3, () => question(world));
  return [...new Map(asked.map((each) => [each.name, each])).values()];
}

interface Order {
  readonly parameters: readonly QueryParameter[];
  /** Of two neighbours in the answer; 0 where they may stand either way. */
  readonly compare?: (a: Pick<Stored, 'event' | 'recordTime'>, b: Pick<Stored, 'event' | 'recordTime'>) => number;
  readonly limit?: number;
}

const parameter = (name: string, value: string | number): QueryParameter => ({ name, values: [String(value)] });

function byField(wanted: Name, sign: number): Order['compare'] {
  return (one, other) => {
    const [a, b] = [sortKey(one, wanted), sortKey(other, wanted)];
    if (!a || !b) return Number(!a) - Number(!b);
    if (a[0] !== b[0]) return sign * (a[0] - b[0]);
    return a[1] === b[1] ? 0 : a[1] < b[1] ? -sign : sign;
  };
}

function orderOf({ random }: World): Order {
  const draw = random();
  if (draw < 0.4) return { parameters: [] };
  const direction = pick(random, ['ASC', 'DESC', undefined] as const);
  const sign = direction === 'ASC' ? 1 : -1;
  const limit = random() < 0.4 ? 1 + below(random, 12) : undefined;
  const more = [
    ...(direction ? [parameter('orderDirection', direction)] : []),
    ...(limit ? [parameter('eventCountLimit', limit)] : []),
  ];
  const rest = limit === undefined ? {} : { limit };
  if (draw < 0.9) {
    const by = draw < 0.7 ? 'eventTime' : 'recordTime';
    const timeOf = ({ event, recordTime }: Pick<Stored, 'event' | 'recordTime'>): number =>
      instant(by === 'eventTime' ? event.eventTime : recordTime) ?? 0;
    return {
      parameters: [parameter('orderBy', by), ...more],
      compare: (a, b) => sign * (timeOf(a) - timeOf(b)),
      ...rest,
    };
  }
  const wanted = pick(
    random,
    NAMES.filter(({ namespace }) => namespace !== ''),
  );
  const compare = byField(wanted, sign);
  return {
    parameters: [parameter('orderBy', pick(random, wanted.spellings)), ...more],
    ...(compare && { compare }),
    ...rest,
  };
}

async function byPages(
  query: QueryService,
  parameters: readonly QueryParameter[],
  perPage: number,
): Promise<StoredEvent[]> {
  const all: StoredEvent[] = [];
  for (let after: string | undefined, last = false; !last;) {
    const page = await query.eventPage(parameters, { perPage, ...(after !== undefined && { after }) });
    for await (const event of page.events) all.push(event);
    after = page.next();
    last = after === undefined;
  }
  return all;
}

const nameOfFailure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.name : error),
  );

/** One case. */
async function askEvents(world: World): Promise<number> {
  const { random, query, stored } = world;
  const questions = questionsOf(world);
  const order = orderOf(world);
  const asked = [...questions.map(({ name, values }) => ({ name, values })), ...order.parameters];
  const about = (): string => JSON.stringify(asked).slice(0, 2000);
  const expected = stored.filter((each) => questions.every(({ holds }) => holds(each)));
  const inPages = random() < 0.1;
  const found = inPages ? await byPages(query, asked, 1 + below(random, 20)) : await gather(await query.events(asked));
  const count = Math.min(expected.length, order.limit ?? Infinity);
  if (found.length !== count || order.limit === undefined) {
    const [own, theirs] = [new Set(found.map(textOf)), new Set(expected.map(textOf))];
    const missing = expected.filter((each) => !own.has(textOf(each)));
    const wrong = found.filter((each) => !theirs.has(textOf(each)));
    if (missing.length + wrong.length > 0 || found.length !== count)
      expect.fail(
        `${about()}\nmissing ${missing.slice(0, 1).map(textOf).join()}\nwrong ${wrong.slice(0, 1).map(textOf).join()}\n${found.length} found, ${count} expected`,
      );
  }
  if (order.compare) {
    const { compare } = order;
    const sorted = expected.toSorted(compare);
    for (const [n, each] of found.entries()) {
      const place = sorted[n];
      if (place === undefined || compare(each, place) !== 0)
        expect.fail(`${about()}: ${textOf(each)} comes as number ${n}`);
    }
  }
  if (order.limit === undefined && random() < 0.1) {
    const most = Math.max(1, expected.length - below(random, 2));
    const name = await nameOfFailure(query.events([...asked, parameter('maxEventCount', most)]).then(gather));
    if (name !== (expected.length > most ? 'QueryTooLargeException' : undefined))
      expect.fail(`${about()}: ${String(name)} at most ${most}`);
  }
  return found.length;
}

/** One case of SimpleMasterDataQuery. */
async function askMasterData(world: World): Promise<void> {
  const { random, query, elements } = world;
  const ids = elements.map(({ id }) => id);
  const maybe = <T>(make: () => T): T | undefined => (random() < 0.35 ? make() : undefined);
  const vocabularyName = maybe(() => some(random, 2, () => pick(random, VOCABULARIES)));
  const name = maybe(() => some(random, 3, () => pick(random, ids)));
  const below_ = maybe(() => some(random, 2, () => pick(random, ids)));
  const has = maybe(() => some(random, 2, () => pick(random, ATTRIBUTES)));
  const attribute = pick(random, ATTRIBUTES);
  const equals = maybe(() =>
    some(random, 2, () =>
      pick(
        random,
        ATTRIBUTE_TEXTS.filter((text) => text !== ''),
      ),
    ),
  );
  const only = maybe(() => some(random, 2, () => pick(random, ATTRIBUTES)));
  const [attributes, children] = [random() < 0.7, random() < 0.7];
  const asked: QueryParameter[] = [
    parameter('includeAttributes', String(attributes)),
    parameter('includeChildren', String(children)),
    ...Object.entries({
      vocabularyName,
      EQ_name: name,
      WD_name: below_,
      HASATTR: has,
      [`EQATTR_${attribute}`]: equals,
      attributeNames: only,
    }).flatMap(([each, values]) => (values ? [{ name: each, values }] : [])),
  ];
  const known = below_ && under(below_, world);
  const same = (a: string, b: string): boolean => identity(a, world) === identity(b, world);
  const shown = (element: VocabularyElement): string =>
    JSON.stringify([
      ...[element.vocabulary, identity(element.id, world)],
      attributes ? element.attributes.filter(({ id }) => only === undefined || only.includes(id)) : [],
      children ? element.children : [],
    ]);
  const expected = elements.filter(
    (element) =>
      (vocabularyName?.includes(element.vocabulary) ?? true) &&
      (name?.some((each) => same(each, element.id)) ?? true) &&
      (known?.has(identity(element.id, world)) ?? true) &&
      (has?.some((each) => element.attributes.some(({ id }) => id === each)) ?? true) &&
      (equals?.some((each) => element.attributes.some(({ id, value }) => id === attribute && value === each)) ?? true),
  );
  const found: VocabularyElement[] = [];
  for await (const element of await query.vocabularies(asked)) found.push(element);
  expect(found.map(shown).sort(), JSON.stringify(asked)).to.deep.equal(expected.map(shown).sort());
}

for (const [kind, freshUrl] of KINDS) {
  describe(`queries on ${kind}, against a plain reading of the standard`, function () {
    this.timeout(process.env.PROPERTY_RUNS === undefined ? 240_000 : 0);
    const { numRuns, seed = 11 } = runs(QUESTIONS, 11);

    it('find the same, whatever is asked of whatever was captured', async () => {
      const random = seeded(seed);
      let [n, told] = [0, 0];
      for (let asked = 0; asked < numRuns; asked += IN_A_REPOSITORY) {
        const world = await open(await freshUrl(), random);
        try {
          for (; n < Math.min(numRuns, asked + IN_A_REPOSITORY); n++)
            if (random() < 0.1) await askMasterData(world);
            else if ((await askEvents(world)) > 0) told += 1;
        } catch (error) {
          throw new Error(`case ${n} of seed ${seed} on ${kind}`, { cause: error });
        } finally {
          await world.close();
        }
      }
      // many find something
      expect(told / numRuns).to.be.greaterThan(0.2);
    });
  });
}
