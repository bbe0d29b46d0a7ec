// Port: subscriptions in the repository, and the runs that are claimed from them. Times and leases run by its clock.
import type { ClientIdentity } from '../access/identity.ts';
import type { EventPage, PageRequest, QueryParameter } from './services.ts';
import type { Subscription } from './subscriptions.ts';

export interface StoredSubscription extends Subscription {
  /** Those of the named query and those of the subscribing request together. */
  readonly parameters: readonly QueryParameter[];
  readonly signatureToken?: string;
  /** Whose it is, with whose rights it runs; none: made while access was off. */
  readonly client?: ClientIdentity;
  /**
   * The initialRecordTime as the client gave it. Without one a subscription begins with what is captured after it, told
   * by the feed and not by a recordTime, which is of another clock.
   */
  readonly recordedSince?: string;
}

export interface NewSubscription extends Omit<
  StoredSubscription,
  'createdAt' | 'minRecordTime' | 'lastNotifiedAt' | 'initialRecordTime' | 'client'
> {
  /** First run, ms since 1970. */
  readonly runAt: number;
  /** The VM that holds the WebSocket. */
  readonly socketOwner?: string;
}

/** Right to deliver until the lease runs out. */
export interface RunClaim {
  readonly id: string;
  readonly owner: string;
  readonly attempt: number;
  readonly subscription: StoredSubscription;
  /** Failed tries since the last delivery. */
  readonly failures: number;
  /** Its receiver took what it was sent last. */
  readonly isProven: boolean;
}

/** `ownSockets`: only of those whose socket the owner holds; `proven`: only of receivers that took what they were sent last. */
export interface WhichRun {
  readonly ownSockets?: boolean;
  readonly proven?: boolean;
}

/** One run: the same window and the same place in it, whichever VM goes on with it. */
export interface Run {
  /** Of the feed: delivered before (undefined: nothing yet) and last position of this run. */
  readonly after: number | undefined;
  readonly upTo: number;
  /** When the run began, ms since 1970. */
  readonly time: number;
  /** Where the next page starts, and how many events went before it. */
  readonly cursor: string | undefined;
  readonly sent: number;
}

export interface SubscriptionStore {
  now(): Promise<number>;
  /** Undefined: the ID is taken. */
  create(subscription: NewSubscription): Promise<StoredSubscription | undefined>;
  find(id: string): Promise<StoredSubscription | undefined>;
  /** Without their parameters: a query may have thousands. */
  list(queryName: string): Promise<readonly StoredSubscription[]>;
  /** How many there are, of all queries. */
  count(): Promise<number>;
  /** False: there is none. */
  delete(id: string, queryName?: string): Promise<boolean>;

  /** How many runs are due, at work or not, but for those of sockets, which only the VM that holds the socket can do. */
  due(): Promise<number>;
  /** The subscription that has been due longest and that nobody delivers. */
  claim(owner: string, leaseSeconds: number, which?: WhichRun): Promise<RunClaim | undefined>;
  renew(claim: RunClaim, leaseSeconds: number): Promise<boolean>;
  /** The run at work, or a new one up to what is captured by now. Undefined: the claim is lost. */
  begin(claim: RunClaim): Promise<Run | undefined>;
  /** A page was accepted and more follow. False: the claim is lost. */
  progress(claim: RunClaim, cursor: string, sent: number): Promise<boolean>;
  /** The run is over: the next one starts where it ended. */
  finish(claim: RunClaim, next: { readonly runAt: number; readonly notified: boolean }): Promise<void>;
  /** Gives the run back, to be gone on with after the delay. */
  postpone(claim: RunClaim, delaySeconds: number, failures: number): Promise<void>;

  /** The subscriptions of this VM's sockets that still exist. */
  socketsOf(owner: string): Promise<readonly string[]>;
  renewSockets(owner: string, leaseSeconds: number): Promise<void>;
  /** Forgets subscriptions whose sockets died with their VM. */
  dropLostSockets(): Promise<void>;
}

/** Port: SimpleEventQuery within a run's window of the feed. */
export interface RunQuery {
  /** Page by page, in an order that stays the same from try to try: without orderBy what was committed first comes first. */
  page(parameters: readonly QueryParameter[], window: RunWindow, page: PageRequest): Promise<EventPage>;
  /** How many there are, counted no further than `atMost`; of all without a window. */
  count(parameters: readonly QueryParameter[], window: RunWindow | undefined, atMost: number): Promise<number>;
}

export type RunWindow = Pick<Run, 'after' | 'upTo'>;
