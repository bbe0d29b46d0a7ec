import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { demoText } from '../../loadgen/demo-text.ts';
import { runDemo } from '../../loadgen/demo.ts';
import { runSeed } from '../../loadgen/seed.ts';
import { sqliteUrl } from '../manager/repository-urls.ts';
import { COMMAND, PROGRAM } from '../manager/program.ts';
import { createLog } from '../telemetry/log.ts';
import { durationOf } from './shared/load-options.ts';
import { untilInterrupted } from './shared/signals.ts';

export const demoCommand = (): Command =>
  new Command('demo')
    .description(
      'what mmeliot is for, in two minutes: a system of its own, which grows with its load and shrinks again',
    )
    .option('--duration <duration>', 'how long the load lasts', '100s')
    .action(({ duration }: { duration: string }) => demo(durationOf('--duration', duration)));

async function demo(duration: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'mmeliot-demo-'));
  const interrupted = untilInterrupted();
  const stopping = new AbortController();
  void interrupted.then(() => stopping.abort());
  const started = performance.now();
  const tell = (line: string): void => {
    const seconds = Math.round((performance.now() - started) / 1000);
    process.stderr.write(`${String(seconds).padStart(4)} s  ${line}\n`);
  };
  try {
    const outcome = await runDemo({
      ...{ folder, program: PROGRAM, duration, tell },
      fill: fill(stopping.signal),
      signal: stopping.signal,
    });
    process.stdout.write(`\n${demoText(outcome)}\n${WHERE_TO_LOOK}`);
  } catch (error) {
    if (!interrupted.happened) throw error;
    process.exitCode = 130;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** By a service in this process: it has whole cores, where a VM has a tenth of one. */
const fill =
  (signal: AbortSignal) =>
  async (dataDir: string, events: number): Promise<void> => {
    const { startEpcisServer } = await import('../../epcis/server.ts');
    await mkdir(dataDir, { recursive: true });
    const service = await startEpcisServer({
      ...{ host: '127.0.0.1', port: 0, log: createLog({ level: 'silent', secrets: [] }) },
      repository: { url: sqliteUrl(join(dataDir, 'epcis.db')) },
    });
    try {
      await runSeed({ url: service.address, events, seed: 1, signal });
    } finally {
      await service.close();
    }
  };

const WHERE_TO_LOOK = `
Start one to keep with "${COMMAND} up": its page shows every decision,
"${COMMAND} explain" says why, "${COMMAND} set" tunes it.
`;
