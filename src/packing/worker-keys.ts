// The keys by which workers sign: each gets another one now and then.
import type { Millis } from '../model.ts';
import type { PackingState, Worker } from './state.ts';

/** A worker reads its new key before its next report. */
const FORMER_KEY_MS = 60_000;

/** What it may sign with: its key, and the one before until the newer one is surely in use. */
export function keysOf({ key, formerKey, keyed, keySince }: Worker, now: Millis): readonly string[] {
  const isOver = keyed && now - keySince > FORMER_KEY_MS;
  return formerKey === undefined || isOver ? [key] : [key, formerKey];
}

/** Workers whose key is older than that with another one; undefined: there are none. */
export function rekeyed(
  state: PackingState,
  olderThan: Millis,
  now: Millis,
  newKey: () => string,
): PackingState | undefined {
  const due = [...state.workers.values()].filter(
    ({ keyed, keySince, leaving, failed }) => keyed && !leaving && failed === undefined && now - keySince > olderThan,
  );
  if (due.length === 0) return undefined;
  const workers = new Map(state.workers);
  for (const worker of due)
    workers.set(worker.mark, {
      ...worker,
      ...{ key: newKey(), formerKey: worker.key, keySince: now, keyed: undefined },
    });
  return { ...state, workers };
}
