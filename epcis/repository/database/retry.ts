import { backOff } from '../../domain/back-off.ts';
import { codeOf } from './errors.ts';

/** The other side won, or the server is about to go on elsewhere: the same work may well succeed at once. */
const CONFLICTS = new Set([
  'ER_LOCK_DEADLOCK',
  'ER_LOCK_WAIT_TIMEOUT',
  'ER_CHECKREAD',
  'ER_NEED_REPREPARE',
  'ER_UNKNOWN_STMT_HANDLER',
]);

/** The connection, or the server behind it, is of no use any more: another connection may be. */
const LOST = new Set([
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_SEQUENCE_TIMEOUT',
  'PROTOCOL_UNEXPECTED_PACKET',
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ER_SERVER_SHUTDOWN',
  'ER_CONNECTION_KILLED',
  'ER_NORMAL_SHUTDOWN',
  'ER_QUERY_INTERRUPTED',
  'ER_CLIENT_INTERACTION_TIMEOUT',
  'ER_CON_COUNT_ERROR',
  'ER_UNKNOWN_COM_ERROR', // a Galera member that is not part of the primary component
  'ER_OPTION_PREVENTS_STATEMENT', // a former primary, read-only now
]);

export function isConflict(error: unknown): boolean {
  return CONFLICTS.has(codeOf(error));
}

export function isLost(error: unknown): boolean {
  if (LOST.has(codeOf(error))) return true;
  return error instanceof Error && /closed state|Connection lost|Pool is closed/.test(error.message);
}

/** Tries again, with growing pauses and some chance in them so that competitors part: 12 tries last about 15 s. */
export async function retrying<T>(attempt: (n: number) => Promise<T>, again: (error: unknown) => boolean): Promise<T> {
  for (let n = 0; ; n += 1) {
    try {
      return await attempt(n);
    } catch (error) {
      if (n >= 11 || !again(error)) throw error;
      await pause(n);
    }
  }
}

/** n = 0: up to 20 ms, n = 3: up to 160 ms, n >= 7: 1 to 2.5 s. */
export function pause(n: number): Promise<void> {
  const longest = backOff(n + 1, 20, 2_500);
  return new Promise((resolve) => setTimeout(resolve, longest * (0.4 + 0.6 * Math.random())));
}
