// The source of an event in JSON, with what the repository adds.
import { parseSource, withMember, withoutMember } from './source.ts';
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
  let text = withoutStandardContext(source);
  // the text is parsed only where a name could be found, plain or written with escapes
  const has = (name: string): boolean =>
    (text.includes(`"${name}"`) || text.includes('\\u')) && memberOf(text, name) !== undefined;
  if (has('recordTime')) text = withoutMember(text, memberOf(text, 'recordTime') ?? { start: 0, end: 0 });
  const added = [`"recordTime":${JSON.stringify(recordTime)}`];
  if (eventID !== undefined && !has('eventID')) added.unshift(`"eventID":${JSON.stringify(eventID)}`);
  return withMember(text, added.join(','));
}

const memberOf = (text: string, name: string): JsonMember | undefined =>
  parseSource(text).members.find(({ key }) => key === name);

function withoutStandardContext(text: string): string {
  const only = ONLY_STANDARD.exec(text);
  if (only !== null && STANDARD.test(only[1] ?? '')) return `{${text.slice(only[0].length)}`;
  if (!text.startsWith('{"@context":[')) return text;
  const context = memberOf(text, '@context');
  if (context?.value.kind !== 'array') return text;
  const { items, places } = context.value;
  const left = places.filter((_, i) => !isStandard(items[i])).map(([start, end]) => text.slice(start, end));
  const rest = withoutMember(text, context);
  if (left.length === 0) return rest;
  // what document and event both declared stands once, where it counts: a later entry overrules earlier ones
  const last = new Map(left.map((entry, i) => [JSON.stringify(JSON.parse(entry)), i]));
  const once = left.filter((entry, i) => last.get(JSON.stringify(JSON.parse(entry))) === i);
  return withMember(rest, `"@context":[${once.join(',')}]`);
}

const isStandard = (item: JsonValue | undefined): boolean => item?.kind === 'string' && STANDARD.test(item.value);
