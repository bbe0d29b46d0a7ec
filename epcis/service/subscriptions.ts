// Standing queries of both bindings. They live in the repository; whichever VM claims a due run delivers it.
import type { ExceptionName } from '../domain/exceptions.ts';
import type { ScheduleFields } from './schedule.ts';
import type { QueryParameter, StoredEvent } from './services.ts';

/** The form in which results are written for the receiver; `soap` is EPCIS 1.x XML. */
export interface ResultForm {
  readonly form: 'soap' | 'json' | 'xml';
  /** GS1-EPC-Format and GS1-CBV-XML-Format of the subscribing request. */
  readonly epcFormat?: string;
  readonly cbvFormat?: string;
}

/** When to run. Exactly one of the three, else SubscriptionControlsException. */
export interface Controls {
  readonly schedule?: ScheduleFields;
  /** SOAP: a trigger URI the configuration knows. Such a subscription runs as soon as matching events are captured. */
  readonly trigger?: string;
  /** REST: run as soon as matching events are captured. */
  readonly stream?: boolean;
}

export interface SubscriptionRequest extends Controls {
  readonly queryName: string;
  /** SOAP: the client's name for it. REST: absent, the service makes one. */
  readonly id?: string;
  /** SOAP: parameters beside those of the named query. */
  readonly parameters?: readonly QueryParameter[];
  readonly destination: string;
  /** REST: key of the GS1-Signature header. */
  readonly signatureToken?: string;
  /** Default: now. */
  readonly initialRecordTime?: string;
  readonly reportIfEmpty?: boolean;
  readonly result: ResultForm;
}

export interface Subscription extends Omit<SubscriptionRequest, 'id' | 'signatureToken' | 'parameters'> {
  readonly id: string;
  readonly createdAt: string;
  readonly initialRecordTime: string;
  readonly reportIfEmpty: boolean;
  /** The last delivered run; at first the initialRecordTime. */
  readonly minRecordTime: string;
  /** When the receiver last answered 2xx. */
  readonly lastNotifiedAt?: string;
}

/** A WebSocket subscription lives as long as its socket, on the VM that holds it. */
export type SocketRequest = Omit<SubscriptionRequest, 'id' | 'destination' | 'signatureToken'>;

export interface SubscriberSocket {
  /** Resolves when the document is on its way to the client, rejects when the socket is gone. */
  send(document: string): Promise<void>;
  /** The subscription ended on this side (its query was deleted, the VM closes): close the socket. */
  end(): void;
}

export interface OpenSubscription {
  readonly subscription: Subscription;
  /** Call when the socket closes. */
  close(): Promise<void>;
}

export interface SubscriptionService {
  /**
   * NoSuchNameException, SubscribeNotPermittedException, InvalidURIException, SubscriptionControlsException,
   * DuplicateSubscriptionException, QueryParameterException.
   */
  subscribe(request: SubscriptionRequest): Promise<Subscription>;
  /** The exceptions of `subscribe`. */
  open(request: SocketRequest, socket: SubscriberSocket): Promise<OpenSubscription>;
  /** NoSuchSubscriptionException. With a queryName it must be a subscription to that query (REST). */
  unsubscribe(id: string, queryName?: string): Promise<void>;
  get(id: string, queryName?: string): Promise<Subscription>;
  /** Those of one query, in the order of their IDs. NoSuchNameException. */
  list(queryName: string): Promise<readonly Subscription[]>;
}

/** What the bindings write for a receiver: one EPCISQueryDocument (or the problem, in the JSON form). */
export interface WriteResult {
  results(about: Notice, events: readonly StoredEvent[]): { readonly mediaType: string; readonly text: string };
  exception(about: Notice, name: ExceptionName, reason: string): { readonly mediaType: string; readonly text: string };
}

export interface Notice {
  readonly queryName: string;
  readonly subscriptionId: string;
  readonly result: ResultForm;
}
