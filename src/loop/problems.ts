// What the operator should know of fleet and provider, one sentence each.
import { isPutOff, type Entry } from '../act/entry.ts';
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
  readonly offersProblem?: string | undefined;
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

/** What keeps the manager from acting at all, in the same sentences. */
export interface Obstacles {
  /** The provider does not answer. */
  readonly provider?: string;
  /** VMs that are wanted and can't be had. */
  readonly putOff: readonly string[];
  /** The first of them is for a person to put right. */
  readonly refused?: true;
  /** The provider gave it, but the VM in whose place it is did not come up. */
  readonly failed?: true;
  /** The provider took the order, and says what keeps the VM from coming up. */
  readonly stuck?: string;
  /** The state can't be saved. */
  readonly save?: string;
}

export function obstaclesOf({ entries, provided, listProblem, saveProblem }: Trouble): Obstacles {
  const [stuck] = notesOf(provided.filter(({ state }) => state === 'pending'));
  const waiting = entries.filter(isPutOff);
  const putOff = waiting.map(({ problem, why }) => problem ?? why);
  return {
    ...(listProblem !== undefined && { provider: `The provider does not list its VMs. ${listProblem}` }),
    ...(stuck !== undefined && { stuck }),
    ...(saveProblem !== undefined && { save: `Nothing is changed, since the state can't be saved. ${saveProblem}` }),
    ...(waiting[0]?.refused && { refused: true }),
    ...(waiting[0]?.problem === undefined && (waiting[0]?.failures ?? 0) > 0 && { failed: true }),
    putOff: [...new Set(putOff)].map((why) => `A VM is wanted but can't be had; it is tried again. ${why}`),
  };
}

/** In the provider's own words, which may lack the full stop. */
const notesOf = (provided: readonly ProvidedVm[]): readonly string[] =>
  provided.flatMap(({ id, note }) => (note === undefined ? [] : [`VM ${id}: ${note.replace(/[.]?$/, '.')}`]));

export function problemsOf(trouble: Trouble): readonly string[] {
  const { now, entries, provided, foreign, failures } = trouble;
  const { provider, putOff, save } = obstaclesOf(trouble);
  const troubled = entries.filter((entry) => entry.problem !== undefined && !isPutOff(entry));
  return [
    ...[provider, save, ...putOff].filter((sentence) => sentence !== undefined),
    ...(trouble.offersProblem === undefined
      ? []
      : [`The provider does not say what it offers; the last prices stand. ${trouble.offersProblem}`]),
    ...troubled.map(({ id, mark, phase, problem }) => `VM ${id ?? mark} (${phase}): ${problem}`),
    // what is in the way before it has failed: no host with room, a release that is stuck
    ...notesOf(provided.filter(({ state }) => state !== 'failed')),
    ...failures.filter(({ at }) => now - at < TOLD_MS).map(({ vm, why }) => `VM ${vm} was given up. ${why}`),
    ...foreign.map(
      (id) => `VM ${id} carries the group's mark but was not allocated by this manager: it is left alone.`,
    ),
  ];
}
