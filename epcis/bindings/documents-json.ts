// An EPCIS document in JSON: EPCISDocument, EPCISQueryDocument, and the master data in their header. Knows where events
// and vocabulary elements stand, and which prefixes are in force there.
import type { Sha256 } from '../domain/hash.ts';
import { EpcisException } from '../domain/exceptions.ts';
import { atOnce, LARGE_ITEM, type InPieces } from '../domain/in-pieces.ts';
import { readCaptured } from './json/captured.ts';
import { checkContextSize, givenPrefixes, resolveName, withContext, type Prefixes } from './json/context.ts';
import { checkValues } from './json/count.ts';
import { ENTERED, EVENTS, isList, QUERY_NAME, RESULTS, VOCABULARY_ELEMENTS, VOCABULARY_TYPES } from './json/places.ts';
import { createScanner, type Scanner } from './json/scanner.ts';
import { declaredContext, type DeclaredContext } from './json/declared.ts';
import { invalidAt, parseJson, withoutMember, type JsonValue } from './json/value.ts';
import { readJsonVocabularyElement } from './json/vocabulary.ts';
import { readString, readUri } from './json/read-strings.ts';
import { readTime } from './json/read-values.ts';
import { textOf } from './json/text.ts';
import { readEveryFault, readItem, readPart, type Faults, type FaultSearch } from './faults.ts';
import { LargeItems } from './large-items.ts';
import { isVersion, tooLarge, type DocumentLimits } from '../domain/document-limits.ts';
import type { CaptureItem } from '../service/services.ts';

/** Members of a document that hold what nobody asks for here. */
const OTHER_MEMBERS = new Map([
  ['/id', readUri],
  ['/instanceIdentifier', readString],
  ['/sender', readString],
  ['/receiver', readString],
  [QUERY_NAME, readString],
  ['/epcisBody/queryResults/subscriptionID', readString],
]);
/** Where nothing else may stand but what has a namespace. */
const NAMED_ONLY = /^(?:\/epcisHeader|\/epcisBody(?:\/queryResults(?:\/resultsBody)?)?)?\/[^/:]+$/;
/** What may stand in the body instead of eventList. */
const OTHER_BODIES = ['/epcisBody/event', '/epcisBody/vocabularyList', `${RESULTS}/vocabularyList`];

const wrongKind = (path: string, pointer: string): EpcisException =>
  invalidAt(
    'type',
    `${pointer.slice(pointer.lastIndexOf('/') + 1)} is no ${isList(path) ? 'array' : 'object'}`,
    pointer,
  );

const TYPES = ['EPCISDocument', 'EPCISQueryDocument', 'EPCISMasterDataDocument'];

export interface JsonDocument extends Scanner {
  /** Reads what is large of what has been written since the last call, in pieces. */
  large(): InPieces<void>;
  /** What has been read since the last call. */
  take(): CaptureItem[];
}

interface Waiting {
  readonly text: string;
  readonly pointer: string;
  readonly vocabulary: string | undefined;
}

