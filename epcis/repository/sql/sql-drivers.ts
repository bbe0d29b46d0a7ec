// Which criterion a query starts from, and how the index gives its events.
import type { Criterion, EventOrder } from '../../service/criteria.ts';
import { COLUMN_FACTS, ROW_TIMES, type Column } from '../../service/queryable-columns.ts';
import { inWindow } from './feed-window.ts';
import { epcCondition } from './epcs.ts';
import {
  between,
  compare,
  eventIdSql,
  fragment,
  inList,
  NOTHING,
  setOf,
  type Fragment,
  type SqlContext,
} from './sql.ts';

/** A field of the event's row has an index of its own, `event_<column>`, ordered by event time. */
export const columnOf = (column: Column): string => COLUMN_FACTS[column].stored.column;

/** Where `keys` reads from first. */
export interface Source {
  readonly from: Fragment;
  readonly where: Fragment;
  readonly id: string;
  /** The event's time. */
  readonly time: string;
  /** Its position in the feed, where the source is the feed. */
  readonly position?: string;
  /** The source is the event's row itself, as `e`. */
  readonly isEvent: boolean;
  /** The same event may come more than once. */
  readonly repeats: boolean;
}

const RANKS: Readonly<Record<Column, number>> = {
  readPoint: 50,
  bizLocation: 51,
  bizStep: 60,
  disposition: 61,
  type: 80,
  action: 81,
};

/** Low for what few events have in common. */
export function rankOf(criterion: Criterion): number {
  switch (criterion.kind) {
    case 'text':
      return criterion.name === 'transformationID' ? 1 : 20;
    case 'eventID':
      return 0;
    case 'epc':
      return criterion.patterns.every((pattern) => pattern.exact !== undefined) ? 10 : 30;
    case 'number':
      return criterion.comparison === '=' ? 25 : 55;
    case 'column':
    case 'elements':
      return RANKS[criterion.column];
    case 'within':
    case 'attribute':
      return RANKS[criterion.column] + 2;
    case 'time':
      return criterion.from === undefined ? 90 : 70;
    case 'feed':
      return criterion.after === undefined ? 99 : 5;
    case 'anyOf':
    case 'noneOf':
      return Infinity;
  }
}

export function driverOf(driver: Criterion | undefined, order: EventOrder, context: SqlContext): Source {
  switch (driver?.kind) {
    case 'text':
      return textSource(driver, context);
    case 'epc':
      return {
        ...posting('event_epc', epcCondition('d', driver, context)),
        repeats: driver.patterns.length > 1 || driver.patterns[0]?.exact === undefined,
      };
    case 'number': {
      const value = compare('d.value', driver.comparison, driver.values);
      return {
        ...posting(
          'event_number',
          fragment(`d.name = ? AND ${value.sql}`, [context.keys.name(driver.name), ...value.values]),
        ),
        time: 'e.event_time',
        repeats: driver.comparison !== '=' || driver.values.length > 1,
      };
    }
    case 'eventID':
      return idSource(eventIdSql(driver.values, context.keys), driver.values.length > 1, context);
    case 'feed':
      return feedSource(driver, order, context);
    case 'column': {
      const column = columnOf(driver.column);
      return events(`event_${column}`, inList(`e.${column}`, driver.values.map(context.keys.term)), context);
    }
    case 'elements': {
      const column = columnOf(driver.column);
      return events(`event_${column}`, inList(`e.${column}`, driver.ids), context);
    }
    case 'within':
    case 'attribute': {
      const column = columnOf(driver.column);
      const set = setOf(driver, context);
      const { from, ...source } = events(`event_${column}`, NOTHING, context);
      const join = context.dialect === 'mysql' ? 'JOIN' : 'CROSS JOIN';
      return { ...source, from: fragment(`(${set.sql}) w ${join} ${from.sql} ON e.${column} = w.id`, set.values) };
    }
    case 'time': {
      const { column } = ROW_TIMES[driver.column].stored;
      return events(`event_${column}`, between(`e.${column}`, driver.from, driver.before), context);
    }
    case 'anyOf':
    case 'noneOf':
    case undefined:
      return events(order.by === 'eventTime' ? 'event_event_time' : 'event_record_time', NOTHING, context);
  }
}

function feedSource(driver: Extract<Criterion, { kind: 'feed' }>, order: EventOrder, context: SqlContext): Source {
  // a first run has everything in its window but the newest
  if (driver.after === undefined) return { ...driverOf(undefined, order, context), where: inWindow('e.id', driver) };
  const ids = `SELECT fe.event_id AS id, fb.position AS position FROM feed_batch fb
    JOIN feed_event fe ON fe.batch = fb.batch WHERE fb.position > ? AND fb.position <= ?`;
  return { ...idSource(fragment(ids, [driver.after, driver.upTo]), false, context), position: 'w.position' };
}

/** The rows of these ids. */
function idSource(ids: Fragment, repeats: boolean, context: SqlContext): Source {
  const join = context.dialect === 'mysql' ? 'JOIN' : 'CROSS JOIN';
  const from = fragment(
    `(${ids.sql}) w ${join} event e ${context.dialect === 'mysql' ? 'FORCE INDEX (PRIMARY) ' : ''}ON e.id = w.id`,
    ids.values,
  );
  return { ...events('PRIMARY', NOTHING, context), from, repeats };
}

function textSource(driver: Extract<Criterion, { kind: 'text' }>, { keys }: SqlContext): Source {
  const postings = driver.values.map((value) => keys.posting(driver.name, value));
  return { ...posting('event_text', inList('d.posting', postings)), repeats: postings.length > 1 };
}

function posting(table: string, where: Fragment): Source {
  return {
    from: fragment(`${table} d`, []),
    where,
    id: 'd.event_id',
    time: 'd.event_time',
    isEvent: false,
    repeats: false,
  };
}

function events(index: string, where: Fragment, { dialect }: SqlContext): Source {
  const hint = dialect === 'mysql' ? `FORCE INDEX (${index})` : `INDEXED BY ${index}`;
  return {
    from: fragment(`event e ${hint}`, []),
    where,
    id: 'e.id',
    time: 'e.event_time',
    isEvent: true,
    repeats: false,
  };
}
