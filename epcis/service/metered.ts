// Capture of a client whose events are counted.
import type { ClientIdentity } from '../access/identity.ts';
import type { EventMeter } from '../access/limits.ts';
import { eachItem } from './each-item.ts';
import type { CaptureService } from './services.ts';

/** Each event that was read, whether it was new or not, and whether all went well or not. */
export function metered(capture: CaptureService, meter: EventMeter, client: ClientIdentity): CaptureService {
  if (client.eventsPerSecond === undefined) return capture;
  return {
    async capture(items, options) {
      let events = 0;
      try {
        return await capture.capture(
          eachItem(items, (item) => {
            if (item.kind === 'event') events += 1;
            return item;
          }),
          options,
        );
      } finally {
        await meter.count(client, events);
      }
    },
  };
}
