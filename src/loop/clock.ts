// Port: time. Real in production, virtual in the simulator, fake in tests.
import type { Millis } from '../model.ts';

export interface Clock {
  now(): Millis;
  /** The same from some beginning on, but that nobody sets it; absent: nobody sets the other one. */
  readonly steady?: () => Millis;
  /** Resolves after `ms`, or as soon as `signal` is aborted (an implementation may ignore the signal). */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
