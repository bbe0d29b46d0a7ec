// The text of one event as it stood in its document, made to stand alone: all contexts in force come first, in one
// array, and the rest follows as it was written.
import { entries, namesIn, type DeclaredContext } from './declared.ts';
import { parseJson, type JsonMember, type JsonObject } from './value.ts';

/** Contexts behind one another, none twice. */
function joined(contexts: readonly string[]): string {
  const given = contexts.filter((context) => context !== '');
  if (given.length < 2) return given.join();
  const all = given.flatMap((context) => JSON.parse(`[${context}]`) as unknown[]).map((entry) => JSON.stringify(entry));
  // what a later one says counts, so that the last one of the same is kept; URLs say nothing here, and the standard's comes first
  const last = new Map(all.map((entry, i) => [entry, i]));
  const urls = new Set(all.filter((entry) => entry.startsWith('"')));
  return all.filter((entry, i) => (entry.startsWith('"') ? urls.delete(entry) : last.get(entry) === i)).join();
}

/**
 * `header` are prefixes that no context declares, but the GS1-Extensions header does. Undefined for an event that needs
 * more of its document's context than it may have with it.
 */
export function selfContained(
  text: string,
  event: JsonObject,
  document: DeclaredContext | undefined,
  header: ReadonlyMap<string, string>,
): string | undefined {
  const own = event.members.find(({ key }) => key === '@context');
  const ownText = own === undefined ? '' : text.slice(valueStart(text, own), own.end);
  const names = (): ReadonlySet<string> => namesIn(event.members);
  const declared = document === undefined ? '' : document.neededBy(names, text.length);
  if (declared === undefined) return undefined;
  const contexts = joined([ofHeader(header, names), declared, entries(ownText)]);
  const rest = own === undefined ? text : withoutMember(text, own);
  return contexts === '' ? rest : withMember(rest, `"@context":[${contexts}]`);
}

function ofHeader(header: ReadonlyMap<string, string>, names: () => ReadonlySet<string>): string {
  if (header.size === 0) return '';
  const used = names();
  const declared = [...header].filter(([prefix]) => used.has(prefix));
  return declared.map(([prefix, uri]) => JSON.stringify(Object.fromEntries([[prefix, uri]]))).join();
}

export const valueStart = (text: string, { start }: JsonMember): number =>
  text.indexOf(':', start + '"@context"'.length) + 1;

/** Puts a member first. */
export function withMember(text: string, member: string): string {
  const empty = /^\{\s*\}$/.test(text);
  return `{${member}${empty ? '' : ','}${text.slice(1)}`;
}

/** Takes a member out, with the comma that goes with it. */
export function withoutMember(text: string, { start, end }: Pick<JsonMember, 'start' | 'end'>): string {
  const after = /^\s*,\s*/.exec(text.slice(end))?.[0];
  if (after !== undefined) return text.slice(0, start) + text.slice(end + after.length);
  return text.slice(0, start).replace(/,\s*$/, '') + text.slice(end);
}

/** The event's text with its members' places. */
export function parseSource(text: string): JsonObject {
  const value = parseJson(text, Number.POSITIVE_INFINITY);
  if (value.kind !== 'object') throw new Error('the source of an event is no object');
  return value;
}
