// Runs every test, several files at a time: most of them wait more than they work. Each lane is a process (helpers/lane.ts) that
// gets one file after the other. Prints what mocha's own report does, then once more what failed, which files took longest, and at
// last one plain line: "N passed, N failed".
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { FileReport } from './helpers/lane.ts';

/** Files wait for more than half of their time, all in all. */
const LANES = Math.min(8, availableParallelism() + 2);
const LANE = join(import.meta.dirname, 'helpers/lane.ts');
/** A lane that has nothing to do any more ends, unless a test left something open. */
const END_MS = 20_000;

const [pattern = 'test/**/*.test.ts'] = process.argv.slice(2);
const waiting = longestFirst(globSync(pattern));
const reports: (FileReport & { readonly file: string; readonly seconds: number })[] = [];
let lanesFailed = 0;
/** Of all programs that the tests start, hundreds of times: without it each compiles itself anew, for twice the CPU time. */
const compiled = mkdtempSync(join(tmpdir(), 'mmeliot-compiled-'));
process.once('exit', () => rmSync(compiled, { recursive: true, force: true }));
process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));

await Promise.all(Array.from({ length: LANES }, runLane));
for (const { failed } of reports) process.stdout.write(failed);
const [passes, failures] = (['passes', 'failures'] as const).map((of) =>
  reports.reduce((sum, report) => sum + report[of], 0),
) as [number, number];
const longest = reports
  .toSorted((a, b) => b.seconds - a.seconds)
  .slice(0, 10)
  .map(({ file, seconds }) => `${basename(file, '.test.ts')} ${seconds.toFixed()} s`);
process.stdout.write(`\nLongest: ${longest.join(', ')}\n`);
process.stdout.write(`${passes} passed, ${failures + lanesFailed} failed\n`);
process.exitCode = passes > 0 && failures + lanesFailed === 0 ? 0 : 1;

/** A file that allows its tests the most time is likely to take the longest, and must not begin last. */
function longestFirst(files: readonly string[]): string[] {
  const allowed = (file: string): number =>
    Math.max(
      0,
      ...[...readFileSync(file, 'utf8').matchAll(/\btimeout\(([\d_]+)/g)].map(([, ms = '']) =>
        Number(ms.replaceAll('_', '')),
      ),
    );
  return files
    .map((file) => ({ file, allowed: allowed(file) }))
    .sort((a, b) => b.allowed - a.allowed || (a.file < b.file ? -1 : 1))
    .map(({ file }) => file);
}

async function runLane(): Promise<void> {
  let lane: ChildProcess | undefined;
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    lane ??= fork(LANE, { execArgv: ['--no-warnings'], env: { ...process.env, NODE_COMPILE_CACHE: compiled } });
    const started = performance.now();
    const report = await reportOf(lane, file);
    process.stdout.write(report.said + report.failed);
    reports.push({ ...report, file, seconds: (performance.now() - started) / 1000 });
    if (!lane.connected) lane = undefined;
  }
  if (lane) await end(lane);
}

/** What came of a file; it failed if its lane ended with it. */
async function reportOf(lane: ChildProcess, file: string): Promise<FileReport> {
  const broken = new AbortController();
  const options = { signal: broken.signal };
  const ended = once(lane, 'exit', options).then(([status, signal]): FileReport => ({
    passes: 0,
    failures: 1,
    said: '',
    failed: `\n  ${file} ended its process (${String(signal ?? status)}).\n`,
  }));
  const reported = once(lane, 'message', options).then(([report]) => report as FileReport);
  lane.send(file);
  const report = await Promise.race([reported, ended]);
  for (const promise of [reported, ended]) promise.catch(() => {});
  broken.abort();
  return report;
}

async function end(lane: ChildProcess): Promise<void> {
  lane.send('end');
  const late = setTimeout(() => lane.kill('SIGKILL'), END_MS);
  const [status, signal] = (await once(lane, 'exit')) as [number | null, string | null];
  clearTimeout(late);
  if (status === 0) return;
  lanesFailed += 1;
  process.stdout.write(
    `\n  A lane ended with ${signal ?? status}: some test left something open, or failed after its end.\n`,
  );
}
