// Kills one of three VMs over its work, ten times for each fault and database, and counts:
//   node test/bench/work-faults.ts [runs] [sqlite|mysql] [which faults: part of the name]
// Exit status 1 if an event was lost or is there, or was delivered, twice.
import { KINDS } from '../helpers/fresh-repository.ts';
import { dieOverAJob } from '../helpers/work-faults.ts';
import { dieOverARun } from '../helpers/work-faults-runs.ts';

interface Counts {
  readonly events: number;
  readonly lost: number;
  readonly twice: number;
  /** Jobs taken over, or pages that the receiver got again under their key. */
  readonly again: number;
}

type FaultRun = (url: string) => Promise<Counts>;

const job = (...fault: [Parameters<typeof dieOverAJob>[1], Parameters<typeof dieOverAJob>[2]]): FaultRun => {
  return async (url) => {
    const { submitted: events, lost, twice, takenOver: again } = await dieOverAJob(url, ...fault);
    return { events, lost, twice, again };
  };
};

const delivery = (page: number, isAnswered: boolean): FaultRun => {
  return async (url) => {
    const { captured: events, lost, twice, repeatedPages: again } = await dieOverARun(url, { page, isAnswered });
    return { events, lost, twice, again };
  };
};

const FAULTS: readonly (readonly [name: string, run: FaultRun])[] = [
  ['job: before the work', job('before', 'rollback')],
  ['job: in the middle', job('middle', 'rollback')],
  ['job: in the middle, proceed', job('middle', 'proceed')],
  ['job: committed, not acknowledged', job('after', 'rollback')],
  ['part: before the work', job('before', 'proceed in parts')],
  ['part: in the middle', job('middle', 'proceed in parts')],
  ['part: committed, not acknowledged', job('after', 'proceed in parts')],
  ['delivery: before the first answer', delivery(1, false)],
  ['delivery: in the middle', delivery(2, false)],
  ['delivery: accepted, not stored', delivery(2, true)],
];

const [runs = '10', database = '', which = ''] = process.argv.slice(2);
const RUNS = Number(runs);
const columns = ['database', 'fault', 'runs', 'events', 'lost', 'twice', 'again', 'seconds a run'];
const widths = [8, 33, 4, 7, 4, 5, 5, 13];
const print = (cells: readonly (string | number)[]): void => {
  const padded = cells.map((cell, n) =>
    n < 2 ? String(cell).padEnd(widths[n] ?? 0) : String(cell).padStart(widths[n] ?? 0),
  );
  process.stdout.write(`${padded.join('  ')}\n`);
};

let isWrong = false;
print(columns);
for (const [kind, freshUrl] of KINDS) {
  for (const [name, run] of FAULTS) {
    if (!kind.includes(database) || !name.includes(which)) continue;
    const total = { events: 0, lost: 0, twice: 0, again: 0 };
    const start = performance.now();
    for (let n = 0; n < RUNS; n++) {
      const counts = await run(await freshUrl());
      for (const key of ['events', 'lost', 'twice', 'again'] as const) total[key] += counts[key];
    }
    isWrong ||= total.lost > 0 || total.twice > 0;
    const seconds = ((performance.now() - start) / 1000 / RUNS).toFixed(1);
    print([kind, name, RUNS, total.events, total.lost, total.twice, total.again, seconds]);
  }
}
process.exit(isWrong ? 1 : 0);
