// What can be asked of an event's own row: one entry each, from which the row, its texts, the parameters and PARAMETERS.md
// come. What is under `stored` is the format of repositories that exist: a number that was given is never changed nor given
// again. A further column needs a migration that adds it, with its index.
import { cbvUri, type CbvKind } from '../domain/cbv.ts';
import { eventTypeOf } from '../domain/event-shape.ts';
import type { EpcisEvent } from '../domain/event.ts';
import { timeOf } from './text-values.ts';

export interface ColumnFact {
  /** Its column in the table of events, and what kind of term its values are (`term.kind`). */
  readonly stored: { readonly column: string; readonly kind: number };
  readonly parameter: string;
  readonly meaning: string;
  /** Makes one value of the ways in which it may be written. */
  readonly canonical?: (value: string) => string;
  /** Another value is refused. */
  readonly only?: readonly string[];
  /** The parameter that takes what master data has below the value, too. */
  readonly within?: string;
  /** HASATTR_ and EQATTR_ ask for the master data of its value. */
  readonly hasMasterData: boolean;
  readonly of: (event: EpcisEvent) => string | undefined;
}

/** Bare words, URNs and web URIs of the standard's vocabularies are one value. */
export const vocabulary =
  (kind: CbvKind) =>
  (value: string): string =>
    cbvUri(kind, value) ?? value;

export const COLUMN_FACTS = {
  type: {
    stored: { column: 'type', kind: 0 },
    parameter: 'eventType',
    meaning: 'The type of the event, or the URI of an extension type.',
    canonical: eventTypeOf,
    hasMasterData: false,
    of: ({ type }) => type,
  },
  action: {
    stored: { column: 'action', kind: 1 },
    parameter: 'EQ_action',
    meaning: '`ADD`, `OBSERVE` or `DELETE`.',
    only: ['ADD', 'OBSERVE', 'DELETE'],
    hasMasterData: false,
    of: (event) => event.action,
  },
  bizStep: {
    stored: { column: 'biz_step', kind: 2 },
    parameter: 'EQ_bizStep',
    meaning: 'The business step.',
    canonical: vocabulary('bizStep'),
    hasMasterData: true,
    of: ({ bizStep }) => bizStep,
  },
  disposition: {
    stored: { column: 'disposition', kind: 3 },
    parameter: 'EQ_disposition',
    meaning: 'The disposition.',
    canonical: vocabulary('disposition'),
    hasMasterData: true,
    of: ({ disposition }) => disposition,
  },
  readPoint: {
    stored: { column: 'read_point', kind: 4 },
    parameter: 'EQ_readPoint',
    meaning: 'The read point.',
    within: 'WD_readPoint',
    hasMasterData: true,
    of: ({ readPoint }) => readPoint?.id,
  },
  bizLocation: {
    stored: { column: 'biz_location', kind: 5 },
    parameter: 'EQ_bizLocation',
    meaning: 'The business location.',
    within: 'WD_bizLocation',
    hasMasterData: true,
    of: ({ bizLocation }) => bizLocation?.id,
  },
} as const satisfies Readonly<Record<string, ColumnFact>>;

/** Fields that stand in the event's own row. */
export type Column = keyof typeof COLUMN_FACTS;

export const COLUMNS = Object.entries(COLUMN_FACTS) as readonly [Column, ColumnFact][];

/** Times that stand in the event's own row, in microseconds since 1970, with GE_ and LT_. */
export const ROW_TIMES = {
  eventTime: {
    stored: { column: 'event_time' },
    meaning: 'Happened',
    of: ({ eventTime }: EpcisEvent) => timeOf(eventTime, 'optional') ?? 0,
  },
  /** Of the capture, not of the event. */
  recordTime: { stored: { column: 'record_time' }, meaning: 'Captured' },
} as const;

export type RowTime = keyof typeof ROW_TIMES;
