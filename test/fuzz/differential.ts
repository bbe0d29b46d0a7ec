// npm run differential -- [readers|patterns|sql|rights] [--runs 1000000] [--seed N]: the tests that hold one reading against another,
// with as many cases as wanted and a seed of their own: events through the JSON and the XML readers and writers and back; patterns of
// EPCs, and the answers of each database, against a plain reading of the standard; what access rules let a client see.
import { spawnSync } from 'node:child_process';
import { commandOptions } from '../helpers/command-options.ts';

/** `parts`: so many properties share the cases. */
const TESTS = {
  readers: { test: ['test/epcis/bindings/round-trip.test.ts'], parts: 4 },
  patterns: { test: ['test/fuzz/queries/patterns.test.ts'], parts: 1 },
  sql: { test: ['test/integration/query-differential.test.ts'], parts: 1 },
  rights: { test: ['test/integration/access-rights.test.ts'], parts: 1 },
} as const;

const { values, positionals } = commandOptions({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Date.now() % 1e9) },
  },
});
for (const [name, { test, parts }] of Object.entries(TESTS)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  process.stdout.write(`${name}: ${values.runs} cases, seed ${values.seed}\n`);
  const { status } = spawnSync('npx', ['mocha', ...test, '--timeout', '0'], {
    stdio: 'inherit',
    env: {
      ...process.env,
      PROPERTY_RUNS: String(Math.ceil(Number(values.runs) / parts)),
      PROPERTY_SEED: values.seed,
    },
  });
  if (status !== 0) process.exitCode = 1;
}
