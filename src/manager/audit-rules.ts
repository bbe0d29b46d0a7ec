// Rules are applied to a repository, with or without a manager: the audit tells of them as the repository does.
import type { StoredRules } from '../../epcis/repository/access-rules.ts';
import type { AuditEntry, AuditLog } from '../admin/source.ts';

export interface RulesOf {
  readonly tenant?: string;
  /** All versions that are known, the newest first. */
  readonly history: () => Promise<readonly StoredRules[]>;
}

/** `onProblem`: of a repository that does not answer nothing is told. */
export function auditWithRules(
  log: AuditLog,
  repositories: readonly RulesOf[],
  onProblem: (error: unknown) => void,
): AuditLog {
  const applied = async ({ tenant, history }: RulesOf): Promise<readonly AuditEntry[]> => {
    try {
      return rulesApplied(await history(), tenant);
    } catch (error) {
      onProblem(error);
      return [];
    }
  };
  return {
    note: (entry) => log.note(entry),
    async latest(limit) {
      const [noted, ...others] = await Promise.all([log.latest(limit), ...repositories.map(applied)]);
      // the sort is stable: of one moment as each told it
      return [noted, ...others]
        .flat()
        .sort((a, b) => Date.parse(b.at) - Date.parse(a.at))
        .slice(0, limit);
    },
  };
}

/** What changed is told by the rules' names, against the version before; of the oldest known by those it has. */
export function rulesApplied(newestFirst: readonly StoredRules[], tenant?: string): readonly AuditEntry[] {
  return newestFirst.map(({ version, appliedAt, appliedBy, appliedFrom, rules }, n) => {
    const now = byName(rules);
    const before = byName(newestFirst[n + 1]?.rules);
    const added = [...now.keys()].filter((name) => !before.has(name));
    const removed = [...before.keys()].filter((name) => !now.has(name));
    const changed = [...now].filter(([name, rule]) => before.has(name) && before.get(name) !== rule);
    return {
      ...{ at: appliedAt, who: appliedBy, from: appliedFrom },
      what: `access rules apply${tenant === undefined ? '' : ` --tenant ${tenant}`}`,
      change: { version, added, removed, changed: changed.map(([name]) => name) },
    };
  });
}

function byName(rules = '{}'): ReadonlyMap<string, string> {
  const { rules: all = [] } = JSON.parse(rules) as { readonly rules?: readonly { readonly name: string }[] };
  return new Map(all.map((rule) => [rule.name, JSON.stringify(rule)]));
}
