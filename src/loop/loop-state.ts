// What the view and the conditions are made of.
import type { VmView } from '../balance/core/contract.ts';
import type { ElasticityParameters } from '../decide/parameters.ts';
import type { Fleet, Millis } from '../model.ts';
import type { Market } from '../fleet/offers.ts';
import type { Bill } from './costs.ts';
import type { BoundRecord } from './history.ts';
import type { HandRecord, ParameterPatch } from './journal.ts';
import type { Obstacles } from './problems.ts';

/** What the control loop says of itself. */
export interface LoopState {
  readonly at: Millis;
  readonly startedAt: Millis;
  /** Counts up from 1, over restarts. */
  readonly period: number;
  /** When the next decision is due. */
  readonly nextPeriodAt: Millis;
  /** In force. */
  readonly parameters: ElasticityParameters;
  /** Changed ones, which the next period begins with. */
  readonly pendingParameters?: ElasticityParameters;
  readonly fleet: Fleet;
  /** The last period; undefined before the first. */
  readonly last?: BoundRecord;
  /** VM-minutes since the manager started. */
  readonly energy: number;
  readonly bill: Bill;
  /** What the provider offers, and what of it is not asked for at the moment. */
  readonly market: Market;
  /** Changes of the settings, newest first. */
  readonly changes: readonly ParameterChange[];
  /** Of those, what holds: also what is the same as the configuration, as long as nobody takes it back. */
  readonly overrides: readonly Override[];
  /** What people did beside all decisions, newest first. */
  readonly byHand: readonly HandRecord[];
  /** The provider has listed its VMs at least once. */
  readonly providerAnswered: boolean;
  readonly obstacles: Obstacles;
  /** One sentence each; empty: all is well. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

export interface ParameterChange {
  readonly at: Millis;
  readonly who: string;
  readonly patch: ParameterPatch;
  /** What takes it back: the values that were set before (null: the configured ones); absent in older journals. */
  readonly before?: ParameterPatch;
}

export interface Override {
  readonly name: string;
  readonly value: unknown;
  readonly configured: unknown;
}

/** What is read of the gateway's VMs. */
export type GatewayVm = Pick<VmView, 'id' | 'inFlight' | 'limit' | 'responseTime' | 'state' | 'note'>;
