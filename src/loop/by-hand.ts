// What people did beside all decisions, in words.
import type { Millis } from '../model.ts';
import type { HandRecord } from './journal.ts';

/** So long the explanation tells of it. */
const TOLD_MS = 600_000;

/** `By hand, 2 min ago: ada drained vm-3.` Newest first, a few of them. */
export const handSentences = (records: readonly HandRecord[], now: Millis): readonly string[] =>
  records
    .filter(({ at, deed }) => now - at < TOLD_MS && deed.what !== 'acknowledge')
    .slice(0, 3)
    .map(({ at, who, deed }) => `By hand, ${agoOf(now - at)}: ${who} ${deedText(deed)}.`);

/** `drained vm-3`, after who did it. */
export function deedText(deed: HandRecord['deed']): string {
  switch (deed.what) {
    case 'add':
      return `added ${deed.count === 1 ? 'one VM' : `${deed.count} VMs`}`;
    case 'acknowledge':
      return `looks after: ${deed.problem}`;
    default:
      return `${PAST[deed.what]} ${deed.vm}`;
  }
}

const PAST = { keep: 'kept', release: 'gave back', drain: 'drained', replace: 'replaced' } as const;

const agoOf = (ms: Millis): string =>
  ms < 60_000 ? `${Math.max(0, Math.round(ms / 1_000))} s ago` : `${Math.floor(ms / 60_000)} min ago`;
