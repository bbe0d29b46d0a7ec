// The rules of who may see what, in the repository: every version as it was applied, by whom and from where.
import type { Alternatives, Criterion } from '../service/criteria.ts';
import type { Database, Row } from './database/database.ts';
import { codeOf, isDenied, RepositoryError } from './database/errors.ts';
import { iso, nowSql, text } from './leases.ts';
import { areLookedForByEvent } from './sql/at-hand.ts';

export interface StoredRules {
  readonly version: number;
  /** As the operator wrote it, and as JSON. */
  readonly source: string;
  readonly rules: string;
  readonly appliedAt: string;
  readonly appliedBy: string;
  readonly appliedFrom: string;
}

/** Older versions are forgotten. */
const KEPT = 100;

/** 0: none were ever applied. */
export async function rulesVersion(database: Database): Promise<number> {
  const [row] = await database.all('SELECT MAX(version) AS version FROM access_rules');
  return Number(row?.['version'] ?? 0);
}

export async function currentRules(database: Database): Promise<StoredRules | undefined> {
  const [row] = await database.all('SELECT * FROM access_rules ORDER BY version DESC LIMIT 1');
  return row && rulesOf(row);
}

/** The newest first. */
export async function rulesHistory(database: Database): Promise<readonly StoredRules[]> {
  const rows = await database.all('SELECT * FROM access_rules ORDER BY version DESC');
  return rows.map(rulesOf);
}

/** The version that they have from now on. Of two who apply at once one comes after the other. */
export async function applyRules(
  database: Database,
  { source, rules, appliedBy, appliedFrom }: Pick<StoredRules, 'source' | 'rules' | 'appliedBy' | 'appliedFrom'>,
): Promise<number> {
  return database.transaction(async (connection) => {
    const [row] = await connection.all('SELECT MAX(version) AS version FROM access_rules');
    const version = Number(row?.['version'] ?? 0) + 1;
    await connection.run(
      `INSERT INTO access_rules (version, source, rules, applied_at, applied_by, applied_from)
       VALUES (?, ?, ?, ${nowSql(connection.dialect)}, ?, ?)`,
      [version, source, rules, appliedBy.slice(0, 255), appliedFrom.slice(0, 255)],
    );
    await connection.run('DELETE FROM access_rules WHERE version <= ?', [version - KEPT]);
    return version;
  });
}

/**
 * By these the EPCs and the texts of an event at hand are found, which only rules ask for, so they are made for the first of them. They stay
 * when no rule asks for them any more: VMs go by the former ones for a while, and others may come.
 */
const INDEXES = {
  event_epc_of: 'event_epc (event_id, epc, roles)',
  event_text_of: 'event_text (event_id, posting)',
} as const;

/**
 * For what rules ask of events, those of all clients together. On a large repository this takes minutes, while it serves (MySQL) or waits
 * (SQLite).
 */
export async function indexForRules(database: Database, asked: readonly Alternatives[]): Promise<void> {
  const all = asked.flat().flatMap(leavesOf);
  const texts = all.flatMap((each) => (each.kind === 'text' ? each.values : []));
  if (all.some(({ kind }) => kind === 'epc')) await makeIndex(database, 'event_epc_of');
  if (areLookedForByEvent(texts)) await makeIndex(database, 'event_text_of');
}

function leavesOf(criteria: readonly Criterion[]): readonly Criterion[] {
  return criteria.flatMap((each) =>
    each.kind === 'anyOf' || each.kind === 'noneOf' ? each.of.flatMap(leavesOf) : [each],
  );
}

async function makeIndex(database: Database, name: keyof typeof INDEXES): Promise<void> {
  const table = INDEXES[name];
  if (database.dialect === 'sqlite') {
    await database.run(`CREATE INDEX IF NOT EXISTS ${name} ON ${table}`);
    return;
  }
  const [known] = await database.all(
    'SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE() AND index_name = ?',
    [name],
  );
  if (known !== undefined) return;
  await database.run(`CREATE INDEX ${name} ON ${table}`).catch((error: unknown) => {
    if (codeOf(error) === 'ER_DUP_KEYNAME') return; // another VM was first
    if (!isDenied(error)) throw error;
    throw new RepositoryError(
      'REPOSITORY_URL',
      `These rules need the index ${name} of the repository, which this user of the database may not make: ` +
        'run "mmeliot access rules apply" with the URL of one who may.',
      { cause: error },
    );
  });
}

function rulesOf(row: Row): StoredRules {
  return {
    version: Number(row['version']),
    source: text(row, 'source'),
    rules: text(row, 'rules'),
    appliedAt: iso(Number(row['applied_at'])),
    appliedBy: text(row, 'applied_by'),
    appliedFrom: text(row, 'applied_from'),
  };
}
