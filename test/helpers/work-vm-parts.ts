// What a test's VMs read and write: EPCIS documents in, the events' first EPCs out.
import { createHash } from 'node:crypto';
import { readDocument } from '../../epcis/bindings/documents.ts';
import type { CaptureItem } from '../../epcis/service/services.ts';
import { textWriter, type ExportRunParts } from '../../epcis/service/exports.ts';
import type { WriteResult } from '../../epcis/service/subscriptions.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export function read(bytes: AsyncIterable<Uint8Array>): AsyncIterable<CaptureItem> {
  return readDocument(bytes, { format: 'xml', sha256 });
}

export const writeEpcs: WriteResult = {
  results: (_, events) => ({
    mediaType: 'application/json',
    text: JSON.stringify(events.map(({ event }) => event.epcList?.[0])),
  }),
  exception: (_, name) => ({ mediaType: 'application/json', text: JSON.stringify([name]) }),
};

export const exportEpcs: ExportRunParts['write'] = () =>
  textWriter({ before: '[', between: ',', after: ']' }, ({ event }) => JSON.stringify(event.epcList?.[0]));
