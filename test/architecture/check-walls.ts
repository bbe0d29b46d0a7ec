// npm run check:walls: the rules of .dependency-cruiser.cjs, no cycle between folders, and nothing exported that nobody takes. With
// --json for the test of this.
import { readFileSync } from 'node:fs';
import { cruise, format, type ICruiseResult } from 'dependency-cruiser';
import extractOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { deadExports } from './dead-exports.ts';
import { folderCycles } from './folder-cycles.ts';
import { FOLDERS } from './folders.ts';

const options = await extractOptions('./.dependency-cruiser.cjs');
const { output } = await cruise([...FOLDERS], options, undefined, { tsConfig: extractTSConfig('./tsconfig.json') });
const result = output as ICruiseResult;
const cycles = folderCycles(result.modules);
const own = result.modules
  .map(({ source }) => source)
  .filter((path) => FOLDERS.some((one) => path.startsWith(`${one}/`)));
const dead = deadExports(new Map(own.map((path) => [path, readFileSync(path, 'utf8')])));

if (process.argv.includes('--json')) {
  const broken = result.summary.violations.map(({ rule, from }) => ({ rule: rule.name, from }));
  const round = cycles.map((imports) => ({ rule: 'no-folder-cycles', from: imports.join(', ') }));
  const unused = dead.map((from) => ({ rule: 'no-dead-exports', from }));
  process.stdout.write(
    JSON.stringify({ violations: [...broken, ...round, ...unused], read: result.modules.map(({ source }) => source) }),
  );
} else {
  const report = await format(result, { outputType: 'err-long' });
  process.stdout.write(report.output as string);
  for (const imports of cycles)
    process.stdout.write(`  error no-folder-cycles: a cycle between folders\n    ${imports.join('\n    ')}\n\n`);
  for (const one of dead) process.stdout.write(`  error no-dead-exports: nobody takes ${one}\n`);
  process.exitCode = result.summary.error + cycles.length + dead.length > 0 ? 1 : 0;
}
