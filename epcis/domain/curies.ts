// CURIEs in values: `ext1:painting` stands for the namespace that the document, or a header, gives the prefix ext1, and
// what follows. An event is stored and found by whole URIs, and knows which of them were CURIEs, to write them so again;
// its source, and its hash, keep the form that the client chose.
import { cbvValue } from './cbv.ts';
import { mayStandFor, tooLarge } from './document-limits.ts';
import { extensionsOf } from './namespaces.ts';
import { METADATA_FIELDS, REPORT_FIELDS, type SensorValueKind } from './sensor-shape.ts';
import { translateIdentifiers, type TranslateUri } from './translate.ts';
import type { EpcisEvent, SensorElement, TypedValue, VocabularyElement } from './event.ts';

type Prefixes = Pick<ReadonlyMap<string, string>, 'get'>;

/** Schemes that no document can give another meaning. */
const SCHEMES = new Set(['urn', 'http', 'https']);

/** `ex:painting` → `http://example.com/ns/painting`; a URI of any other scheme as it is. */
export function expandCurie(value: string, prefixes: Prefixes): string {
  const at = value.indexOf(':');
  const namespace = at < 0 ? undefined : prefixes.get(value.slice(0, at));
  if (namespace === undefined || value.startsWith('//', at + 1) || SCHEMES.has(value.slice(0, at))) return value;
  return namespace + value.slice(at + 1);
}

/** `written` gets what was a CURIE; the standard's own words are written as such in any case. */
const expander =
  (prefixes: Prefixes, written = new Map<string, string>()): TranslateUri =>
  (value) => {
    const expanded = expandCurie(value, prefixes);
    if (expanded === value) return value;
    const whole = cbvValue(expanded);
    if (!whole.startsWith(CBV)) written.set(whole, value);
    return whole;
  };
const CBV = 'https://ref.gs1.org/cbv/';

/** Every URI of the standard's own fields whole; extension fields are text, of which nobody knows what it means. `size`: of the event's text. */
export function expandEvent(event: EpcisEvent, prefixes: Prefixes, size: number): EpcisEvent {
  if (!mentions(event, prefixes, size)) return event;
  const written = new Map<string, string>();
  const whole = mapUris(event, expander(prefixes, written));
  return written.size === 0 ? whole : { ...whole, curies: Object.fromEntries(written) };
}

/**
 * Whether a text anywhere in the value starts with a prefix: few events have CURIEs, and most are not worth writing anew.
 * Refuses what says little and stands for much.
 */
function mentions(value: object, prefixes: Prefixes, size: number): boolean {
  let found = false;
  let length = 0;
  const look = (inner: unknown): void => {
    if (typeof inner === 'string') {
      const namespace = prefixes.get(inner.slice(0, Math.max(0, inner.indexOf(':'))));
      if (namespace !== undefined) found = true;
      length += inner.length + (namespace?.length ?? 0);
    } else if (typeof inner === 'object' && inner !== null) for (const each of Object.values(inner)) look(each);
  };
  look(value);
  if (length > mayStandFor(size))
    throw tooLarge('what stands here is short and, by its prefixes, stands for more than allowed', mayStandFor(size));
  return found;
}

/** The namespaces of an event's CURIEs, each with the prefix that it was written with. */
export const curieNamespaces = ({
  curies = {},
}: EpcisEvent): readonly { namespace: string; prefix: string; name: string }[] =>
  Object.entries(curies).map(([uri, curie]) => split(uri, curie));

/** The event with its CURIEs as they were written, with the prefixes (namespace → prefix) that stand for the same now. */
export function withCuries(event: EpcisEvent, prefixes: Prefixes): EpcisEvent {
  const { curies } = event;
  if (curies === undefined) return event;
  return mapUris(event, (uri) => {
    const curie = Object.hasOwn(curies, uri) ? curies[uri] : undefined;
    if (curie === undefined) return uri;
    const { namespace, name } = split(uri, curie);
    const prefix = prefixes.get(namespace);
    return prefix === undefined ? uri : `${prefix}:${name}`;
  });
}

