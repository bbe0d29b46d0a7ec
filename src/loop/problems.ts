// What the operator should know of fleet and provider, one sentence each.
import { isPutOff, type Entry } from '../act/ledger.ts';
import type { ProvidedVm } from '../act/provider.ts';
import type { Millis } from '../model.ts';

export interface Trouble {
  readonly now: Millis;
  readonly entries: readonly Entry[];
  /** What the provider last listed. */
  readonly provided: readonly ProvidedVm[];
  /** VMs of the group that nobody explains. */
  readonly foreign: readonly string[];
  readonly failures: readonly Failure[];
  readonly listProblem: string | undefined;
  readonly saveProblem: string | undefined;
}

/** A VM that was given up. */
export interface Failure {
  readonly at: Millis;
  readonly vm: string;
  readonly why: string;
}

/** So long an operator is told of a VM that was given up. */
const TOLD_MS = 600_000;

export function problemsOf(trouble: Trouble): readonly string[] {
  const { now, entries, provided, foreign, failures, listProblem, saveProblem } = trouble;
  const putOff = entries.filter(isPutOff).map(({ problem, why }) => problem ?? why);
  const troubled = entries.filter((entry) => entry.problem !== undefined && !isPutOff(entry));
  return [
    ...(listProblem === undefined ? [] : [`The provider does not list its VMs. ${listProblem}`]),
    ...(saveProblem === undefined ? [] : [`Nothing is changed, since the state can't be saved. ${saveProblem}`]),
    ...[...new Set(putOff)].map((why) => `A VM is wanted but can't be had; it is tried again. ${why}`),
    ...troubled.map(({ id, mark, phase, problem }) => `VM ${id ?? mark} (${phase}): ${problem}`),
    // what is in the way before it has failed: no host with room, a release that is stuck
    ...provided
      .filter(({ state, note }) => note !== undefined && state !== 'failed')
      .map(({ id, note }) => `VM ${id}: ${note}`),
    ...failures.filter(({ at }) => now - at < TOLD_MS).map(({ vm, why }) => `VM ${vm} was given up. ${why}`),
    ...foreign.map(
      (id) => `VM ${id} carries the group's mark but was not allocated by this manager: it is left alone.`,
    ),
  ];
}
