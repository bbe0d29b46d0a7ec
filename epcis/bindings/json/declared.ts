// The `@context` of a document, and what one of its events needs of it. A small one goes with each event as it stands; of
// a large one an event takes what it names, what that names in turn, and what is about all names.
import { mayCarry } from '../../domain/document-limits.ts';
import type { JsonMember, JsonValue } from './value.ts';

const SMALL = 1024;
const ITEMS = /^\s*\[([\s\S]*)\]\s*$/;

/** The entries of a context, without the brackets of an array. */
export const entries = (context: string): string => (ITEMS.exec(context)?.[1] ?? context).trim();

export interface DeclaredContext {
  /** The entries that an event with these names needs, without brackets. Undefined if that is more than it may have with it. */
  neededBy(names: () => Iterable<string>, size: number): string | undefined;
}

export function declaredContext(text: string, value: JsonValue): DeclaredContext {
  const whole = entries(text);
  if (text.length <= SMALL) return { neededBy: () => whole };
  const { ofAll, byName } = piecesOf(text, value);
  return {
    neededBy(names, size) {
      const most = mayCarry(size);
      const needed = new Set<Piece>();
      let length = 0;
      const open: Iterable<string>[] = [];
      const take = (piece: Piece): boolean => {
        if (needed.has(piece)) return true;
        needed.add(piece);
        length += piece.text.length;
        if (length <= most) open.push(piece.names);
        return length <= most;
      };
      if (!ofAll.every(take)) return undefined;
      open.push(names());
      for (const some of open) for (const name of some) if (byName.get(name)?.every(take) === false) return undefined;
      return written([...needed]);
    },
  };
}

/** A URL, or one definition of an object. */
interface Piece {
  readonly text: string;
  /** Of the definition: what it names in turn. */
  readonly names: ReadonlySet<string>;
  readonly place: number;
  /** The number of its object. */
  readonly entry: number | undefined;
}

interface Pieces {
  /** URLs and keywords such as @vocab. */
  readonly ofAll: readonly Piece[];
  readonly byName: ReadonlyMap<string, readonly Piece[]>;
}

function piecesOf(text: string, context: JsonValue): Pieces {
  const ofAll: Piece[] = [];
  const byName = new Map<string, Piece[]>();
  const isList = context.kind === 'array';
  (isList ? context.items : [context]).forEach((item, entry) => {
    if (item.kind !== 'object') {
      const [start, end] = (isList ? context.places[entry] : undefined) ?? [0, text.length];
      ofAll.push({ text: text.slice(start, end), names: new Set(), place: start, entry: undefined });
      return;
    }
    for (const member of item.members) {
      const { key, start, end } = member;
      const piece = { text: text.slice(start, end), names: namesIn([member]), place: start, entry };
      const same = byName.get(key);
      if (key.startsWith('@')) ofAll.push(piece);
      else if (same === undefined) byName.set(key, [piece]);
      else same.push(piece);
    }
  });
  return { ofAll, byName };
}

function written(pieces: readonly Piece[]): string {
  const all: { entry: number | undefined; texts: string[] }[] = [];
  for (const { entry, text } of pieces.toSorted((a, b) => a.place - b.place)) {
    const last = all.at(-1);
    if (last === undefined || entry === undefined || last.entry !== entry) all.push({ entry, texts: [text] });
    else last.texts.push(text);
  }
  return all.map(({ entry, texts }) => (entry === undefined ? texts.join() : `{${texts.join()}}`)).join();
}

/** Whatever a context may say the meaning of: names and texts, each whole, and what stands before its first colon. */
export function namesIn(members: readonly JsonMember[]): ReadonlySet<string> {
  const names = new Set<string>();
  const add = (text: string): void => {
    names.add(text);
    const colon = text.indexOf(':');
    if (colon > 0) names.add(text.slice(0, colon));
  };
  const look = (value: JsonValue): void => {
    if (value.kind === 'string') add(value.value);
    else if (value.kind === 'array') value.items.forEach(look);
    else if (value.kind === 'object') lookAt(value.members);
  };
  const lookAt = (some: readonly JsonMember[]): void => {
    for (const { key, value } of some) {
      add(key);
      look(value);
    }
  };
  lookAt(members);
  return names;
}
