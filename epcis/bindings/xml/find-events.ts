// Where the events of an EPCIS document in XML stand, in bytes. The document is known to be well-formed; what it says is not looked at, so
// this is a small part of the work of reading it.

const [LT, GT, SLASH, QUOTE, APOSTROPHE, NEWLINE, RETURN] = [0x3c, 0x3e, 0x2f, 0x22, 0x27, 0x0a, 0x0d] as const;

/** What ends what is no element, by how it begins. */
const PASSED: readonly (readonly [string, string])[] = [
  ['!--', '-->'],
  ['![CDATA[', ']]>'],
  ['?', '?>'],
  ['!DOCTYPE', '>'],
];
/** As much of a tag as tells what it is; an element of ours has a shorter name. */
const LEAD = 64;

export interface FoundEvent {
  readonly from: number;
  readonly to: number;
  readonly line: number;
  readonly lastLine: number;
}

export interface EventFinder {
  write(bytes: Uint8Array): void;
  /** How many lists of events there are. */
  readonly lists: number;
}

export function xmlEventFinder(onEvent: (event: FoundEvent) => void): EventFinder {
  const path: string[] = [];
  let lists = 0;
  let listDepth = Infinity;
  let offset = 0; // of the current chunk
  let line = 1;
  let before = 0; // the byte before
  /** Of a tag: what stands behind <; undefined: in text. */
  let lead: string | undefined;
  let quote = 0;
  /** Of a comment and the like: what ends it, and how much of that stands right before here. */
  let ending: string | undefined;
  let matched = '';
  let tagFrom = 0;
  let tagLine = 1;
  let eventFrom = 0;
  let eventLine = 1;

  const opened = (name: string): void => {
    if (path.length === listDepth) [eventFrom, eventLine] = [tagFrom, tagLine];
    const parent = path.at(-1);
    path.push(name);
    if (name !== 'EventList' || (parent !== 'EPCISBody' && parent !== 'resultsBody')) return;
    lists += 1;
    if (lists === 1) listDepth = path.length;
  };
  const closed = (to: number): void => {
    path.pop();
    if (path.length === listDepth) onEvent({ from: eventFrom, to, line: eventLine, lastLine: line });
    if (path.length < listDepth && lists > 0) listDepth = Infinity;
  };
  const tagEnds = (tag: string, to: number): void => {
    if (tag.startsWith('/')) return closed(to);
    const name = /^[^\s/>]*/.exec(tag)?.[0] ?? '';
    opened(name.slice(name.indexOf(':') + 1));
    if (before === SLASH) closed(to);
  };
  const inTag = (byte: number, at: number, tag: string): void => {
    if (quote !== 0) {
      if (byte === quote) quote = 0;
    } else if (byte === QUOTE || byte === APOSTROPHE) quote = byte;
    else if (byte === GT) {
      lead = undefined;
      tagEnds(tag, offset + at + 1);
    }
    if (lead === undefined || tag.length >= LEAD) return;
    lead = tag + String.fromCharCode(byte);
    const passed = PASSED.find(([begins]) => begins === lead);
    if (passed === undefined) return;
    [lead, ending, matched, quote] = [undefined, passed[1], '', 0];
  };
  const look = (byte: number, at: number): void => {
    if (byte === NEWLINE ? before !== RETURN : byte === RETURN) line += 1;
    if (ending !== undefined) {
      matched = (matched + String.fromCharCode(byte)).slice(-ending.length);
      if (matched === ending) ending = undefined;
    } else if (lead !== undefined) inTag(byte, at, lead);
    else if (byte === LT) [lead, quote, tagFrom, tagLine] = ['', 0, offset + at, line];
    before = byte;
  };
  return {
    write(bytes) {
      for (let at = 0; at < bytes.length; at++) look(bytes[at] ?? 0, at);
      offset += bytes.length;
    },
    get lists() {
      return lists;
    },
  };
}
