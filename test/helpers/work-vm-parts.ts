// What a test's VMs read and write: EPCIS documents in, the events' first EPCs out.
import { createHash } from 'node:crypto';
import type { WriteResult } from '../../epcis/service/subscriptions.ts';

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export const writeEpcs: WriteResult = {
  results: (_, events) => ({
    mediaType: 'application/json',
    text: JSON.stringify(events.map(({ event }) => event.epcList?.[0])),
  }),
  exception: (_, name) => ({ mediaType: 'application/json', text: JSON.stringify([name]) }),
};
