// Port: what the admin server needs of the manager. The composition root wires it.
import type { ElasticityParameters } from '../decide/parameters.ts';
import type { ManagerView } from '../loop/view.ts';
import type { DecisionRecord } from '../model.ts';

export interface AdminSource {
  /** The manager as it is now. Called about once a second while somebody looks. */
  view(): ManagerView;

  /** The latest periods, newest first, holds too. */
  decisions(limit: number): readonly DecisionRecord[];

  /** The configuration in force, without secrets. */
  config(): unknown;

  /**
   * Changes parameters from the next period on, validated as a whole with those that stay.
   * Throws an MmeliotError (CONFIG_INVALID) that says in one sentence why the change can't hold.
   */
  setParameters(changes: Readonly<Record<string, unknown>>, who: string): Promise<ChangeResult>;

  /** Takes a VM out of the fleet for a person, or gives it back. Throws BAD_REQUEST where that can't be. */
  keepVm(id: string, who: string): Promise<void>;
  giveBackVm(id: string, who: string): Promise<void>;

  /** The parameters that were changed while it ran and differ from the configuration. */
  changedParameters(): readonly string[];
}

export interface ChangeResult {
  readonly parameters: ElasticityParameters;
  /** Sentences about settings that hold but are asking for trouble. */
  readonly warnings: readonly string[];
}
