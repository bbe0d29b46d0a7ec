// The statements of a released program, recorded while it served: `node test/helpers/released.ts 0.2.0` writes those of this one.
// Tests do them again on the newest schema, because programs of the release before run on it while VMs are replaced one by one.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import type { Bound, Connection, Database, OpenDatabase } from '../../epcis/repository/database/database.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import { startEpcisServer } from '../../epcis/server.ts';
import { CONTEXT, json2, objectJson, objectXml, xml1 } from './epcis-documents.ts';
import { KINDS } from './fresh-repository.ts';
import { startReceiver } from './receiver.ts';
import { until } from './until.ts';

interface Statement {
  readonly how: 'all' | 'run' | 'stream';
  readonly sql: string;
  readonly values: readonly Bound[];
}

const fileOf = (release: string, kind: string): string =>
  join(import.meta.dirname, 'released', `${release}-${kind}.jsonl`);

/** Each statement with the values it first had, in the order of its first time. */
export function releasedStatements(release: string, kind: string): readonly Statement[] {
  const lines = readFileSync(fileOf(release, kind), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line, (_, value: unknown) => revived(value)) as Statement);
}

export async function doAgain(database: Database, { how, sql, values }: Statement): Promise<void> {
  if (how !== 'stream') await database[how](sql, values);
  else for await (const rows of database.stream(sql, values)) void rows;
}

function recorded(database: OpenDatabase, note: (statement: Statement) => void): OpenDatabase {
  const over = (connection: Connection): Connection => ({
    dialect: connection.dialect,
    all: (sql, values = []) => {
      note({ how: 'all', sql, values });
      return connection.all(sql, values);
    },
    run: (sql, values = []) => {
      note({ how: 'run', sql, values });
      return connection.run(sql, values);
    },
  });
  return {
    ...over(database),
    stream: (sql, values = [], options) => {
      note({ how: 'stream', sql, values });
      return database.stream(sql, values, options);
    },
    transaction: (work) => database.transaction((connection) => work(over(connection))),
    ping: () => database.ping(),
    abandon: () => database.abandon(),
    close: () => database.close(),
  };
}

type Tagged = { readonly bytes?: string; readonly integer?: string };

function tagged(value: Bound): Bound | Tagged {
  if (typeof value === 'bigint') return { integer: String(value) };
  return value instanceof Uint8Array ? { bytes: Buffer.from(value).toString('base64') } : value;
}

function revived(value: unknown): unknown {
  const { bytes, integer } = (typeof value === 'object' && value !== null ? value : {}) as Tagged;
  if (bytes !== undefined) return new Uint8Array(Buffer.from(bytes, 'base64'));
  return integer === undefined ? value : BigInt(integer);
}

async function record(release: string): Promise<void> {
  for (const [kind, freshUrl] of KINDS) {
    const statements = new Map<string, Statement>();
    const note = (statement: Statement): void => {
      if (!statements.has(statement.sql)) statements.set(statement.sql, statement);
    };
    const repository = { url: await freshUrl() };
    const settings = { repository, port: 0, subscriptionTargets: ['127.0.0.1'], log: pino({ level: 'silent' }) };
    const server = await startEpcisServer(settings, async (options) => {
      const database = await openDatabase(options);
      await migrate(database);
      return recorded(database, note);
    });
    await ask(server.address);
    await server.close();
    const lines = [...statements.values()].map(({ values, ...rest }) =>
      JSON.stringify({ ...rest, values: values.map(tagged) }),
    );
    writeFileSync(fileOf(release, kind), `${lines.join('\n')}\n`);
    process.stdout.write(`${fileOf(release, kind)}: ${lines.length} statements\n`);
  }
}

