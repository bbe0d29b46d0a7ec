// CURIEs in values: `ext1:painting` stands for the namespace that the document, or a header, gives the prefix ext1, and
// what follows. An event is stored and found by whole URIs; its source, and its hash, keep the form that the client chose.
import { cbvValue } from './cbv.ts';
import { METADATA_FIELDS, REPORT_FIELDS, type SensorValueKind } from './sensor-shape.ts';
import { translateIdentifiers, type TranslateUri } from './translate.ts';
import type { EpcisEvent, SensorElement, TypedValue, VocabularyElement } from './event.ts';

type Prefixes = ReadonlyMap<string, string>;

/** Schemes that no document can give another meaning. */
const SCHEMES = new Set(['urn', 'http', 'https']);

/** `ex:painting` → `http://example.com/ns/painting`; a URI of any other scheme as it is. */
export function expandCurie(value: string, prefixes: Prefixes): string {
  const at = value.indexOf(':');
  const namespace = at < 0 ? undefined : prefixes.get(value.slice(0, at));
  if (namespace === undefined || value.startsWith('//', at + 1) || SCHEMES.has(value.slice(0, at))) return value;
  return namespace + value.slice(at + 1);
}

const expander =
  (prefixes: Prefixes): TranslateUri =>
  (value) => {
    const expanded = expandCurie(value, prefixes);
    return expanded === value ? value : cbvValue(expanded);
  };

/** Every URI of the standard's own fields whole; extension fields are text, of which nobody knows what it means. */
export function expandEvent(event: EpcisEvent, prefixes: Prefixes): EpcisEvent {
  if (prefixes.size === 0) return event;
  const expand = expander(prefixes);
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

/** Master data: the element, its attributes and its children. */
export function expandElement(element: VocabularyElement, prefixes: Prefixes): VocabularyElement {
  if (prefixes.size === 0) return element;
  const expand = expander(prefixes);
  return {
    ...element,
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
