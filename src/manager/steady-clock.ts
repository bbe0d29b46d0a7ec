// A clock that nobody sets: since this machine booted. Whoever keeps its times needs to know them from those of another boot.
import { readFileSync } from 'node:fs';
import type { Millis } from '../model.ts';

/** The same in all processes of the machine. */
export const steady = (): Millis => Number(process.hrtime.bigint() / 1_000_000n);

/** Undefined where the machine doesn't say: then no two are the same. */
export function bootOfMachine(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return undefined;
  }
}
