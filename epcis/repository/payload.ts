// What is stored of an event beside its index: the event as the service sees it and its source, compressed together.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { CapturedEvent, EpcisEvent, EventSource } from '../domain/event.ts';
import { DICTIONARY } from './payload-dictionary.ts';

/** Stands before every payload; another compression or dictionary gets another number. */
const FORMAT = 1;
const dictionary = Buffer.from(DICTIONARY);

export function packEvent({ event, source }: CapturedEvent): Uint8Array {
  const text = `${JSON.stringify(event)}\n${source.format}\n${source.text}`;
  const packed = deflateRawSync(text, { dictionary, level: 6 });
  return Buffer.concat([Buffer.of(FORMAT), packed]);
}

/** The event is parsed when it is first looked at: who asks for the form it was captured in needs its source only. */
export class UnpackedEvent {
  readonly source: EventSource;
  readonly #json: string;
  #event: EpcisEvent | undefined;

  constructor(payload: Uint8Array) {
    if (payload[0] !== FORMAT) throw new Error(`An event is stored in the unknown format ${payload[0]}.`);
    const text = inflateRawSync(payload.subarray(1), { dictionary }).toString();
    const formatAt = text.indexOf('\n');
    const sourceAt = text.indexOf('\n', formatAt + 1);
    this.#json = text.slice(0, formatAt);
    this.source = {
      format: text.slice(formatAt + 1, sourceAt) === 'xml' ? 'xml' : 'json',
      text: text.slice(sourceAt + 1),
    };
  }

  get event(): EpcisEvent {
    return (this.#event ??= JSON.parse(this.#json) as EpcisEvent);
  }
}
