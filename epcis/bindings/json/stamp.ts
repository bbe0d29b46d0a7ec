// The source of an event in JSON, with what the repository adds.
import { JSON_CONTEXT } from './context.ts';
import { entries } from './declared.ts';
import { parseSource, valueStart, withMember, withoutMember } from './source.ts';
import type { JsonMember, JsonValue } from './value.ts';

export interface Stamp {
  readonly recordTime: string;
  /** For an event that was captured without one. */
  readonly eventID?: string;
}

const STANDARD =
  /^https:\/\/(?:ref\.gs1\.org\/standards\/epcis\/(?:[\d.]+\/)?|gs1\.github\.io\/EPCIS\/)epcis-context\.jsonld$/;
const ONLY_STANDARD = /^\{"@context":\["([^"\\]*)"\],/;

/** The text with recordTime and, if it has none, eventID; without the standard's own context, which the document has. */
export function stampJson(source: string, { recordTime, eventID }: Stamp): string {
  const added = (...more: string[]): string => [...more, `"recordTime":${JSON.stringify(recordTime)}`].join(',');
  const id = eventID === undefined ? [] : [`"eventID":${JSON.stringify(eventID)}`];

  const plain = ONLY_STANDARD.exec(source);
  if (plain !== null && STANDARD.test(plain[1] ?? '') && !MAYBE_STAMPED.test(source)) {
    return withMember(`{${source.slice(plain[0].length)}`, added(...id));
  }
  const { members } = parseSource(source);
  const member = (name: string): JsonMember | undefined => members.find(({ key }) => key === name);
  const context = member('@context');
  let text = source;
  // from the end, so that the places of what stands before stay true
  for (const gone of members.filter(({ key }) => key === '@context' || key === 'recordTime').reverse()) {
    text = withoutMember(text, gone);
  }
  return withMember(text, added(...contextMember(source, context), ...(member('eventID') === undefined ? id : [])));
}

/** A written event that no document stands around: with the standard's own context, before those of its own. */
export function standingAlone(text: string): string {
  const standard = JSON.stringify(JSON_CONTEXT);
  const [first] = parseSource(text).members;
  if (first?.key !== '@context') return withMember(text, `"@context":[${standard}]`);
  const own = entries(text.slice(valueStart(text, first), first.end));
  return withMember(withoutMember(text, first), `"@context":[${[standard, own].filter(Boolean).join(',')}]`);
}

/** Any of our members, its name plain or perhaps written with escapes. */
const MAYBE_STAMPED = /"(?:recordTime|eventID)"|\\u/;

/** What the document doesn't have. What it and the event both declared stands once, where it counts: a later entry overrules. */
function contextMember(source: string, context: JsonMember | undefined): string[] {
  if (context === undefined) return [];
  const { value } = context;
  if (value.kind !== 'array') return [source.slice(context.start, context.end)];
  const { items, places } = value;
  const left = places.filter((_, i) => !isStandard(items[i])).map(([start, end]) => source.slice(start, end));
  const last = new Map(left.map((entry, i) => [JSON.stringify(JSON.parse(entry)), i]));
  const once = left.filter((entry, i) => last.get(JSON.stringify(JSON.parse(entry))) === i);
  return once.length === 0 ? [] : [`"@context":[${once.join(',')}]`];
}

const isStandard = (item: JsonValue | undefined): boolean => item?.kind === 'string' && STANDARD.test(item.value);
