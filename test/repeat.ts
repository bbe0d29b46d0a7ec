// Runs the tests of one file again and again, to see what comes once in a thousand:
//   node test/repeat.ts 1000 test/integration/epcis-work-runs.test.ts 'on sqlite .*(in order|sent first)'
// The third argument chooses tests as mocha's --grep does. Ends at the first failure.
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import Mocha from 'mocha';

const [times = '', file = '', chosen = ''] = process.argv.slice(2);
if (!(Number(times) >= 1) || file === '') {
  process.stderr.write('node test/repeat.ts <times> <file> [grep]\n');
  process.exit(2);
}

const { timeout } = JSON.parse(readFileSync('.mocharc.json', 'utf8')) as { timeout: number };
const reporter = Mocha.reporters.Base;
const mocha = new Mocha({ reporter, timeout, grep: new RegExp(chosen) }).cleanReferencesAfterRun(false);
mocha.addFile(file);
await mocha.loadFilesAsync();

const started = performance.now();
let passes = 0;
for (let n = 1; n <= Number(times); n++) {
  const failures: string[] = [];
  const { stats } = await new Promise<Mocha.Runner>((resolve) => {
    const runner = mocha
      .run(() => resolve(runner))
      .on('fail', (test, error: Error) => {
        failures.push(`${test.fullTitle()}: ${error.stack ?? error.message}`);
      });
  });
  passes += stats?.passes ?? 0;
  if (failures.length > 0 || stats?.passes === 0) {
    process.stdout.write(`Round ${n} of ${times} failed.\n${failures.join('\n') || 'No test fits.'}\n`);
    process.exit(1);
  }
  if (n % 50 === 0 || n === Number(times)) {
    const seconds = (performance.now() - started) / 1000;
    process.stdout.write(`${n} of ${times} rounds, ${passes} tests passed, ${seconds.toFixed()} s\n`);
  }
}
