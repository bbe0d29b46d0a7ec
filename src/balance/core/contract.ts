// What a data plane offers, whichever carries the traffic. (`add`, `drain` and `remove` are act's GatewayPort.)
import type { Address, Millis } from '../../model.ts';
import type { Access } from '../../access/access.ts';
import type { KeyRecord } from '../../access/keys.ts';
import type { GroupTrust } from '../../tls/group.ts';
import type { Tracer } from '../../../epcis/tracing/tracer.ts';
import type { Counters } from './counters.ts';

export interface Gateway {
  /** Where clients connect. */
  readonly address: Address;

  /** Whether they connect by TLS. */
  readonly secure: boolean;

  /** Requests may go to this VM from now on. Adding a VM that is there is no error. */
  add(id: string, address: Address): Promise<void>;

  /**
   * No new request goes to this VM once the call has been taken; resolves with true when its last request in
   * flight has ended, or after `deadlineMs` with false. Draining an unknown VM is done at once.
   */
  drain(id: string, deadlineMs: number): Promise<boolean>;

  /** Forgets the VM. Requests still in flight at it are cut off. Unknown ids are no error. */
  remove(id: string): Promise<void>;

  /** The load of a VM in per cent in the last period, for selectors that go by it. */
  reportLoad(id: string, load: number): void;

  fleet(): readonly VmView[];

  /** From now on clients may use these keys, and no others. */
  setKeys(keys: readonly KeyRecord[]): Promise<void>;

  /** Which keys those are that clients may use now (`digestOf`). */
  readonly keys: string;

  /** Cumulative: take differences of two readings (traffic.ts). */
  counters(): Counters;

  /** What is the matter with it that calls do not tell, one sentence each. */
  readonly problems?: readonly string[];

  /** What one of several was started with, each setting as a digest: all of them should have the same. */
  readonly settings?: Readonly<Record<string, string>>;

  /**
   * Takes no new connection, lets requests end, stops. `lastRequestsMs`: clients' connections that are idle are kept for so long, and
   * what comes on them is answered with `Connection: close`. For where another gateway stands beside this one: a close at once
   * meets requests that are on their way.
   */
  close(lastRequestsMs?: number): Promise<void>;

  /** Where the data plane is a process of its own: lets go of it and leaves it running, for the next one to take over. */
  abandon?(): Promise<void>;
}

/** A VM as the gateway sees it. */
export interface VmView {
  readonly id: string;
  readonly address: Address;
  readonly state: 'ready' | 'draining' | 'out';
  /** Why it is out, for people. */
  readonly note?: string;
  readonly inFlight: number;
  /** Requests it takes at once. */
  readonly limit: number;
  /** Upgraded connections. */
  readonly tunnels: number;
  /** Its share while it starts slowly: 0.1 to 1. */
  readonly share: number;
  /** Its response time of late in ms, for people (the built-in plane: decaying, peaks first); 0: nothing measured. */
  readonly responseTime: number;
}

/** The part of a logger that the gateway uses (pino's form). */
export interface GatewayLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface GatewayDeps {
  /** Milliseconds since the epoch, with fractions where the clock has them. */
  readonly now: () => Millis;
  readonly log: GatewayLog;
  /** How VMs are known by TLS; without it they are spoken to in plain HTTP. */
  readonly vmTrust?: GroupTrust;
  /** Who may ask what; without it anybody may ask anything. */
  readonly access?: Access;
  /** Origins whose pages may read the gateway's own answers: those that may use the VMs. */
  readonly corsOrigins?: readonly string[];
  /** Whose requests are traced; without it what clients say of their traces goes to the VMs as it is. */
  readonly tracer?: Tracer;
  /** What the haproxy data plane needs. */
  readonly haproxy?: {
    /** Where its configuration and its socket are kept; a manager that comes again finds its HAProxy by it. */
    readonly folder: string;
    /** Starts HAProxy with these arguments, detached, so that it outlives a manager that crashes. */
    start(args: readonly string[]): StartedProcess;
  };
}

/** The part of a child process that is used here. */
export interface StartedProcess {
  once(event: 'exit' | 'error', listener: () => void): unknown;
}
