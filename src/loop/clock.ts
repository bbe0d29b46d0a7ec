// Port: time. Real in production, virtual in the simulator, fake in tests.
import type { Millis } from '../model.ts';

export interface Clock {
  now(): Millis;
  sleep(ms: number): Promise<void>;
}
