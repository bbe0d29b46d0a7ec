// The rules that are in force on this VM: those of the repository, looked at again and again, so that what was applied anywhere
// holds everywhere.
import { askedBy } from '../access/rules/client-rights.ts';
import { readRules } from '../access/rules/read.ts';
import type { Rule } from '../access/rules/rule.ts';
import { currentRules, indexForRules, rulesVersion } from '../repository/access-rules.ts';
import type { Database } from '../repository/database/database.ts';
import { every } from './poll.ts';

export interface RulesInForce {
  /** The same list until others are applied. */
  readonly rules: () => readonly Rule[];
  readonly close: () => Promise<void>;
}

/** What was applied holds after so long at the latest, on every VM that reaches the repository. */
export const RULES_WITHIN_MS = 2000;

/** Resolves when they are read: nobody is served by none. */
export async function watchRules(
  database: Database,
  logFailure: (error: unknown, what: string) => string,
): Promise<RulesInForce> {
  let version = 0;
  let rules: readonly Rule[] = [];
  const look = async (): Promise<void> => {
    if ((await rulesVersion(database)) === version) return;
    const current = await currentRules(database);
    if (current === undefined) return;
    const read = readRules(JSON.parse(current.rules));
    await indexForRules(database, askedBy(read));
    ({ version } = current);
    rules = read;
  };
  await look();
  const poll = every(RULES_WITHIN_MS / 2, look, logFailure);
  return { rules: () => rules, close: () => poll.stop() };
}
