// What stands in the repository for later is later still by as much as the database's clock was set back since: streams would send
// nothing, and what a dead VM had would lie idle, until that time comes again.
import { nextRun, parseSchedule, type ScheduleFields } from '../service/schedule.ts';
import type { Database } from './database/database.ts';
import { OPEN } from './job-rows.ts';
import { now, nowSql, text } from './leases.ts';

/** Who gives a job back after a failure has it wait for at most so long. */
const LONGEST_RELEASE_SECONDS = 60;

export interface Longest {
  readonly leaseSeconds: number;
  readonly maxBackOffSeconds: number;
}

/**
 * From now on nothing waits for longer than it was meant to. Changes nothing where no clock was set back, and several VMs may do it
 * at once. Leases become as long as they are given, and do not end: who lives renews its own.
 */
export async function putTimesRight(database: Database, { leaseSeconds, maxBackOffSeconds }: Longest): Promise<void> {
  const time = nowSql(database.dialect);
  // a VM with other settings may have given others
  const lease = [leaseSeconds * 1000, 2 * Math.max(leaseSeconds, LONGEST_RELEASE_SECONDS) * 1000];
  const shorten = (column: string): string => `${column} = ${time} + ? WHERE ${column} > ${time} + ?`;
  await database.run(`UPDATE capture_job SET ${shorten('lease_until')} AND state IN ${OPEN}`, lease);
  await database.run(`UPDATE subscription SET ${shorten('lease_until')}`, lease);
  await database.run(`UPDATE subscription SET ${shorten('socket_until')}`, lease);
  // its turn is told by it: whatever comes now would overtake it
  await database.run(`UPDATE capture_job SET created_at = ${time} WHERE created_at > ${time} AND state IN ${OPEN}`);
  await database.run(
    `UPDATE subscription SET run_at = ${time}
     WHERE run_at > ${time} + CASE failures WHEN 0 THEN 0 ELSE ? END AND (schedule IS NULL OR failures > 0)`,
    [maxBackOffSeconds * 1000],
  );
  await scheduleAnew(database);
}

/** Those whose next run was reckoned from a time that is yet to come. */
async function scheduleAnew(database: Database): Promise<void> {
  const time = await now(database);
  const rows = await database.all(
    `SELECT id, run_at, schedule FROM subscription
     WHERE run_at > ? AND schedule IS NOT NULL AND failures = 0 AND COALESCE(last_run_at, created_at) > ?`,
    [time, time],
  );
  for (const row of rows) {
    const runAt = nextRun(parseSchedule(JSON.parse(text(row, 'schedule')) as ScheduleFields), time);
    if (runAt !== undefined)
      await database.run('UPDATE subscription SET run_at = ? WHERE id = ? AND run_at = ?', [
        ...[runAt, row['id'] ?? null, row['run_at'] ?? null],
      ]);
  }
}