export function jsonDocument(
  sha256: Sha256,
  limits: DocumentLimits,
  extensions: Prefixes,
  { onFault, everyFault }: Faults,
): JsonDocument {
  const ignore = new Set<string>();
  const seen = new Set<string>();
  let items: CaptureItem[] = [];
  let context: DeclaredContext | undefined;
  let prefixes = givenPrefixes(extensions);
  let vocabulary: string | undefined;
  // items that came before @context wait for it; JSON's members may come in any order, if only that much fits in memory
  const waiting: Waiting[] = [];
  // so do elements that came before the type of their vocabulary
  const untyped: Waiting[] = [];
  let waitingSize = 0;

  const around = () => ({ prefixes, context, sha256, ignore, extensions });
  function* readValue(
    { text, pointer, vocabulary: type }: Waiting,
    value: JsonValue,
    inForce: ReturnType<typeof around>,
  ): InPieces<CaptureItem> {
    if (type !== undefined) {
      const element = readJsonVocabularyElement(value, type, inForce.prefixes, pointer, text.length);
      return { kind: 'vocabulary', element, at: pointer };
    }
    if (value.kind !== 'object') throw invalidAt('type', 'the event is no object', pointer);
    const captured = yield* readCaptured(text, value, { ...inForce, pointer });
    return { kind: 'event', captured, at: pointer };
  }
  const parse = ({ text, pointer }: Waiting): JsonValue => parseJson(text, limits.depth, pointer);
  function* readText(item: Waiting, inForce: ReturnType<typeof around>): InPieces<CaptureItem> {
    const value = parse(item);
    if (item.text.length > LARGE_ITEM) yield;
    return yield* readValue(item, value, inForce);
  }
  const large = new LargeItems();
  const read = (item: Waiting): void => {
    if (everyFault === undefined)
      return large.read(item.text.length > LARGE_ITEM, readItem(readText(item, around()), items, onFault));
    const search = searchIn(item, (value) => atOnce(readValue(item, value, around())));
    readPart(() => readEveryFault(parse(item), search, items, everyFault), everyFault);
  };

  const keep = (item: Waiting, among: Waiting[], what: string): void => {
    among.push(item);
    waitingSize += item.text.length;
    if (waitingSize > limits.itemBytes)
      throw tooLarge(`more stands before ${what} than can wait for it`, limits.itemBytes);
  };
  const onItem = (item: Waiting): void => {
    if (context === undefined) keep(item, waiting, '@context');
    else read(item);
  };
  const endVocabulary = (): void => {
    const [first] = untyped.splice(0);
    if (first !== undefined)
      readPart(() => {
        throw invalidAt('required', 'the vocabulary lacks its type', first.pointer);
      }, everyFault);
    vocabulary = undefined;
  };

  const onMember = (path: string, text: string, pointer: string): void => {
    const value = parseJson(text, limits.depth, pointer);
    if (path === '/@context') {
      checkContextSize(text.length);
      context = declaredContext(text, value);
      prefixes = withContext(value, prefixes, pointer);
      for (const item of waiting.splice(0)) read(item);
    } else if (path === '/type' && !TYPES.includes(readString(value, pointer))) {
      throw invalidAt('document', `type ‘${readString(value, pointer)}’ is no EPCIS document`, pointer);
    } else if (path === '/creationDate') readTime(value, pointer);
    else if (path === '/schemaVersion') checkVersion(value, pointer);
    else if (ENTERED.has(path)) throw wrongKind(path, pointer);
    else if (OTHER_MEMBERS.has(path)) OTHER_MEMBERS.get(path)?.(value, pointer);
    else if (path !== '/type' && NAMED_ONLY.test(path))
      throw invalidAt('unknown', `unknown member ‘${path.slice(path.lastIndexOf('/') + 1)}’`, pointer);
    else if (VOCABULARY_TYPES.has(path)) {
      vocabulary = readUri(value, pointer);
      for (const element of untyped.splice(0)) onItem({ ...element, vocabulary });
    } else if (/^(\/epcisBody\/queryResults)?\/[^/]*:ignoreFields$/.test(path)) declareIgnored(value, prefixes, ignore);
  };

  const scanner = createScanner({
    enters: (path, array, pointer) => {
      seen.add(path);
      if (ENTERED.has(path) && array !== isList(path)) throw wrongKind(path, pointer);
      if (/\/vocabularyList\/\*$/.test(path)) endVocabulary();
      return ENTERED.has(path);
    },
    value: (path, raw, pointer) => {
      seen.add(path);
      const text = textOf(raw, pointer);
      checkValues(text, limits.itemValues, pointer);
      if (EVENTS.has(path)) onItem({ text, pointer, vocabulary: undefined });
      else if (VOCABULARY_ELEMENTS.has(path)) {
        const element = { text, pointer, vocabulary };
        if (vocabulary === undefined) keep(element, untyped, 'the type of its vocabulary');
        else onItem(element);
      } else readPart(() => onMember(path, text, pointer), everyFault);
    },
    ...limits,
  });

  return {
    write: (bytes) => {
      scanner.write(bytes);
    },
    end() {
      scanner.end();
      endVocabulary();
      const query = seen.has('/epcisBody/queryResults');
      const needed = [
        ...['/@context', '/type', '/epcisBody'],
        ...(query
          ? [QUERY_NAME, RESULTS, `${RESULTS}/eventList`]
          : ['/schemaVersion', '/creationDate', '/epcisBody/eventList']),
      ].filter((path) => !(path.endsWith('/eventList') && OTHER_BODIES.some((other) => seen.has(other))));
      for (const missing of needed.filter((path) => !seen.has(path)))
        readPart(() => {
          const reason = `the document lacks ${missing.slice(missing.lastIndexOf('/') + 1)}`;
          throw new EpcisException('ValidationException', reason, undefined, { broken: { rule: 'required' } });
        }, everyFault);
    },
    large: () => large.inPieces(),
    take() {
      const taken = items;
      items = [];
      return taken;
    },
  };
}

