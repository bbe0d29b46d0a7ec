// Somebody may set the machine's clock while the manager runs. Times that are kept are those that people see, so they are set with it.
import type { Millis } from '../model.ts';
import type { Clock } from './clock.ts';

/** Less than that is a clock's own pace. */
const SET_MS = 2_000;

/** `onSet` is told by how much, before anybody reckons with the new time. */
export function toldWhenSet(clock: Clock, onSet: (by: Millis) => void): Clock {
  const { steady } = clock;
  if (steady === undefined) return clock;
  let ahead = clock.now() - steady();
  return {
    now() {
      const now = clock.now();
      const by = now - steady() - ahead;
      if (Math.abs(by) >= SET_MS) {
        ahead += by;
        onSet(by);
      }
      return now;
    },
    sleep: (ms, signal) => clock.sleep(ms, signal),
  };
}
