// Kills a VM over its capture job, ten times for each fault and database, and counts: `node test/bench/work-faults.ts [runs]`.
// Exit status 1 if an event was lost or is there twice.
import { KINDS } from '../helpers/fresh-repository.ts';
import { dieOverAJob } from '../helpers/work-faults.ts';

const runs = Number(process.argv[2] ?? 10);
let isWrong = false;

process.stdout.write('database  fault            runs  events   lost  twice  jobs taken over  seconds a run\n');
for (const [kind, freshUrl] of KINDS) {
  for (const [fault, behaviour, name] of [
    ['before', 'rollback', 'before the work'],
    ['middle', 'rollback', 'in the middle'],
    ['middle', 'proceed', 'middle, proceed'],
    ['after', 'rollback', 'after the commit'],
  ] as const) {
    const total = { events: 0, lost: 0, twice: 0, takenOver: 0 };
    const start = performance.now();
    for (let run = 0; run < runs; run++) {
      const counts = await dieOverAJob(await freshUrl(), fault, behaviour);
      total.events += counts.submitted;
      total.lost += counts.lost;
      total.twice += counts.twice;
      total.takenOver += counts.takenOver;
    }
    isWrong ||= total.lost > 0 || total.twice > 0;
    const seconds = ((performance.now() - start) / 1000 / runs).toFixed(1);
    const cells = [
      kind.padEnd(8),
      name.padEnd(16),
      String(runs).padStart(4),
      String(total.events).padStart(7),
      String(total.lost).padStart(5),
      String(total.twice).padStart(6),
      String(total.takenOver).padStart(15),
      seconds.padStart(14),
    ];
    process.stdout.write(`${cells.join('  ')}\n`);
  }
}
process.exit(isWrong ? 1 : 0);