/** How all faults of the item at `pointer` are found: by what stands where each of them is. */
function searchIn({ pointer, text }: Waiting, read: (value: JsonValue) => CaptureItem): FaultSearch<JsonValue> {
  const isWhole = (at: string) => !at.startsWith(`${pointer}/`);
  return {
    size: text.length,
    read,
    without: (value, { at = '' }) => (isWhole(at) ? undefined : withoutMember(value, pointer, at)),
    fieldOf: (_value, { at = '' }) => (isWhole(at) ? '' : (at.slice(pointer.length + 1).split('/')[0] ?? '')),
    // of the last one in a list the whole list is missed
    gapOf: (_value, { at = '' }) =>
      at
        .replace(/(?:\/\d+)*$/, '')
        .replace(/^(.*)\/([^/]*)$/, (_, place: string, name: string) => `${place || '/'} ${name}`),
  };
}

function checkVersion(value: JsonValue, pointer: string): void {
  const version = readString(value, pointer);
  if (!isVersion(version)) throw invalidAt('type', `schemaVersion ‘${version}’ is no version number`, pointer);
}

/** A single event, which must bring its own context. */
export function* readSingleJson(
  text: string,
  limits: DocumentLimits,
  { sha256, extensions = new Map(), everyFault }: Faults & { readonly sha256: Sha256; readonly extensions?: Prefixes },
): InPieces<readonly CaptureItem[]> {
  const prefixes = givenPrefixes(extensions);
  function* read(value: JsonValue): InPieces<CaptureItem> {
    if (value.kind !== 'object') throw invalidAt('type', 'the event is no object', '');
    if (!value.members.some(({ key }) => key === '@context'))
      throw invalidAt('required', 'the event lacks @context', '');
    const captured = yield* readCaptured(text, value, {
      ...{ prefixes, context: undefined, sha256, extensions, pointer: '' },
    });
    return { kind: 'event', captured, at: '/' };
  }
  checkValues(text, limits.itemValues, '');
  yield;
  const whole = parseJson(text, limits.depth);
  yield;
  if (everyFault === undefined) return [yield* read(whole)];
  const items: CaptureItem[] = [];
  readEveryFault(
    whole,
    searchIn({ text, pointer: '', vocabulary: undefined }, (value) => atOnce(read(value))),
    items,
    everyFault,
  );
  return items;
}

/** Names of fields that a repository added to its results and that are no part of an event's hash. */
function declareIgnored(value: JsonValue, prefixes: Prefixes, ignore: Set<string>): void {
  for (const item of value.kind === 'array' ? value.items : []) {
    const name = item.kind === 'string' ? resolveName(item.value, prefixes) : undefined;
    if (name !== undefined) ignore.add(`{${name.namespace}}${name.name}`);
  }
}
