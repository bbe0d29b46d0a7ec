import type { SqlValue } from '../database/database.ts';

/** What one run covers. */
export interface FeedWindow {
  /** Delivered before; undefined in a subscription's first run, which covers all that is older too. */
  readonly after: number | undefined;
  readonly upTo: number;
}

/**
 * The window as a condition on the row id of an event. The first run reaches back beyond the feed (whose delivered part is
 * purged), so it takes what is not in the feed's later part; those events come with the second run.
 */
export function inWindow(eventId: string, { after, upTo }: FeedWindow): { sql: string; values: readonly SqlValue[] } {
  const ids = `SELECT fe.event_id FROM feed_batch fb JOIN feed_event fe ON fe.batch = fb.batch WHERE`;
  if (after !== undefined) {
    return { sql: `${eventId} IN (${ids} fb.position > ? AND fb.position <= ?)`, values: [after, upTo] };
  }
  return { sql: `${eventId} NOT IN (${ids} fb.position IS NULL OR fb.position > ?)`, values: [upTo] };
}
