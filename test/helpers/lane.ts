// One of the processes of test/run.ts: runs the test files that it is sent, one after the other, and sends back what came of each;
// told to end, it does so as soon as nothing is open any more.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { format } from 'node:util';
import Mocha from 'mocha';

export interface FileReport {
  readonly passes: number;
  readonly failures: number;
  /** As mocha's own report has it. */
  readonly said: string;
  /** Each failure with its reason. */
  readonly failed: string;
}

const { mochaHooks: rootHooks } = createRequire(import.meta.url)('./rejections.cjs') as {
  mochaHooks: Mocha.RootHookObject;
};
const { timeout } = JSON.parse(readFileSync('.mocharc.json', 'utf8')) as { timeout: number };
const { Base, Spec } = Mocha.reporters;

const lines: string[] = [];
Base.consoleLog = (...args: unknown[]) => void lines.push(format(...args));
const printed = (): string =>
  lines
    .splice(0)
    .map((line) => `${line}\n`)
    .join('');

/** Without the summary, which is that of all files. */
class Quiet extends Spec {
  override epilogue(): void {}
}

async function run(file: string): Promise<FileReport> {
  const mocha = new Mocha({ reporter: Quiet, timeout, forbidOnly: true, forbidPending: true, rootHooks });
  try {
    mocha.addFile(file);
    await mocha.loadFilesAsync();
  } catch (error) {
    return { passes: 0, failures: 1, said: '', failed: `\n  ${file} can't be loaded: ${(error as Error).message}\n` };
  }
  const failures: Mocha.Test[] = [];
  const runner = await new Promise<Mocha.Runner>((resolve) => {
    const running = mocha.run(() => resolve(running)).on('fail', (test) => failures.push(test));
  });
  // mocha leaves its listeners, which would hear of the next file's failures
  for (const event of ['uncaughtException', 'unhandledRejection']) process.removeAllListeners(event);
  const said = printed();
  if (failures.length > 0) Base.list(failures);
  const { passes = 0 } = runner.stats ?? {};
  return { passes, failures: failures.length, said, failed: failures.length > 0 ? `\n  ${file}\n${printed()}` : '' };
}

/** Whoever sends files has gone. */
const abandoned = (): void => process.exit(1);

process.on('disconnect', abandoned).on('message', (message: string) => {
  if (message === 'end') process.off('disconnect', abandoned).disconnect();
  else void run(message).then((report) => process.send?.(report));
});
