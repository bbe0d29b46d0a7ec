// A deadline for a call that may hang. The call itself can't be stopped; its late answer is ignored.
import { MmeliotError } from '../errors.ts';
import type { Millis } from '../model.ts';
import type { Clock } from './clock.ts';

/** `ending`: nobody waits any more from then on. */
export function within<T>(clock: Clock, ms: Millis, call: Promise<T>, ending?: AbortSignal): Promise<T> {
  const answered = new AbortController();
  const { signal } = answered;
  return new Promise((resolve, reject) => {
    const over = () => answered.abort('answered');
    const giveUp = () => {
      reject(new MmeliotError('PROVIDER_FAILED', 'Its answer was not waited for, since mmeliot ends.'));
      over();
    };
    if (ending?.aborted) giveUp();
    else ending?.addEventListener('abort', giveUp, { signal });
    call.then(resolve, reject).then(over, over);
    clock.sleep(ms, signal).then(() => {
      if (!signal.aborted) reject(new MmeliotError('PROVIDER_FAILED', `No answer within ${ms / 1000} s.`));
    }, reject);
  });
}
