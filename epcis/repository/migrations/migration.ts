import type { Dialect } from '../database/database.ts';

/** One step of the schema. Applied once, in the order of `version`, however many VMs start at the same moment. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly statements: Readonly<Record<Dialect, readonly string[]>>;
}
