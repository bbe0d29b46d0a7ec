// VMs that were asked for lately, by their marks, and that no list has shown yet: the answer did not come in time, or who is asked
// for a list is a follower that does not know of them. Without this a second VM would be asked for by the same mark.
import type { Millis } from '../src/model.ts';

export interface Asked {
  /** `why`: what came in place of an answer. */
  isInDoubt(mark: string, why: string): void;
  isMade(mark: string, id: string): void;
  /** There is none, and none will come; or it is seen, or released. */
  forget(mark: string): void;
  forgetVm(id: string): void;
  made(mark: string): string | undefined;
  /** Why nobody knows whether there will be a VM; undefined: there is no doubt, or no more. */
  doubt(mark: string): string | undefined;
  anyInDoubt(): boolean;
}

interface One {
  readonly until: Millis;
  readonly id?: string;
  readonly why?: string;
}

/** A follower is behind its leader by less than that: mostly by milliseconds. */
const LAG_MS = 60_000;

export function createAsked(doubtMs: Millis, now: () => Millis): Asked {
  const marks = new Map<string, One>();
  const recent = (): ReadonlyMap<string, One> => {
    for (const [mark, { until }] of marks) if (now() > until) marks.delete(mark);
    return marks;
  };
  return {
    isInDoubt: (mark, why) => void marks.set(mark, { why, until: now() + doubtMs }),
    isMade: (mark, id) => void marks.set(mark, { id, until: now() + LAG_MS }),
    forget: (mark) => void marks.delete(mark),
    forgetVm(id) {
      for (const [mark, one] of marks) if (one.id === id) marks.delete(mark);
    },
    made: (mark) => recent().get(mark)?.id,
    doubt: (mark) => recent().get(mark)?.why,
    anyInDoubt: () => [...recent().values()].some(({ why }) => why !== undefined),
  };
}