/** A little of everything that clients ask. */
async function ask(address: string): Promise<void> {
  const send = async (method: string, path: string, body?: string, type = 'application/json'): Promise<Response> => {
    const response = await fetch(`${address}${path}`, {
      method,
      headers: { 'content-type': type },
      body: body ?? null,
    });
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${await response.text()}`);
    return response;
  };
  const receiver = await startReceiver();
  await send('POST', '/queries', JSON.stringify({ name: 'all', query: { eventType: 'ObjectEvent' } }));
  for (const how of [{ stream: true }, { schedule: { second: '[0-59]' } }])
    await send('POST', '/queries/all/subscriptions', JSON.stringify({ dest: receiver.url, ...how }));
  const rich = objectJson({ ...RICH, '@context': [CONTEXT, { ex: 'http://example.org/' }] });
  await send('POST', '/events', rich);
  await send(
    'POST',
    '/epcis-repository/capture',
    xml1(objectXml('<bizLocation><id>urn:example:a</id></bizLocation>')),
    'text/xml',
  );
  const job = await send(
    'POST',
    '/capture',
    json2([1, 2, 3].map((n) => objectJson({ eventID: `urn:example:${n}` })).join()),
  );
  const at = new URL(job.headers.get('location') ?? '', address).pathname;
  await until('the job is done', async () => /"running":false/.test(await (await send('GET', at)).text()));
  await until('both subscriptions have delivered', () => receiver.requests.length > 1, 30_000);
  for (const path of QUERIES) await send('GET', path);
  for (const { subscriptionID } of (await (await send('GET', '/queries/all/subscriptions')).json()) as {
    subscriptionID: string;
  }[])
    await send('DELETE', `/queries/all/subscriptions/${subscriptionID}`);
  await send('DELETE', '/queries/all');
  receiver.close();
}

const RICH = {
  bizStep: 'shipping',
  disposition: 'in_transit',
  readPoint: { id: 'urn:example:door' },
  bizTransactionList: [{ type: 'po', bizTransaction: 'urn:example:order' }],
  sourceList: [{ type: 'owning_party', source: 'urn:example:from' }],
  quantityList: [{ epcClass: 'urn:epc:class:lgtin:4012345.012345.998877', quantity: 200, uom: 'KGM' }],
  sensorElementList: [{ sensorReport: [{ type: 'Temperature', value: 26, uom: 'CEL' }] }],
  'ex:colour': 'red',
  'ex:weight': 5,
};

const EPC = encodeURIComponent('urn:epc:id:sgtin:9521141.012345.7');

const QUERIES = [
  ...['/events', '/events?perPage=1', '/events?orderBy=eventTime&orderDirection=ASC&eventCountLimit=2'],
  ...[
    `/events?MATCH_anyEPC=${EPC}`,
    '/events?MATCH_epc=urn:epc:idpat:sgtin:9521141.*.*',
    '/events?EQ_bizStep=shipping|receiving',
  ],
  ...[
    '/events?EQ_disposition=in_transit&EQ_action=OBSERVE',
    '/events?EQ_readPoint=urn:example:door',
    '/events?WD_bizLocation=urn:example:a',
  ],
  ...[
    '/events?GE_eventTime=2020-01-01T00:00:00Z&LT_recordTime=2050-01-01T00:00:00Z',
    '/events?EQ_eventID=urn:example:1',
  ],
  ...[
    '/events?EQ_bizTransaction_po=urn:example:order',
    '/events?EQ_source_owning_party=urn:example:from',
    '/events?GT_quantity=5',
  ],
  ...[
    '/events?GE_ex:weight=4&EQ_ex:colour=red',
    '/events?EXISTS_ex:colour=',
    '/events?orderBy=ex:colour',
    '/events?maxEventCount=1000',
  ],
  ...[
    '/queries',
    '/queries/all',
    '/queries/all/events',
    '/queries/all/subscriptions',
    '/epcs',
    '/bizSteps',
    '/bizLocations',
    '/readPoints',
  ],
  ...[
    '/dispositions',
    '/eventTypes',
    `/epcs/${EPC}/events`,
    '/bizSteps/shipping/events',
    '/capture',
    '/eventTypes/ObjectEvent/events',
  ],
];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , release] = process.argv;
  if (release === undefined) throw new Error('Say which release this is: node test/helpers/released.ts 0.2.0');
  await record(release);
  process.exit();
}
