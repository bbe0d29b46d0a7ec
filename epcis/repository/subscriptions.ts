// Subscriptions in SQL. Which events a run covers is the feed's business (feed.ts).
import type {
  NewSubscription,
  Run,
  RunClaim,
  StoredSubscription,
  SubscriptionStore,
  WhichRun,
} from '../service/subscriptions-store.ts';
import type { Database, Row, SqlValue } from './database/database.ts';
import type { ClientIdentity } from '../access/identity.ts';
import { sequence } from './feed.ts';
import { storedQueryName } from './named-queries.ts';
import { clientOf, shownName, storedName } from './ownership.ts';
import { change, claim, insertNew, iso, now, nowSql, optionalNumber, optionalText, renew, text } from './leases.ts';

/** A socket whose VM has not said for this long that it is there died with it. */
const SOCKET_SECONDS = 60;

/** What a list tells of each: not the parameters, which may be a megabyte, nor what is for the receiver only. */
const LISTED =
  "id, query_name, '[]' AS parameters, destination, schedule, trigger_uri, result, report_if_empty, created_at, " +
  'initial_record_time, last_run_at, last_notified_at';

/** `client`: whose subscriptions these are. Work on runs takes those of all. */
export function createSubscriptionStore(database: Database, client?: ClientIdentity): SubscriptionStore {
  const time = nowSql(database.dialect);
  const write = (lease: RunClaim, set: string, values: readonly SqlValue[]): Promise<boolean> =>
    change(database, 'subscription', lease, set, values);
  return {
    now: () => now(database),
    create: (subscription) => insert(database, subscription, client),
    async find(id) {
      const rows = await database.all('SELECT * FROM subscription WHERE id = ?', [storedName(client, id)]);
      return rows[0] && subscriptionOf(rows[0]);
    },
    async list(queryName) {
      const stored = await storedQueryName(database, client, queryName);
      const rows = await database.all(`SELECT ${LISTED} FROM subscription WHERE query_name = ? ORDER BY id`, [stored]);
      const own = storedName(client, '');
      return rows.filter((row) => text(row, 'id').startsWith(own)).map(subscriptionOf);
    },
    async count() {
      const own = storedName(client, '');
      const ofClient = client === undefined ? '' : 'WHERE substr(id, 1, ?) = ?';
      const values = client === undefined ? [] : [own.length, own];
      const [row] = await database.all(`SELECT count(*) AS n FROM subscription ${ofClient}`, values);
      return (row && optionalNumber(row, 'n')) ?? 0;
    },
    async delete(id, queryName) {
      const ofQuery = queryName === undefined ? '' : 'AND query_name = ?';
      const query = queryName === undefined ? [] : [await storedQueryName(database, client, queryName)];
      const values = [storedName(client, id), ...query];
      return (await database.run(`DELETE FROM subscription WHERE id = ? ${ofQuery}`, values)) === 1;
    },
    async due() {
      const rows = await database.all(
        `SELECT COUNT(*) AS runs FROM subscription WHERE run_at <= ${time} AND socket_owner IS NULL AND ${HAS_WORK}`,
      );
      return Number(rows[0]?.['runs']);
    },
    claim: (owner, leaseSeconds, which = {}) => claimDue(database, owner, leaseSeconds, which),
    renew: (lease, leaseSeconds) => renew(database, 'subscription', lease, leaseSeconds),
    begin: (lease) => begin(database, lease),
    progress: (lease, cursor, sent) =>
      write(lease, `window_after = ?, window_sent = ?, failures = 0, last_notified_at = ${time}`, [cursor, sent]),
    async finish(lease, { runAt, notified }) {
      // one without a schedule runs when anybody has captured something, which is told to nobody to whom that is nothing
      const told = notified || lease.subscription.schedule !== undefined ? 'last_run_at = window_time,' : '';
      // in this order: MySQL assigns from left to right, and the window's columns are read before they are cleared
      const set = `position = window_upto, ${told} window_upto = NULL, window_time = NULL, window_after = NULL, window_sent = 0, failures = 0, run_at = ?, lease_until = 0
        ${notified ? `, last_notified_at = ${time}` : ''}`;
      await write(lease, set, [runAt]);
    },
    async postpone(lease, delaySeconds, failures) {
      await write(lease, `run_at = ${time} + ?, failures = ?, lease_until = 0`, [delaySeconds * 1000, failures]);
    },
    async socketsOf(owner) {
      const rows = await database.all('SELECT id FROM subscription WHERE socket_owner = ?', [owner]);
      return rows.map((row) => shownName(text(row, 'id')));
    },
    async renewSockets(owner, leaseSeconds) {
      const set = `socket_until = ${time} + ?`;
      await database.run(`UPDATE subscription SET ${set} WHERE socket_owner = ?`, [leaseSeconds * 1000, owner]);
    },
    async dropLostSockets() {
      await database.run(`DELETE FROM subscription WHERE socket_owner IS NOT NULL AND socket_until < ${time}`);
    },
  };
}

