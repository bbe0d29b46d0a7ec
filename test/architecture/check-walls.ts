// npm run check:walls: the rules of .dependency-cruiser.cjs, and no cycle between folders. With --json for the test of this.
import { cruise, format, type ICruiseResult } from 'dependency-cruiser';
import extractOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { folderCycles } from './folder-cycles.ts';
import { FOLDERS } from './folders.ts';

const options = await extractOptions('./.dependency-cruiser.cjs');
const { output } = await cruise([...FOLDERS], options, undefined, { tsConfig: extractTSConfig('./tsconfig.json') });
const result = output as ICruiseResult;
const cycles = folderCycles(result.modules);

if (process.argv.includes('--json')) {
  const broken = result.summary.violations.map(({ rule, from }) => ({ rule: rule.name, from }));
  const round = cycles.map((imports) => ({ rule: 'no-folder-cycles', from: imports.join(', ') }));
  process.stdout.write(
    JSON.stringify({ violations: [...broken, ...round], read: result.modules.map(({ source }) => source) }),
  );
} else {
  const report = await format(result, { outputType: 'err-long' });
  process.stdout.write(report.output as string);
  for (const imports of cycles)
    process.stdout.write(`  error no-folder-cycles: a cycle between folders\n    ${imports.join('\n    ')}\n\n`);
  process.exitCode = result.summary.error + cycles.length > 0 ? 1 : 0;
}
