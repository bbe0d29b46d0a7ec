// Capture of a client whose events are counted.
import type { ClientIdentity } from '../access/identity.ts';
import type { EventMeter } from '../access/limits.ts';
import type { CaptureItem, CaptureService } from './services.ts';

/** Each event that was read, whether it was new or not, and whether all went well or not. */
export function metered(capture: CaptureService, meter: EventMeter, client: ClientIdentity): CaptureService {
  if (client.eventsPerSecond === undefined) return capture;
  return {
    async capture(items, options) {
      let events = 0;
      try {
        return await capture.capture(
          counted(items, () => events++),
          options,
        );
      } finally {
        meter.count(client, events);
      }
    },
  };
}

/** No generator: one that throws is over, and with `proceed` reading goes on. */
function counted(items: AsyncIterable<CaptureItem>, count: () => void): AsyncIterable<CaptureItem> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = items[Symbol.asyncIterator]();
      return {
        async next() {
          const result = await iterator.next();
          if (result.done !== true && result.value.kind === 'event') count();
          return result;
        },
        async return() {
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
