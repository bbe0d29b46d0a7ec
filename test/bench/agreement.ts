// Whether the simulator foretells a live experiment: VM-minutes within 15 %, and the order of the policies.
//   node src/cli/mmeliot.js experiment paper --out <folder>
//   node test/bench/agreement.ts <folder>
// Exits with 1 when it does not. `mmeliot report` says the same of every experiment.
import { verdictOn } from '../../loadgen/report/agreement.ts';
import { markdownOf } from '../../loadgen/report/table.ts';
import { reportOn } from '../../src/cli/report.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Name the folder of an experiment: node test/bench/agreement.ts <folder>');
const { agreement, tables } = await reportOn(folder);
if (agreement === undefined) throw new Error(`${folder} has no calibration, so its runs can't be simulated.`);
for (const table of tables)
  if (['simulation', 'order'].includes(table.id)) process.stdout.write(`${markdownOf(table)}\n`);
process.stdout.write(`${verdictOn(agreement)}\n`);
process.exitCode = agreement.holds ? 0 : 1;
