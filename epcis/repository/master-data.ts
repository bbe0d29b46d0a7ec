// Master data: elements with their attributes and children.
import { tooLarge, WORTH, type DocumentLimits } from '../domain/document-limits.ts';
import type { VocabularyElement } from '../domain/event.ts';
import type { Connection, Database, Row } from './database/database.ts';
import { insertRows } from './database/insert.ts';
import { keys } from './keys.ts';
import type { ElementScope } from '../service/criteria.ts';
import type { VocabularyQuery } from '../service/repository.ts';
import { attributeSql, belowSql, fragment, inList, inScopes, join, type Fragment, type SqlContext } from './sql/sql.ts';
import { textOf } from './terms.ts';

/** Merged into what is known: attributes of the same name are replaced, children are added. */
export async function storeElements(
  connection: Connection,
  elements: readonly VocabularyElement[],
  limits?: ElementLimits,
): Promise<void> {
  for (const element of elements) {
    const [vocabulary, id] = [keys.term(element.vocabulary), keys.term(element.id)];
    const lock = connection.dialect === 'mysql' ? ' FOR UPDATE' : '';
    const [row] = await connection.all(
      `SELECT content FROM vocabulary_element WHERE vocabulary = ? AND element = ?${lock}`,
      [vocabulary, id],
    );
    const merged = row ? merge(parse(row['content']), element) : element;
    const content = Buffer.from(JSON.stringify(merged));
    if (row && limits) refuseGrown(merged, content, limits);
    if (row)
      await connection.run('UPDATE vocabulary_element SET content = ? WHERE vocabulary = ? AND element = ?', [
        content,
        vocabulary,
        id,
      ]);
    else
      await connection.run('INSERT INTO vocabulary_element (vocabulary, element, content) VALUES (?, ?, ?)', [
        vocabulary,
        id,
        content,
      ]);
    await index(connection, merged, vocabulary, id);
  }
}

/** Of what an element may have at most in one document. */
export type ElementLimits = Pick<DocumentLimits, 'itemBytes' | 'itemValues'>;

/** As stored it is written out, and may be longer than it was sent. */
const WRITTEN_OUT = 2;

/** Each capture adds to it, and reads and writes all of it. */
function refuseGrown(
  { id, attributes, children }: VocabularyElement,
  { length }: Buffer,
  { itemBytes, itemValues }: ElementLimits,
): void {
  if (
    attributes.length + (children.length * WORTH.listed) / WORTH.any <= itemValues &&
    length <= WRITTEN_OUT * itemBytes
  )
    return;
  throw tooLarge(
    `the vocabulary element '${id}' has as many attributes and children as it may have, with those that were captured before`,
    itemValues,
  );
}

function merge(known: VocabularyElement, given: VocabularyElement): VocabularyElement {
  const names = new Set(given.attributes.map((attribute) => attribute.id));
  return {
    ...known,
    attributes: [...known.attributes.filter((attribute) => !names.has(attribute.id)), ...given.attributes],
    children: [...new Set([...known.children, ...given.children])],
  };
}

async function index(
  connection: Connection,
  { attributes, children }: VocabularyElement,
  vocabulary: bigint,
  id: bigint,
): Promise<void> {
  await connection.run('DELETE FROM vocabulary_attribute WHERE element = ? AND vocabulary = ?', [id, vocabulary]);
  const verb = connection.dialect === 'mysql' ? 'INSERT IGNORE' : 'INSERT OR IGNORE';
  const rows = attributes.map((attribute) => [
    keys.name(attribute.id),
    keys.posting('attribute', typeof attribute.value === 'string' ? attribute.value : ''),
    id,
    vocabulary,
  ]);
  const columns = ['attribute', 'value', 'element', 'vocabulary'];
  await insertRows(connection, 'vocabulary_attribute', columns, rows, { verb });
  const below = children.map((child) => [id, keys.term(child)]);
  await insertRows(connection, 'vocabulary_child', ['parent', 'child'], below, { verb });
}

const parse = (content: unknown): VocabularyElement => JSON.parse(textOf(content)) as VocabularyElement;

export async function* readElements(database: Database, query: VocabularyQuery): AsyncGenerator<VocabularyElement> {
  const { within, among } = query;
  const below = within && among && (await belowAmong(database, within, among));
  const { sql, values } = elementsSql(query, { dialect: database.dialect, keys }, below);
  for await (const rows of database.stream(sql, values)) for (const [content] of rows) yield parse(content);
}

/** By way of elements that are among these, whose relations their content tells: an element of one name may be of several vocabularies. */
export async function belowAmong(
  database: Database,
  roots: readonly string[],
  among: readonly ElementScope[],
): Promise<readonly bigint[]> {
  const scope = inScopes('v', among, { dialect: database.dialect, keys });
  const ofElements = async (column: string, ids: readonly bigint[]): Promise<readonly Row[]> => {
    const found: Row[] = [];
    for (let from = 0; from < ids.length; from += LOOK_UP) {
      const some = inList('v.element', ids.slice(from, from + LOOK_UP));
      const sql = `SELECT ${column} AS found FROM vocabulary_element v WHERE ${some.sql} AND ${scope.sql}`;
      found.push(...(await database.all(sql, [...some.values, ...scope.values])));
    }
    return found;
  };
  const found = new Set(roots.map(keys.term));
  for (let level = [...found]; level.length > 0;) {
    const told = (await ofElements('v.content', level)).flatMap((row) => parse(row['found']).children);
    const fresh = [...new Set(told.map(keys.term))].filter((id) => !found.has(id));
    const seen = await ofElements('CAST(v.element AS CHAR(20))', fresh);
    level = [...new Set(seen.map((row) => BigInt(textOf(row['found']))))];
    for (const id of level) found.add(id);
  }
  return [...found];
}

/** Elements looked up in one statement. */
const LOOK_UP = 256;

/** `below`: what is within, where that was looked up. */
function elementsSql(query: VocabularyQuery, context: SqlContext, below?: readonly bigint[]): Fragment {
  const conditions: Fragment[] = [];
  const having = (attributes: readonly string[], values?: readonly string[]): void => {
    const asked = { attributes, ...(values && { values }), ...(query.among && { among: query.among }) };
    const set = attributeSql('a.element, a.vocabulary', asked, context);
    conditions.push(fragment(`(v.element, v.vocabulary) IN (${set.sql})`, set.values));
  };
  if (query.vocabularies) conditions.push(inList('v.vocabulary', query.vocabularies.map(keys.term)));
  if (query.names) conditions.push(inList('v.element', query.names.map(keys.term)));
  if (query.among) conditions.push(inScopes('v', query.among, context));
  if (below) conditions.push(inList('v.element', below));
  else if (query.within) {
    const { sql, values } = belowSql(query.within.map(keys.term), context);
    conditions.push(fragment(`v.element IN (${sql})`, values));
  }
  if (query.hasAttribute) having(query.hasAttribute);
  for (const { attribute, values } of query.attributeValues ?? []) having([attribute], values);
  const where = join(conditions, ' AND ');
  return fragment(
    `SELECT v.content AS content FROM vocabulary_element v ${where.sql && `WHERE ${where.sql}`}
     ORDER BY v.vocabulary, v.element ${query.limit === undefined ? '' : 'LIMIT ?'}`,
    [...where.values, ...(query.limit === undefined ? [] : [query.limit])],
  );
}
