// npm run fuzz -- TARGET [--minutes 60] [--seed N]: looks for inputs that a parser doesn't stand, led by what code they reach.
// Ends with status 1 at the first one, and prints it for a test. --corpus FOLDER keeps what reached new code for the next run.
import { hash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandOptions } from '../helpers/command-options.ts';
import { startProgress } from '../helpers/progress.ts';
import { openCoverage } from './coverage.ts';
import { fuzz } from './fuzz.ts';
import { growth } from './growth.ts';
import { TARGETS } from './targets.ts';

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const { values, positionals } = commandOptions({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now()) },
    corpus: { type: 'string' },
  },
});
const [name = ''] = positionals;
const chosen = TARGETS.filter((target) => target.name === name || name === 'all');
if (chosen.length === 0) {
  print(`Which target? One of ${TARGETS.map((target) => target.name).join(', ')}, or all (each as long).`);
  process.exit(2);
}
/** Places at which each target's samples are grown, to see how its time grows. */
const PLACES = 40;

function keptIn(folder: string): readonly Buffer[] {
  mkdirSync(folder, { recursive: true });
  return readdirSync(folder).map((file) => readFileSync(join(folder, file)));
}

function keep(folder: string, inputs: readonly Buffer[]): void {
  for (const input of inputs) writeFileSync(join(folder, hash('sha256', input).slice(0, 20)), input);
}

const coverage = await openCoverage(new URL('../../', import.meta.url), ['src', 'epcis', 'opennebula', 'loadgen']);
const progress = startProgress(chosen.length);
print(
  `seed ${values.seed}\n\n| target | inputs | kept for what they reach | parts of the code | findings |\n| --- | --- | --- | --- | --- |`,
);
for (const target of chosen) {
  progress(`${target.name}, for ${values.minutes} min`);
  const end = performance.now() + Number(values.minutes) * 60_000;
  const enough = (): boolean => performance.now() >= end;
  const seed = Number(values.seed);
  const folder = values.corpus === undefined ? undefined : join(values.corpus, target.name);
  const earlier = folder === undefined ? [] : keptIn(folder);
  const fuzzed = await fuzz(target, { seed, enough, coverage, longestMs: 2_000, earlier });
  const { inputs, kept, parts } = fuzzed;
  if (folder !== undefined) keep(folder, kept);
  const finding = fuzzed.finding ?? (await growth(target, seed, PLACES));
  print(`| ${target.name} | ${inputs} | ${kept.length} | ${parts} | ${finding === undefined ? 0 : 1} |`);
  if (finding === undefined) continue;
  print(`FOUND by ${JSON.stringify(finding.input.toString('latin1'))} (as latin1)`);
  print(finding.why instanceof Error ? String(finding.why.stack) : String(finding.why));
  process.exitCode = 1;
}
coverage.close();
