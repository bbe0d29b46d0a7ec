// Port: what the admin server needs of the manager. The composition root wires it.
import type { VmView } from '../balance/core/contract.ts';
import type { ElasticityParameters } from '../decide/common/parameters.ts';
import type { DecisionRecord, Fleet, Millis, Traffic } from '../model.ts';

export interface AdminSource {
  /** The manager as it is now. Called about once a second while somebody looks. */
  state(): ManagerState;

  /** The latest periods, newest first, holds too. */
  decisions(limit: number): readonly DecisionRecord[];

  /** The configuration in force, without secrets. */
  config(): unknown;

  /**
   * Changes parameters from the next period on, validated as a whole with those that stay.
   * Throws an MmeliotError (CONFIG_INVALID) that says in one sentence why the change can't hold.
   */
  setParameters(changes: Readonly<Record<string, unknown>>, by: Author): Promise<ChangeResult>;
}

export interface ManagerState {
  readonly at: Millis;
  readonly startedAt: Millis;
  readonly version: string;
  readonly group: string;
  /** The provider's name. */
  readonly provider: string;
  /** Where clients connect, as a URL. */
  readonly gateway: string;
  readonly fleet: Fleet;
  /** The same VMs as the gateway sees them: those it was told of. */
  readonly gatewayVms: readonly Pick<VmView, 'id' | 'inFlight' | 'limit' | 'responseTime' | 'state' | 'note'>[];
  /** Traffic of late, the last seconds. */
  readonly traffic: Traffic;
  /** The last period; undefined before the first. */
  readonly last?: DecisionRecord;
  /** What the last decision was and what would have to change for the others, a sentence each. */
  readonly explanation?: readonly string[];
  readonly parameters: ElasticityParameters;
  readonly lastChange?: Author;
  /** VM-minutes since the manager started. */
  readonly energy: number;
  readonly problems: readonly Problem[];
}

/** Something that an operator should know or put right. */
export interface Problem {
  readonly since: Millis;
  readonly severity: 'warning' | 'error';
  /** One sentence. */
  readonly message: string;
}

export interface Author {
  readonly who: string;
  readonly at: Millis;
}

export interface ChangeResult {
  readonly parameters: ElasticityParameters;
  /** Sentences about settings that hold but are asking for trouble. */
  readonly warnings: readonly string[];
}
