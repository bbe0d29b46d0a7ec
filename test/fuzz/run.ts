// npm run fuzz -- TARGET [--minutes 60] [--seed N]: looks for inputs that a parser doesn't stand, led by what code they reach.
// Ends with status 1 at the first one, and prints it for a test.
import { commandOptions } from '../helpers/command-options.ts';
import { startProgress } from '../helpers/progress.ts';
import { openCoverage } from './coverage.ts';
import { fuzz } from './fuzz.ts';
import { TARGETS } from './targets.ts';

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const { values, positionals } = commandOptions({
  allowPositionals: true,
  options: { minutes: { type: 'string', default: '60' }, seed: { type: 'string', default: String(Date.now()) } },
});
const [name = ''] = positionals;
const chosen = TARGETS.filter((target) => target.name === name || name === 'all');
if (chosen.length === 0) {
  print(`Which target? One of ${TARGETS.map((target) => target.name).join(', ')}, or all (each as long).`);
  process.exit(2);
}
const coverage = await openCoverage(new URL('../../', import.meta.url), ['src', 'epcis', 'opennebula', 'loadgen']);
const progress = startProgress(chosen.length);
print(`seed ${values.seed}\n\n| target | inputs | kept for what they reach | findings |\n| --- | --- | --- | --- |`);
for (const target of chosen) {
  progress(`${target.name}, for ${values.minutes} min`);
  const end = performance.now() + Number(values.minutes) * 60_000;
  const enough = (): boolean => performance.now() >= end;
  const { inputs, kept, finding } = await fuzz(target, {
    seed: Number(values.seed),
    enough,
    coverage,
    longestMs: 2_000,
  });
  print(`| ${target.name} | ${inputs} | ${kept} | ${finding === undefined ? 0 : 1} |`);
  if (finding === undefined) continue;
  print(`FOUND by ${JSON.stringify(finding.input.toString('latin1'))} (as latin1)`);
  print(finding.why instanceof Error ? String(finding.why.stack) : String(finding.why));
  process.exitCode = 1;
}
coverage.close();
