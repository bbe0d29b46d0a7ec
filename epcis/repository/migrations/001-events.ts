// Events, their index, and master data. The README draws it.
//
// Keys named BIGINT are the first 64 bits of a SHA-256 (of a term's canonical form, or of a name), `posting` and attribute
// values the first 128 (of a name and a value). Times are microseconds since 1970. `event.id` is made by the VM that
// captures (milliseconds and chance), so that no server hands out numbers; no order of time is ever taken from it.
import type { Dialect } from '../database/database.ts';
import type { Migration } from './migration.ts';

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  readonly indexes?: Readonly<Record<string, string>>;
  /** The rows are few and short enough to stand in the primary key's tree. InnoDB always does that, SQLite is told to. */
  readonly clustered: boolean;
}

const BY_TIME = ['type', 'action', 'biz_step', 'disposition', 'read_point', 'biz_location'];

/** BYTES(n), TEXT(n), BLOB and ID are the types that the dialects name differently. */
const TABLES: readonly Table[] = [
  {
    name: 'setting',
    columns: ['name VARCHAR(50) NOT NULL PRIMARY KEY', 'value VARCHAR(200) NOT NULL'],
    clustered: true,
  },
  {
    name: 'event',
    columns: [
      'id ID NOT NULL PRIMARY KEY',
      'hash BYTES(32) NOT NULL',
      'variant BIGINT NOT NULL',
      'event_time BIGINT NOT NULL',
      'record_time BIGINT NOT NULL',
      'type BIGINT NOT NULL',
      ...BY_TIME.slice(1).map((column) => `${column} BIGINT`),
      'payload BLOB NOT NULL',
    ],
    indexes: {
      event_event_time: '(event_time)',
      event_record_time: '(record_time)',
      ...Object.fromEntries(BY_TIME.map((column) => [`event_${column}`, `(${column}, event_time)`])),
    },
    clustered: false,
  },
  {
    name: 'event_epc',
    columns: [
      'epc TEXT(255) NOT NULL',
      'event_time BIGINT NOT NULL',
      'event_id BIGINT NOT NULL',
      'roles SMALLINT NOT NULL',
      'PRIMARY KEY (epc, event_time, event_id)',
    ],
    clustered: true,
  },
  {
    name: 'event_text',
    columns: [
      'posting BYTES(16) NOT NULL',
      'event_time BIGINT NOT NULL',
      'event_id BIGINT NOT NULL',
      'PRIMARY KEY (posting, event_time, event_id)',
    ],
    clustered: true,
  },
  {
    name: 'event_number',
    columns: [
      'name BIGINT NOT NULL',
      'value DOUBLE NOT NULL',
      'event_id BIGINT NOT NULL',
      'PRIMARY KEY (name, value, event_id)',
    ],
    indexes: { event_number_of: '(event_id, name, value)' },
    clustered: true,
  },
  {
    name: 'term',
    columns: ['kind SMALLINT NOT NULL', 'id BIGINT NOT NULL', 'value TEXT(1000) NOT NULL', 'PRIMARY KEY (kind, id)'],
    indexes: { term_value: '(kind, value)' },
    clustered: true,
  },
  {
    name: 'vocabulary_element',
    columns: [
      'vocabulary BIGINT NOT NULL',
      'element BIGINT NOT NULL',
      'content BLOB NOT NULL',
      'PRIMARY KEY (vocabulary, element)',
    ],
    indexes: { vocabulary_element_of: '(element)' },
    clustered: false,
  },
  {
    name: 'vocabulary_attribute',
    columns: [
      'attribute BIGINT NOT NULL',
      'value BYTES(16) NOT NULL',
      'element BIGINT NOT NULL',
      'vocabulary BIGINT NOT NULL',
      'PRIMARY KEY (attribute, value, element, vocabulary)',
    ],
    indexes: { vocabulary_attribute_of: '(element, vocabulary)' },
    clustered: true,
  },
  {
    name: 'vocabulary_child',
    columns: ['parent BIGINT NOT NULL', 'child BIGINT NOT NULL', 'PRIMARY KEY (parent, child)'],
    clustered: true,
  },
];

const UNIQUE: Readonly<Record<string, string>> = { event: 'event_identity (hash, variant)' };

function mysql({ name, columns, indexes = {} }: Table): readonly string[] {
  const keys = Object.entries(indexes).map(([index, of]) => `INDEX ${index} ${of}`);
  const unique = UNIQUE[name] === undefined ? [] : [`UNIQUE INDEX ${UNIQUE[name]}`];
  const all = [...columns, ...unique, ...keys].join(', ');
  return [`CREATE TABLE IF NOT EXISTS ${name} (${typed(all, 'mysql')}) ENGINE=InnoDB CHARACTER SET utf8mb4`];
}

function sqlite({ name, columns, indexes = {}, clustered }: Table): readonly string[] {
  const end = clustered ? ') WITHOUT ROWID' : ')';
  const unique = UNIQUE[name]?.replace(' ', ` ON ${name} `);
  return [
    `CREATE TABLE IF NOT EXISTS ${name} (${typed(columns.join(', '), 'sqlite')}${end}`,
    ...(unique === undefined ? [] : [`CREATE UNIQUE INDEX IF NOT EXISTS ${unique}`]),
    ...Object.entries(indexes).map(([index, of]) => `CREATE INDEX IF NOT EXISTS ${index} ON ${name} ${of}`),
  ];
}

function typed(columns: string, dialect: Dialect): string {
  const types =
    dialect === 'mysql' ? ['BINARY($1)', 'VARBINARY($1)', 'LONGBLOB', 'BIGINT'] : ['BLOB', 'TEXT', 'BLOB', 'INTEGER'];
  const [bytes = '', text = '', blob = '', id = ''] = types;
  return columns
    .replace(/\bBLOB\b/g, blob)
    .replace(/\bBYTES\((\d+)\)/g, bytes)
    .replace(/\bTEXT\((\d+)\)/g, text)
    .replace(/\bID\b/g, id);
}

export const events: Migration = {
  version: 1,
  name: 'events and master data',
  statements: { mysql: TABLES.flatMap(mysql), sqlite: TABLES.flatMap(sqlite) },
};
