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
  /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<(\/?)([^\s/>]+)(?:"[^"]*"|'[^']*'|[^'">])*?(\/?)>/g;

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

const HEAD_END = /<!--[\s\S]*?-->|<\/eventTimeZoneOffset\s*>/g;
const RECORD_TIME = String.raw`<recordTime(?:\s[^>]*)?>[^<]*</recordTime\s*>`;
// a comment holds no `--`: said so, there is one way only to match, and nothing to try again
const RECORD_TIME_NEXT = new RegExp(String.raw`((?:\s|<!--(?:[^-]|-[^-])*-->)*)${RECORD_TIME}`, 'y');
const IN_HEAD = new RegExp(String.raw`<!--[\s\S]*?-->|</eventTime\s*>|${RECORD_TIME}`, 'g');

/** recordTime goes behind eventTime, replacing one that was captured; eventID behind eventTimeZoneOffset. */
export function stampXml(source: string, { recordTime, eventID }: Stamp): string {
  // times and offset begin every event; only comments there could hold what looks like them
  let headEnd = 0;
  for (const { 0: token, index } of source.matchAll(HEAD_END)) {
    if (token.startsWith('<!')) continue;
    headEnd = index + token.length;
    break;
  }
  const head = source.slice(0, headEnd).replace(IN_HEAD, (token) => {
    if (token.startsWith('<!')) return token;
    return token.startsWith('</') ? `${token}<recordTime>${escapeXml(recordTime)}</recordTime>` : '';
  });
  RECORD_TIME_NEXT.lastIndex = headEnd;
  const [captured = '', between = ''] = RECORD_TIME_NEXT.exec(source) ?? [];
  // the same name may stand further in, where it means something else
  const missingID = eventID !== undefined && !(source.includes('<eventID') && outline(source).children.has('eventID'));
  const id = missingID ? `<eventID>${escapeXml(eventID)}</eventID>` : '';
  return head + id + between + source.slice(headEnd + captured.length);
}
