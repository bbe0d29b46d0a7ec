// What a query asks, as data: made by the parameter registry (service/parameters.ts), turned into SQL by sql.ts.
import type { KeyPattern } from '../domain/epc-pattern.ts';
import type { Column, RowTime } from './queryable-columns.ts';

export type Comparison = '=' | '>' | '>=' | '<' | '<=';

/** A list means any of it; several criteria mean all of them. */
export type Criterion =
  | { readonly kind: 'column'; readonly column: Column; readonly values: readonly string[] }
  /** The column is one of these or, by master data, something below them. */
  | {
      readonly kind: 'within';
      readonly column: Column;
      readonly roots: readonly string[];
      readonly among?: readonly ElementScope[];
    }
  /** What a repository makes of the former for itself: the keys of these few elements. */
  | { readonly kind: 'elements'; readonly column: Column; readonly ids: readonly bigint[] }
  /** The column's value has master data with one of these attributes; with `values`: with one of these values. */
  | {
      readonly kind: 'attribute';
      readonly column: Column;
      readonly attributes: readonly string[];
      readonly values?: readonly string[];
      readonly among?: readonly ElementScope[];
    }
  /** Microseconds since 1970: from <= time < before. */
  | {
      readonly kind: 'time';
      readonly column: RowTime;
      readonly from?: number;
      readonly before?: number;
    }
  /** The event's ID is one of these; an event without one has its hash. */
  | { readonly kind: 'eventID'; readonly values: readonly string[] }
  | { readonly kind: 'epc'; readonly roles: number; readonly patterns: readonly KeyPattern[] }
  /** A named text of the event (service/facts.ts) is one of these. `isAsked`: among the alternatives of rules what a query asks for. */
  | { readonly kind: 'text'; readonly name: string; readonly values: readonly string[]; readonly isAsked?: true }
  /** A named number of the event; several values with `=` only. */
  | {
      readonly kind: 'number';
      readonly name: string;
      readonly comparison: Comparison;
      readonly values: readonly number[];
    }
  /** All criteria of one of these lists; of none where there is none. */
  | { readonly kind: 'anyOf'; readonly of: Alternatives }
  /** Of none of these lists all criteria. */
  | { readonly kind: 'noneOf'; readonly of: Alternatives }
  /** In this window of the feed (feed.ts): for subscriptions. */
  | { readonly kind: 'feed'; readonly after: number | undefined; readonly upTo: number };

/** Lists of criteria: all of one of them. An empty list is met by every event. */
export type Alternatives = readonly (readonly Criterion[])[];

/** Elements of master data: of these vocabularies and of these names and below these; all where nothing is said. */
export interface ElementScope {
  readonly vocabularies?: readonly string[];
  readonly names?: readonly string[];
  readonly within?: readonly string[];
}

export interface EventOrder {
  /** feed: as events became visible, one run's window (a criterion `feed`) of them; a first run's by record time. */
  readonly by: 'eventTime' | 'recordTime' | 'feed';
  readonly direction: 'ASC' | 'DESC';
}

/** The place of an event in an order. The id decides between events of the same time; it is no time itself. */
export interface Position {
  /** Microseconds since 1970; in the order of the feed the position there. */
  readonly time: number;
  /** In decimal: it has 63 bits. */
  readonly id: string;
}

export interface EventQuery {
  readonly criteria: readonly Criterion[];
  readonly order: EventOrder;
  /** At most so many, the first in order. */
  readonly limit?: number;
  /** Only what comes later in the order than this. */
  readonly after?: Position;
  /** Which of these each event meets is told with it. */
  readonly marks?: readonly Alternatives[];
}
