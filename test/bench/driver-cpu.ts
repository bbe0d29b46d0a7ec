// The service's own CPU per query against that of the bare driver fetching the same rows.
import { DatabaseSync } from 'node:sqlite';
import mysql from 'mysql2/promise';
import type { SqlValue } from '../../epcis/repository/database/database.ts';
import { eventsSql } from '../../epcis/repository/sql/event-sql.ts';
import { keys } from '../../epcis/repository/keys.ts';
import { parseRepositoryUrl } from '../../epcis/repository/database/url.ts';
import type { QueryService } from '../../epcis/service/services.ts';
import { planEvents } from '../../epcis/service/parameters.ts';
import { createRandom } from '../../loadgen/workload/random.ts';
import { QUESTIONS } from './questions.ts';

const QUERIES = 1000;
/** Turns until V8 has compiled what there is: it does so in threads of its own, whose time counts as the process's (8 µs a query). */
const WARM_UP = 30;
const TURNS = 31;

type Fetch = (sql: string, values: readonly SqlValue[]) => Promise<unknown>;

export async function cpuRatio(url: string, query: QueryService, lives: number, seed: number): Promise<number> {
  const { fetch, dialect, close } = await bareDriver(url);
  const trace = QUESTIONS[0];
  if (!trace) return Number.NaN;
  const asked = Array.from(
    { length: QUERIES },
    (
      (random) => () =>
        trace.ask(lives, random)
    )(createRandom(seed)),
  );
  // without rules there are no lists of values
  const statements = asked.map((parameters) =>
    eventsSql(
      { criteria: planEvents(parameters).criteria, order: { by: 'eventTime', direction: 'DESC' } },
      { dialect, keys },
    ),
  );
  const byDriver = async (): Promise<void> => {
    for (const { sql, values } of statements) await fetch(sql, values as readonly SqlValue[]);
  };
  const byService = async (): Promise<void> => {
    for (const parameters of asked)
      for await (const { source } of await query.events(parameters)) if (source.text === '') return;
  };
  // in turns, so that whatever else the machine does meets both, and the median, so that what hits one turn only doesn't count
  const ratios: number[] = [];
  for (let turn = -WARM_UP; turn < TURNS; turn += 1) {
    const driver = await cpuOf(byDriver);
    const service = await cpuOf(byService);
    if (turn >= 0) ratios.push(service / driver);
  }
  await close();
  return ratios.sort((a, b) => a - b)[(TURNS - 1) / 2] ?? Number.NaN;
}

async function cpuOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

async function bareDriver(
  url: string,
): Promise<{ fetch: Fetch; dialect: 'mysql' | 'sqlite'; close: () => Promise<void> }> {
  const parsed = parseRepositoryUrl(url);
  if (parsed.kind === 'sqlite') {
    const database = new DatabaseSync(parsed.file);
    const prepared = new Map<string, ReturnType<DatabaseSync['prepare']>>();
    const statement = (sql: string) => {
      const known = prepared.get(sql) ?? database.prepare(sql);
      prepared.set(sql, known);
      return known;
    };
    return {
      dialect: 'sqlite',
      fetch: async (sql, values) => statement(sql).all(...values),
      close: async () => database.close(),
    };
  }
  const pool = mysql.createPool({ uri: url, connectionLimit: 1, supportBigNumbers: true });
  const { BIGINT } = mysql.TypedParameter;
  const typed = (value: string | number | bigint | null | Uint8Array): mysql.ExecuteValues =>
    typeof value === 'number' || typeof value === 'bigint' ? BIGINT(value) : value;
  return {
    dialect: 'mysql',
    fetch: (sql, values) => pool.execute(sql, values.map(typed)),
    close: () => pool.end(),
  };
}
