// What both doors are given: the services they open to, and the documents they read and write. Types only.
import type { CaptureService, QueryService, StoredEvent } from '../../service/services.ts';
import type { ExportService } from '../../service/exports.ts';
import type { JobService, ReadDocument } from '../../service/jobs.ts';
import type { NamedQueryService } from '../../service/named-queries.ts';
import type { SubscriptionService } from '../../service/subscriptions.ts';
import type { VocabularyElement } from '../../domain/event.ts';
import type { Report } from '../../service/findings.ts';
import type { ClientIdentity } from '../../access/identity.ts';
import type { IncomingMessage } from 'node:http';
import type { Log } from './failure.ts';

export interface Services {
  readonly capture: CaptureService;
  readonly query: QueryService;
  readonly jobs: JobService;
  readonly queries: NamedQueryService;
  readonly subscriptions: SubscriptionService;
  readonly exports: ExportService;
  /** Empties the repository (Fosstrak's dbReset); absent where the configuration does not allow it. */
  readonly reset?: () => Promise<void>;
}

/** Undefined in the doors' place: access is off, and everybody may do everything. */
export interface Clients {
  /** Undefined: nobody vouches for who asks. */
  of(request: IncomingMessage): ClientIdentity | undefined;
  /** The services as this client has them. */
  services(client: ClientIdentity): Services;
  /** Documents as they are read for it. */
  documents(client: ClientIdentity): Documents;
}

/** How events are written for one client. */
export interface WriteStyle {
  readonly form: 'json' | 'xml';
  /** Of XML: 1.2 is what Fosstrak-era clients read. */
  readonly version: '1.2' | '2.0';
  /** GS1-EPC-Format; without it nothing is translated. */
  readonly epcFormat?: string;
  /** GS1-CBV-XML-Format; without it nothing is translated. */
  readonly cbvFormat?: string;
}

export interface Documents {
  readonly read: ReadDocument;
  /** Checks a document, or a single event, and captures nothing. */
  validate(body: AsyncIterable<Uint8Array>, about: Parameters<ReadDocument>[1], what?: 'event'): Promise<Report>;
  /** A single event, as `POST /events` takes it. */
  readonly readEvent: ReadDocument;
  /** The same bytes, refused where they are no document whatever they say: cut off, no UTF-8, beyond a limit. */
  check(bytes: AsyncIterable<Uint8Array>, about: Parameters<ReadDocument>[1]): AsyncIterable<Uint8Array>;
  /** One event for a document: a JSON object, or an XML element, complete with its context (but the standard's) or namespaces. */
  event(stored: StoredEvent, style: WriteStyle): string;
  /** One event that stands alone: with the standard's context, too. */
  singleEvent(stored: StoredEvent, style: WriteStyle): string;
  /** The `VocabularyList` element. */
  vocabularyList(elements: AsyncIterable<VocabularyElement>): AsyncIterable<string>;
  /** An EPC in the form asked for by GS1-EPC-Format. */
  epc(epc: string, epcFormat: string | undefined): string;
  /** A vocabulary URI as JSON writes it: the bare word of a standard value, else the URI. */
  word(uri: string): string;
}

export interface Limits {
  /** Bytes of one capture request, after decompression. */
  readonly captureBytes: number;
  /** Events of one capture request. */
  readonly captureEvents: number;
  /** Characters of a request's URI. */
  readonly uriLength: number;
  /** Bytes of any other request's body: a SOAP envelope, a query definition, a subscription. */
  readonly requestBytes: number;
  /** Bytes a second of what a client sends on a WebSocket. */
  readonly socketBytesPerSecond: number;
  /** The largest `perPage` a client can ask for. */
  readonly pageSize: number;
  /** Of one query. */
  readonly queryParameters: number;
  readonly queryValues: number;
}

export interface Doors {
  readonly services: Services;
  /** With access on: who may come in, and to which services instead. */
  readonly clients?: Clients;
  /** Who asks; with access on, behind `admitted`. */
  readonly client?: ClientIdentity;
  readonly documents: Documents;
  readonly limits: Limits;
  /** Bytes from which an answer is compressed, for a client that asks for it. */
  readonly compressFrom: number;
  readonly log: Log;
  readonly now: () => Date;
}
