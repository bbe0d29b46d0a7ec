import type { Dialect } from '../database/database.ts';

/**
 * One step of the schema. Applied once, in the order of `version`, however many VMs start at the same moment.
 *
 * A step adds: programs of earlier versions go on beside it, and can be started again after it, as VMs are replaced one by one.
 * So a new column has a default or may be NULL, nothing is renamed, and what programs still name is not dropped. Where that cannot be, it
 * `breaks`.
 */
export interface Migration {
  readonly version: number;
  readonly name: string;
  /** Programs that do not know this step are not to run on a schema that has it. */
  readonly breaks?: true;
  readonly statements: Readonly<Record<Dialect, readonly string[]>>;
}
