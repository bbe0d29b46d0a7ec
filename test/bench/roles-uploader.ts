// Sends large captures for roles.ts, in a thread of its own: who asks queries beside them is not to be kept waiting by itself.
import { Readable } from 'node:stream';
import { parentPort } from 'node:worker_threads';
import { Agent, request } from 'undici';
import { eventsDocument } from '../helpers/work-faults.ts';

interface Document {
  readonly name: string;
  readonly events: number;
  readonly eventBytes: number;
}
/** To make a document, or to send the first of those that were made; each is answered once. */
export type Order = { readonly make: Document } | { readonly to: string };
export interface Sent {
  readonly job: string;
  readonly vm: string;
}

/** As much as a file is read at once. */
const PIECE_BYTES = 64 * 1024;

const agent = new Agent({ headersTimeout: 600_000 });
const made: Buffer[] = [];

/** In EPCIS 2.0. */
const textOf = ({ name, events, eventBytes }: Document): string =>
  eventsDocument(name, events, eventBytes)
    .replace('schemaVersion="1.2"', 'schemaVersion="2.0"')
    .replace('urn:epcglobal:epcis:xsd:1', 'urn:epcglobal:epcis:xsd:2');

function* pieces(document: Buffer): Generator<Buffer> {
  for (let from = 0; from < document.length; from += PIECE_BYTES) yield document.subarray(from, from + PIECE_BYTES);
}

async function send(to: string): Promise<Sent> {
  const document = made.shift() ?? Buffer.alloc(0);
  const headers = { 'content-type': 'application/xml', 'content-length': String(document.length) };
  const { statusCode, headers: told } = await request(new URL('capture', to), {
    ...{ method: 'POST', headers, body: Readable.from(pieces(document)), dispatcher: agent },
  });
  if (statusCode !== 202) throw new Error(`A capture was answered with ${statusCode}.`);
  return { job: new URL(String(told['location']), to).href, vm: String(told['x-mmeliot-vm']) };
}

parentPort?.on('message', ({ id, order }: { readonly id: number; readonly order: Order }) => {
  if ('to' in order) return void send(order.to).then((sent) => parentPort?.postMessage({ id, sent }));
  made.push(Buffer.from(textOf(order.make)));
  parentPort?.postMessage({ id });
});