/** Without an initialRecordTime it begins where the feed is now: its first run covers what becomes visible from here on. */
function insert(
  database: Database,
  subscription: NewSubscription,
  client: ClientIdentity | undefined,
): Promise<StoredSubscription | undefined> {
  const time = nowSql(database.dialect);
  const { recordedSince, schedule, socketOwner } = subscription;
  return database.transaction(async (connection) => {
    const id = storedName(client, subscription.id);
    const position = recordedSince === undefined ? await sequence(connection) : null;
    // attempts are not counted from 0, so that no claim on an earlier subscription of this ID can hold for this one
    const inserted = await connection.run(
      `${insertNew(database.dialect)} subscription (id, query_name, parameters, destination, signature_token, schedule,
         trigger_uri, result, report_if_empty, run_at, socket_owner, initial_record_time, position, created_at,
         socket_until, client, window_sent, failures, attempt, lease_until)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ${time}, ${time} + ?, ?, 0, 0, ${time} % 1000000000, 0)`,
      [
        id,
        await storedQueryName(connection, client, subscription.queryName),
        JSON.stringify(subscription.parameters),
        subscription.destination,
        subscription.signatureToken ?? null,
        schedule === undefined ? null : JSON.stringify(schedule),
        subscription.trigger ?? null,
        JSON.stringify(subscription.result),
        subscription.reportIfEmpty ? 1 : 0,
        subscription.runAt,
        socketOwner ?? null,
        recordedSince === undefined ? null : Date.parse(recordedSince),
        position,
        SOCKET_SECONDS * 1000,
        client === undefined ? null : JSON.stringify(client),
      ],
    );
    if (inserted === 0) return undefined;
    const rows = await connection.all('SELECT * FROM subscription WHERE id = ?', [id]);
    return rows[0] && subscriptionOf(rows[0]);
  });
}

/** Without a schedule it is due when the feed has gone on, when it never ran, or when a run was broken off. */
const HAS_WORK = `(schedule IS NOT NULL OR position IS NULL OR window_upto IS NOT NULL
  OR position < (SELECT head FROM feed_counter WHERE id = 1))`;

async function claimDue(
  database: Database,
  owner: string,
  leaseSeconds: number,
  { ownSockets = false, proven = false }: WhichRun,
): Promise<RunClaim | undefined> {
  const time = nowSql(database.dialect);
  // COALESCE keeps the index of sockets out: next to all subscriptions have none.
  const due = await database.all(
    `SELECT * FROM subscription
     WHERE run_at <= ${time} AND lease_until < ${time} AND ${ownSockets ? 'socket_owner = ?' : 'COALESCE(socket_owner, ?) = ?'}
       AND ${HAS_WORK} ${proven ? 'AND failures = 0 AND last_notified_at IS NOT NULL' : ''}
     ORDER BY run_at LIMIT 8`,
    ownSockets ? [owner] : [owner, owner],
  );
  for (const row of due) {
    const seen = { id: text(row, 'id'), attempt: Number(row['attempt']) };
    const failures = Number(row['failures']);
    if (!(await claim(database, 'subscription', seen, owner, leaseSeconds, `run_at <= ${time}`))) continue;
    return {
      id: seen.id,
      owner,
      attempt: seen.attempt + 1,
      subscription: subscriptionOf(row),
      failures,
      isProven: failures === 0 && optionalNumber(row, 'last_notified_at') !== undefined,
    };
  }
  return undefined;
}

/** Planned once, stored before anything is sent: a VM that takes over repeats this very run. */
function begin(database: Database, lease: RunClaim): Promise<Run | undefined> {
  return database.transaction(async (connection) => {
    const head = await sequence(connection);
    const time = nowSql(database.dialect);
    const set = `window_time = COALESCE(window_time, ${time}), window_upto = COALESCE(window_upto, ?)`;
    if (!(await change(connection, 'subscription', lease, set, [head]))) return undefined;
    const rows = await connection.all('SELECT * FROM subscription WHERE id = ?', [lease.id]);
    return rows[0] && runOf(rows[0]);
  });
}

function runOf(row: Row): Run {
  return {
    after: optionalNumber(row, 'position'),
    upTo: Number(row['window_upto']),
    time: Number(row['window_time']),
    cursor: optionalText(row, 'window_after'),
    sent: Number(row['window_sent']),
  };
}

function subscriptionOf(row: Row): StoredSubscription {
  const schedule = optionalText(row, 'schedule');
  const trigger = optionalText(row, 'trigger_uri');
  const signatureToken = optionalText(row, 'signature_token');
  const lastNotifiedAt = optionalNumber(row, 'last_notified_at');
  const recordedSince = optionalNumber(row, 'initial_record_time');
  const client = clientOf(row);
  const initialRecordTime = recordedSince ?? Number(row['created_at']);
  return {
    id: shownName(text(row, 'id')),
    queryName: shownName(text(row, 'query_name')),
    parameters: JSON.parse(text(row, 'parameters')) as StoredSubscription['parameters'],
    destination: text(row, 'destination'),
    ...(client !== undefined && { client }),
    ...(signatureToken !== undefined && { signatureToken }),
    ...(schedule !== undefined && { schedule: JSON.parse(schedule) as StoredSubscription['schedule'] }),
    ...(trigger !== undefined && { trigger }),
    ...(schedule === undefined && trigger === undefined && { stream: true }),
    result: JSON.parse(text(row, 'result')) as StoredSubscription['result'],
    reportIfEmpty: Number(row['report_if_empty']) === 1,
    createdAt: iso(Number(row['created_at'])),
    ...(recordedSince !== undefined && { recordedSince: iso(recordedSince) }),
    initialRecordTime: iso(initialRecordTime),
    minRecordTime: iso(optionalNumber(row, 'last_run_at') ?? initialRecordTime),
    ...(lastNotifiedAt !== undefined && { lastNotifiedAt: iso(lastNotifiedAt) }),
  };
}
