// How far the filling of a repository is: on a terminal one line that changes, in a log one every ten seconds.
import type { SeedOptions } from '../../../loadgen/seed.ts';
import { timeLeft } from '../../time-left.ts';

const EVERY_MS = 10_000;

export function seedProgress(): Required<Pick<SeedOptions, 'onProgress'>> {
  const begun = performance.now();
  let told = begun;
  return {
    onProgress(captured, events) {
      const now = performance.now();
      const line = `${captured} of ${events} events${timeLeft(now - begun, captured, events)}`;
      if (process.stderr.isTTY) process.stderr.write(captured < events ? `\r\x1b[K${line}` : '\r\x1b[K');
      else if (now - told >= EVERY_MS) {
        told = now;
        process.stderr.write(`${line}\n`);
      }
    },
  };
}
