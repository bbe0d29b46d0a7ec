// `mmeliot experiment map`: where MMEliot differs from Eliot, simulated; figures and tables into a folder.
import { setImmediate as quiet } from 'node:timers/promises';
import { drawMap } from '../../../loadgen/map/map.ts';
import { mapReport } from '../../../loadgen/map/map-report.ts';
import { PLANE } from '../../../loadgen/map/points.ts';
import { writeReport } from '../../../loadgen/write-report.ts';
import { timeLeft } from '../../time-left.ts';

/** Resolves with the sentences of the report and where it is. */
export async function experimentMap(folder: string, seeds: number, tell: (line: string) => void): Promise<string> {
  const begun = performance.now();
  let told = begun;
  const cells = await drawMap({
    plane: { ...PLANE, seeds },
    quiet,
    onCell(done, of) {
      const now = performance.now();
      if (now - told < TELL_EVERY_MS) return;
      told = now;
      tell(`${done} of ${of} points${timeLeft(now - begun, done, of)}`);
    },
  });
  const report = mapReport(cells);
  const file = await writeReport(report, folder);
  return [...report.notes, `The map is in ${file}`].map((line) => `${line}\n`).join('');
}
const TELL_EVERY_MS = 5_000;