/**
 * What the URIs of an event begin with, its namespaces among them: where a document had no prefix of that name, or only further in, whoever
 * writes the event must not have one.
 */
export function schemesOf(event: EpcisEvent): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (uri: string): string => {
    found.add(uri.slice(0, Math.max(0, uri.indexOf(':'))));
    return uri;
  };
  mapUris(event, add);
  for (const { namespace } of extensionsOf(event)) add(namespace);
  return found;
}

function split(uri: string, curie: string): { namespace: string; prefix: string; name: string } {
  const at = curie.indexOf(':');
  const name = curie.slice(at + 1);
  return { namespace: uri.slice(0, uri.length - name.length), prefix: curie.slice(0, at), name };
}

function mapUris(event: EpcisEvent, expand: TranslateUri): EpcisEvent {
  const { eventID, bizStep, disposition, persistentDisposition, errorDeclaration, sensorElementList } = event;
  const typed = (name: 'bizTransactionList' | 'sourceList' | 'destinationList'): Partial<EpcisEvent> => {
    const list = event[name];
    return list === undefined ? {} : { [name]: list.map((entry) => expandTyped(entry, expand)) };
  };
  const whole: EpcisEvent = {
    ...event,
    ...(eventID !== undefined && { eventID: expand(eventID) }),
    ...(event.certificationInfo && { certificationInfo: event.certificationInfo.map(expand) }),
    ...(bizStep !== undefined && { bizStep: expand(bizStep) }),
    ...(disposition !== undefined && { disposition: expand(disposition) }),
    ...(persistentDisposition && {
      persistentDisposition: {
        set: persistentDisposition.set.map(expand),
        unset: persistentDisposition.unset.map(expand),
      },
    }),
    ...(errorDeclaration && { errorDeclaration: expandDeclaration(errorDeclaration, expand) }),
    ...(sensorElementList && { sensorElementList: sensorElementList.map((each) => expandSensors(each, expand)) }),
    ...typed('bizTransactionList'),
    ...typed('sourceList'),
    ...typed('destinationList'),
  };
  return translateIdentifiers(whole, expand);
}

/** Master data: the element, its vocabulary, its attributes and its children. `size`: of the element's text. */
export function expandElement(element: VocabularyElement, prefixes: Prefixes, size: number): VocabularyElement {
  if (!mentions(element, prefixes, size)) return element;
  const expand = expander(prefixes);
  return {
    ...element,
    vocabulary: expand(element.vocabulary),
    id: expand(element.id),
    attributes: element.attributes.map((attribute) => ({ ...attribute, id: expand(attribute.id) })),
    children: element.children.map(expand),
  };
}

const expandTyped = (entry: TypedValue, expand: TranslateUri): TypedValue =>
  entry.type === undefined ? entry : { ...entry, type: expand(entry.type) };

function expandDeclaration(
  declaration: NonNullable<EpcisEvent['errorDeclaration']>,
  expand: TranslateUri,
): NonNullable<EpcisEvent['errorDeclaration']> {
  const { reason, correctiveEventIDs } = declaration;
  return {
    ...declaration,
    ...(reason !== undefined && { reason: expand(reason) }),
    ...(correctiveEventIDs && { correctiveEventIDs: correctiveEventIDs.map(expand) }),
  };
}

function expandSensors(element: SensorElement, expand: TranslateUri): SensorElement {
  const { sensorMetadata, sensorReport } = element;
  return {
    ...element,
    ...(sensorMetadata && { sensorMetadata: expandFields(sensorMetadata, METADATA_FIELDS, expand) }),
    sensorReport: sensorReport.map((report) => expandFields(report, REPORT_FIELDS, expand)),
  };
}

function expandFields<T extends object>(
  fields: T,
  kinds: Readonly<Record<string, SensorValueKind>>,
  expand: TranslateUri,
): T {
  const entries = Object.entries(fields).map(([name, value]: [string, unknown]) => {
    const kind = kinds[name];
    const isUri = kind === 'uri' || typeof kind === 'object';
    return [name, isUri && typeof value === 'string' ? expand(value) : value];
  });
  return Object.fromEntries(entries) as T;
}
