// What all exchanges of one built-in gateway share.
import type { Admission } from '../core/admission.ts';
import type { AnswerMemory } from '../core/answer-memory.ts';
import type { GatewayDeps } from '../core/contract.ts';
import type { Tally } from '../core/counters.ts';
import type { Failure } from './forwarder.ts';
import type { GatewayOptions } from '../core/options.ts';
import type { Rates } from '../core/rates.ts';
import type { Rule, RequestFacts } from '../core/request-rules.ts';
import type { RetryBudget } from '../core/retry-budget.ts';
import type { PoolVm } from '../core/vm-pool.ts';
import type { Way } from '../core/headers.ts';
import type { KnownStreams } from './known-streams.ts';
import type { VmConnections } from './vm-connections.ts';

export type BuiltInVm = PoolVm<VmConnections>;

/** A proxy of our own that clients reach this gateway through. It loses an answer that comes before the upload has ended. */
export interface Front {
  /** The field in which it says who the client is. */
  readonly clientField: string;
  /** The field in which it tells the subject of the certificate that the client showed. */
  readonly certificateField: string;
  /** The field by which it is known, and what stands there: without it nobody is believed. */
  readonly proofField: string;
  readonly proof: string;
}

export interface Core {
  readonly front: Front | undefined;
  readonly options: GatewayOptions;
  readonly namesVm: boolean;
  readonly way: Way;
  readonly deps: GatewayDeps;
  readonly admission: Admission<VmConnections>;
  readonly tally: Tally;
  readonly budget: RetryBudget;
  readonly classify: (request: RequestFacts) => number;
  readonly mayRepeat: Rule;
  /** Bytes, and connections. */
  readonly uploadRates: Rates;
  readonly answerRates: Rates;
  readonly connectionRates: Rates;
  readonly upgradeRates: Rates;
  readonly strangerRates: Rates;
  readonly abandonedRates: Rates;
  readonly answerMemory: AnswerMemory;
  /** Undefined: clients need not be known. */
  readonly streams: KnownStreams | undefined;
  /** Exchanges that may wait for their client: they are looked at every now and then. */
  readonly waitingForClient: Set<{ look(now: number): void }>;
  readonly nextRequestId: () => string;
  /** A request or a probe found the VM in trouble. */
  readonly vmFailed: (vm: BuiltInVm, failure: Failure | 'errors', why: string) => void;
  /** A VM said that what all share is away. */
  readonly tellApart: () => void;
}
