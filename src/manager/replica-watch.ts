// Looks from time to time how far the replica that queries read from (repository.readUrl) is behind.
import type { Connection, Database } from '../../epcis/repository/database/database.ts';
import type { Facts } from '../loop/finding.ts';
import type { Millis } from '../model.ts';
import type { Log } from '../telemetry/log.ts';

/** The newest event's id, which grows with the time of its capture; undefined: there is none. */
export type Newest = bigint | undefined;

interface Look {
  readonly at: Millis;
  readonly newest: Newest;
}

/** More than so far back nobody has to know it exactly. */
const MOST_LOOKS = 1_800;

/**
 * What the primary had, look by look, and so how far behind is who has less. Example: it had 7 at 0 s and 9 at 2 s; who has 7 at 5 s
 * is 3 s behind, who has 9 is not.
 */
export class Lag {
  #looks: Look[] = [];

  primary(at: Millis, newest: Newest): void {
    const last = this.#looks.at(-1);
    if (last?.newest === newest && last !== undefined) return;
    // what was deleted is missed by nobody
    if ((newest ?? -1n) < (last?.newest ?? -1n)) this.#looks = [];
    this.#looks.push({ at, newest });
    if (this.#looks.length > MOST_LOOKS) this.#looks.shift();
  }

  behind(at: Millis, newest: Newest): Millis {
    const missed = this.#looks.find((look) => (look.newest ?? -1n) > (newest ?? -1n));
    return missed === undefined ? 0 : Math.max(0, at - missed.at);
  }
}

export interface ReplicaWatch {
  /** Undefined: there is no replica, or it was not asked yet. */
  readonly newest: () => NonNullable<Facts['repository']>['replica'];
  readonly close: () => Promise<void>;
}

const LOOK_EVERY_MS = 2_000;

export function watchReplica(
  database: Pick<Database, 'all' | 'replica'>,
  log: Pick<Log, 'hide'>,
  everyMs: number = LOOK_EVERY_MS,
): ReplicaWatch {
  const { replica } = database;
  if (replica === undefined) return { newest: () => undefined, close: async () => {} };
  const lag = new Lag();
  let seen: ReturnType<ReplicaWatch['newest']>;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  async function look(): Promise<void> {
    try {
      lag.primary(Date.now(), await newestOf(database));
      try {
        const newest = await newestOf(replica as Pick<Connection, 'all'>);
        seen = { lag: lag.behind(Date.now(), newest) };
      } catch (error) {
        seen = { why: log.hide((error as Error).message.replace(/[.]$/, '')) };
      }
    } catch {
      // of a primary that is away another look tells
    }
    if (!closed) timer = setTimeout(again, everyMs);
  }

  const again = (): void => void (looking = look());
  let looking = look();
  return {
    newest: () => seen,
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await looking;
    },
  };
}

async function newestOf(database: Pick<Connection, 'all'>): Promise<Newest> {
  const [row] = await database.all('SELECT CAST(MAX(id) AS CHAR(20)) AS newest FROM event');
  const newest = row?.['newest'];
  return typeof newest === 'string' ? BigInt(newest) : undefined;
}
