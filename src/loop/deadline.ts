// A deadline for a call that may hang. The call itself can't be stopped; its late answer is ignored.
import { MmeliotError } from '../errors.ts';
import type { Millis } from '../model.ts';
import type { Clock } from './clock.ts';

export async function within<T>(clock: Clock, ms: Millis, call: Promise<T>): Promise<T> {
  const answered = new AbortController();
  const late = clock.sleep(ms, answered.signal).then((): never => {
    throw new MmeliotError('PROVIDER_FAILED', `No answer within ${ms / 1000} s.`);
  });
  try {
    return await Promise.race([call, late]);
  } finally {
    answered.abort();
  }
}
