// What stands between the doors (bindings) and the repository: two services, no HTTP, no SQL. Types only.
import type { Position } from './criteria.ts';
import type { CapturedEvent, VocabularyElement } from '../domain/event.ts';

/** What a document reader yields, in document order. It throws an EpcisException where the document is wrong. */
export type CaptureItem =
  | {
      readonly kind: 'event';
      readonly captured: CapturedEvent;
      readonly at: string;
      readonly warnings?: readonly Warning[];
    }
  | { readonly kind: 'vocabulary'; readonly element: VocabularyElement; readonly at: string };

/** What a check of the operator's says of an event that is captured all the same. */
export interface Warning {
  readonly rule: string;
  readonly reason: string;
  readonly at: string;
}

export interface CaptureOptions {
  /** rollback: all of a document or nothing. proceed: what is valid is kept, what isn't is reported. */
  readonly errorBehaviour: 'rollback' | 'proceed';
  /**
   * With rollback: an event whose ID another event has is refused (ResourceAlreadyExistsException), unless it declares that
   * one an error.
   */
  readonly newIDs?: boolean;
}

export interface CaptureResult {
  readonly captured: number;
  /** Events that the repository held already (same identity): nothing changed. */
  readonly duplicates: number;
  readonly vocabularyElements: number;
  /** proceed only: what was refused and why. */
  readonly errors: readonly { readonly type: string; readonly reason: string; readonly at?: string }[];
  readonly warnings: readonly Warning[];
}

export interface CaptureService {
  /** Resolves when everything is committed. Holds one batch of events in memory, never the document. */
  capture(items: AsyncIterable<CaptureItem>, options: CaptureOptions): Promise<CaptureResult>;
}

/** One query parameter as a door received it; the parameter registry knows what type it must have. */
export interface QueryParameter {
  readonly name: string;
  /** REST: split at `|`. SOAP: the strings of a list, or one entry. Empty for a void value. */
  readonly values: readonly string[];
}

/** An event as stored: what was captured, and when. */
export interface StoredEvent extends CapturedEvent {
  readonly recordTime: string;
  /** Without fields that are hidden from who asks. Its source and its hash, which tell of them, are not for the client. */
  readonly isPartial?: true;
}

export interface EventPage {
  /** Read as a stream; closing the iterator early releases what it holds. */
  readonly events: AsyncIterable<StoredEvent>;
  /** Known once `events` is exhausted: where the next page starts, undefined at the end. */
  next(): string | undefined;
}

export interface PageRequest {
  readonly perPage: number;
  /** From an earlier page's `next()`. */
  readonly after?: string;
}

export interface TraceRequest {
  readonly epc: string;
  /** back: what it was made from; forward: what became of it. */
  readonly direction: 'back' | 'forward' | 'both';
  /** Steps from EPC to EPC; 0: its own events only. */
  readonly depth: number;
  /** Whether what was packed into an EPC is followed, too. */
  readonly contents: boolean;
}

export type TraceRole = 'subject' | 'parent' | 'child' | 'input' | 'output';

/** An event with those of its EPCs that the trace follows, by their canonical keys. */
export interface TracedEvent {
  readonly stored: StoredEvent & { readonly position: Position };
  readonly roles: ReadonlyMap<string, TraceRole>;
}

export interface Trace {
  /** In order of time. */
  readonly events: readonly TracedEvent[];
  /** Canonical key → as an event wrote it. */
  readonly epcs: ReadonlyMap<string, string>;
  /** Set where there was more than a trace may hold: what was left out. */
  readonly bounded?: string;
}

export interface ValuePage {
  readonly values: readonly string[];
  /** Where the next page starts, undefined at the end. */
  readonly next?: string;
}

export interface QueryService {
  /** SimpleEventQuery, whole result. More than maxEventCount: QueryTooLargeException before the first event. */
  events(parameters: readonly QueryParameter[]): Promise<AsyncIterable<StoredEvent>>;
  /** SimpleEventQuery, page by page (REST). */
  eventPage(parameters: readonly QueryParameter[], page: PageRequest): Promise<EventPage>;
  /** All events with this ID: an error declaration shares the ID of the event it declares wrong. */
  eventsById(id: string): Promise<readonly StoredEvent[]>;
  /** The life of an EPC (trace.ts). */
  trace(request: TraceRequest): Promise<Trace>;
  /** SimpleMasterDataQuery. */
  vocabularies(parameters: readonly QueryParameter[]): Promise<AsyncIterable<VocabularyElement>>;
  /** The distinct values of a top-level resource, the standard's own among them, page by page. */
  values(
    of: 'eventTypes' | 'epcs' | 'bizSteps' | 'bizLocations' | 'readPoints' | 'dispositions',
    page: PageRequest,
  ): Promise<ValuePage>;
}
