// The source of an event in XML, with what the repository adds.
import { escapeXml } from './source.ts';
import type { XmlVersion } from './write-event.ts';

export interface Stamp {
  readonly recordTime: string;
  /** For an event that was captured without one. */
  readonly eventID?: string;
}

/** Fields that 1.1, 1.2 and 2.0 added to the events of 1.0. */
const ADDED = new Set(
  (
    'eventID errorDeclaration certificationInfo quantityList childQuantityList sourceList destinationList ' +
    'sensorElementList persistentDisposition ilmd'
  ).split(' '),
);
/** TransformationEvent came with 1.1 and has these of itself. */
const OF_TRANSFORMATION = new Set(['sourceList', 'destinationList', 'ilmd']);
const REQUIRED: Readonly<Record<string, string>> = {
  ObjectEvent: 'epcList',
  TransactionEvent: 'epcList',
  AggregationEvent: 'childEPCs',
};

/** Whether an event, as it was captured, is an event of this version of the schema: 1.2 wraps what 2.0 does not. */
export function isVerbatim(source: string, version: XmlVersion): boolean {
  // by xsi:type, which the other version's schema would have to know
  if (source.includes(`urn:epcglobal:epcis:xsd:${version === '2.0' ? 1 : 2}`)) return false;
  const { type, children, wrapped } = outline(source);
  if (/(?:^|:)QuantityEvent$/.test(type)) return type === 'QuantityEvent' && version === '1.2';
  if (version === '2.0') return !children.has('baseExtension') && ![...wrapped].some((name) => ADDED.has(name));
  const own = type === 'TransformationEvent' ? OF_TRANSFORMATION : new Set<string>();
  const required = REQUIRED[type];
  return (
    type !== 'AssociationEvent' &&
    ![...children].some((name) => ADDED.has(name) && !own.has(name)) &&
    (required === undefined || children.has(required))
  );
}

const TAGS =
  /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<(\/?)([^\s/>]+)(?:\s(?:"[^"]*"|'[^']*'|[^'">])*?)?(\/?)>/g;

/** The event's type, the names of its child elements, and of those inside `extension`. */
function outline(source: string): { type: string; children: Set<string>; wrapped: Set<string> } {
  const path: string[] = [];
  const children = new Set<string>();
  const wrapped = new Set<string>();
  let type = '';
  for (const [, closing, name, empty] of source.matchAll(TAGS)) {
    if (name === undefined) continue;
    if (closing === '/') path.pop();
    else {
      if (path.length === 0) type = name;
      else if (path.length === 1) children.add(name);
      else if (path.at(-1) === 'extension' && path.slice(1).every((outer) => outer === 'extension')) wrapped.add(name);
      if (empty === '') path.push(name);
    }
  }
  return { type, children, wrapped };
}

const EMPTY_ID = /^<eventID(?:\s[^>]*)?(?:\/|>\s*<\/eventID\s*)>$/;

/** Where the elements end that begin every event, and where what a client said stands that the repository says itself. */
function headOf(source: string): { eventTimeEnd: number; end: number; replaced: [from: number, to: number][] } {
  const head = { eventTimeEnd: 0, end: 0, replaced: [] as [from: number, to: number][] };
  let [depth, from] = [0, 0];
  for (const { 0: tag, 1: closing, 2: name, 3: empty, index } of source.matchAll(TAGS)) {
    if (name === undefined) continue;
    if (closing === '' && depth++ === 1) from = index;
    if (closing === '' && empty === '') continue;
    depth -= 1;
    if (depth !== 1) continue;
    const to = index + tag.length;
    if (name === 'recordTime' || EMPTY_ID.test(source.slice(from, to))) head.replaced.push([from, to]);
    else if (name === 'eventTime') head.eventTimeEnd = to;
    else if (name === 'eventTimeZoneOffset') head.end = to;
    else break;
  }
  return head;
}

/** recordTime goes behind eventTime, replacing one that was captured; eventID behind eventTimeZoneOffset. */
export function stampXml(source: string, { recordTime, eventID }: Stamp): string {
  const { eventTimeEnd, end, replaced } = headOf(source);
  const without = (from: number, to?: number): string => {
    let [text, at] = ['', from];
    for (const [start, after] of replaced) {
      if (start < from || start >= (to ?? source.length)) continue;
      text += source.slice(at, start);
      at = after;
    }
    return text + source.slice(at, to);
  };
  const behind = without(end);
  // the same name may stand further in, where it means something else
  const missingID = eventID !== undefined && !(behind.includes('<eventID') && outline(source).children.has('eventID'));
  return (
    without(0, eventTimeEnd) +
    `<recordTime>${escapeXml(recordTime)}</recordTime>` +
    without(eventTimeEnd, end) +
    (missingID ? `<eventID>${escapeXml(eventID)}</eventID>` : '') +
    behind
  );
}
