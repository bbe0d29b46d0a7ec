// npm run differential -- [readers|sql] [--runs 1000000] [--seed N]: the tests that hold one reading against another, with as many
// cases as wanted and a seed of their own: events through the JSON and the XML readers and writers and back; and the answers of both
// databases (SQL, and the EPC patterns in it) against a naive evaluation.
import { spawnSync } from 'node:child_process';
import { commandOptions } from '../helpers/command-options.ts';

const TESTS = {
  readers: ['test/epcis/bindings/round-trip.test.ts'],
  sql: ['test/integration/repository-contract.test.ts', '--grep', 'naive evaluation'],
} as const;

const { values, positionals } = commandOptions({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Date.now() % 1e9) },
  },
});
for (const [name, test] of Object.entries(TESTS)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  process.stdout.write(`${name}: ${values.runs} cases, seed ${values.seed}\n`);
  const { status } = spawnSync('npx', ['mocha', ...test, '--timeout', '0'], {
    stdio: 'inherit',
    env: { ...process.env, PROPERTY_RUNS: values.runs, PROPERTY_SEED: values.seed },
  });
  if (status !== 0) process.exitCode = 1;
}
