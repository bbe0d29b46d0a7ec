// The port between the services and storage: events and master data, whatever the database. Types only.
import type { CapturedEvent, VocabularyElement } from '../domain/event.ts';
import type { StoredEvent, ValuePage } from './services.ts';
import type { Criterion, ElementScope, EventQuery, Position } from './criteria.ts';
import type { Column } from './queryable-columns.ts';

export interface EventRow extends StoredEvent {
  /** Its place in the order of the query that found it. */
  readonly position: Position;
  /** Bytes of its source. */
  readonly size: number;
  /** Which of the query's marks it meets. */
  readonly marks: readonly boolean[];
}

export interface EventWriter {
  /** Returns how many were new; what the repository held already (same identity) stays as it is. */
  events(batch: readonly CapturedEvent[]): Promise<number>;
  /** Whether an event that is no error declaration has this ID; nobody can give it to another one until this commits. */
  holds(eventID: string): Promise<boolean>;
  /** Merged into what is known: attributes of the same name are replaced, children are added. */
  vocabulary(elements: readonly VocabularyElement[]): Promise<void>;
}

export interface VocabularyQuery {
  readonly vocabularies?: readonly string[];
  readonly names?: readonly string[];
  /** These elements or what is below them, at any depth. */
  readonly within?: readonly string[];
  /** Has one of these attributes. */
  readonly hasAttribute?: readonly string[];
  readonly attributeValues?: readonly { readonly attribute: string; readonly values: readonly string[] }[];
  /** Only elements in one of these scopes are there at all: to be found, to have attributes, to be above others or below. */
  readonly among?: readonly ElementScope[];
  readonly limit?: number;
}

export interface EventRepository {
  /**
   * What `work` writes is committed together or not at all. `work` is done again after a conflict with another VM or a lost
   * connection, so it must be able to give everything once more.
   */
  write<T>(work: (writer: EventWriter) => Promise<T>): Promise<T>;
  /** In the order asked for. Read as a stream; leaving the loop early releases the cursor. QueryTooComplexException. */
  events(query: EventQuery): AsyncIterable<EventRow>;
  /** How many there are, counted no further than `atMost`. */
  count(query: EventQuery, atMost: number): Promise<number>;
  vocabulary(query: VocabularyQuery): AsyncIterable<VocabularyElement>;
  /** Distinct values of a column, or of all EPCs, in alphabetical order of their keys; of the events that meet the criteria. */
  values(
    of: Column | 'epc',
    limit: number,
    after: string | undefined,
    criteria?: readonly Criterion[],
  ): Promise<ValuePage>;
}
