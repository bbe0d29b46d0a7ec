// The identity of EPCs and EPC classes. The same object can be named by a URN (urn:epc:id:sgtin:…) or by GS1 digital
// links on any domain; `epcKey` gives all of them one canonical form, the digital link on id.gs1.org, since that can be
// made from every URN of a GS1 key (the reverse needs to know the length of the company prefix: see epc-urn.ts).
// Any other URI is its own key. Worked number: urn:epc:id:sgtin:0614141.107346.2017 is GTIN 1 0614141 07346 with check
// digit 4, so https://id.gs1.org/01/10614141073464/21/2017.
import { kept } from './kept.ts';

export const DIGITAL_LINK = 'https://id.gs1.org';

/** One GS1 key scheme of the tag data standard, and where its parts stand in a digital link. */
export interface Scheme {
  /** The application identifier of the key. */
  readonly ai: string;
  /** around: the reference's first digit goes before the company prefix (GTIN, SSCC); plain: one after the other. */
  readonly layout: 'around' | 'plain';
  /** Digits of company prefix and reference together, without check digit; 0 when the reference is text. */
  readonly digits: number;
  /** Digits before the company prefix that are always the same (GRAI: 0). */
  readonly lead?: string;
  readonly checkDigit: boolean;
  /** What follows: in the key itself ('') or behind a qualifier's application identifier. */
  readonly serial?: { readonly ai: string; readonly max: number; readonly numeric?: boolean };
  /** itip: piece and total, two digits each, at the end of the key. */
  readonly pieces?: boolean;
}

export const SCHEMES: ReadonlyMap<string, Scheme> = new Map<string, Scheme>([
  ['sgtin', { ai: '01', layout: 'around', digits: 13, checkDigit: true, serial: { ai: '21', max: 20 } }],
  ['upui', { ai: '01', layout: 'around', digits: 13, checkDigit: true, serial: { ai: '235', max: 28 } }],
  ['lgtin', { ai: '01', layout: 'around', digits: 13, checkDigit: true, serial: { ai: '10', max: 20 } }],
  ['itip', { ai: '8006', layout: 'around', digits: 13, checkDigit: true, serial: { ai: '21', max: 20 }, pieces: true }],
  ['sscc', { ai: '00', layout: 'around', digits: 17, checkDigit: true }],
  ['sgln', { ai: '414', layout: 'plain', digits: 12, checkDigit: true, serial: { ai: '254', max: 20 } }],
  ['pgln', { ai: '417', layout: 'plain', digits: 12, checkDigit: true }],
  ['grai', { ai: '8003', layout: 'plain', digits: 12, lead: '0', checkDigit: true, serial: { ai: '', max: 16 } }],
  ['gdti', { ai: '253', layout: 'plain', digits: 12, checkDigit: true, serial: { ai: '', max: 17 } }],
  ['sgcn', { ai: '255', layout: 'plain', digits: 12, checkDigit: true, serial: { ai: '', max: 12, numeric: true } }],
  ['gsrn', { ai: '8018', layout: 'plain', digits: 17, checkDigit: true }],
  ['gsrnp', { ai: '8017', layout: 'plain', digits: 17, checkDigit: true }],
  ['gsin', { ai: '402', layout: 'plain', digits: 16, checkDigit: true }],
  ['giai', { ai: '8004', layout: 'plain', digits: 0, checkDigit: false }],
  ['ginc', { ai: '401', layout: 'plain', digits: 0, checkDigit: false }],
  [
    'cpi',
    { ai: '8010', layout: 'plain', digits: 0, checkDigit: false, serial: { ai: '8011', max: 12, numeric: true } },
  ],
]);

/** A URN taken apart; `*` stands in a pattern for any value. */
export interface EpcUrn {
  readonly kind: 'id' | 'class' | 'idpat';
  readonly scheme: string;
  readonly parts: readonly string[];
}

/** Keys of what is longer are not kept. */
const MAX_LENGTH = 2000;

const URN = /^urn:epc:(id|class|idpat):([a-z]+):(.+)$/i;
const TEXT = /^(?:[!'()*+,.0-9:;=A-Za-z_-]|%(?:2[256Ff]|3[CcEeFf]))+$/;
/** Of a component or part: AI 8010 has an alphabet of its own. */
const PART = /^(?:[0-9A-Z-]|%2[3Ff])+$/;

export function parseEpcUrn(uri: string): EpcUrn | undefined {
  const match = URN.exec(uri);
  if (match === null) return undefined;
  const [, written, name = '', rest = ''] = match;
  const [kind, scheme] = [written?.toLowerCase() as EpcUrn['kind'], name.toLowerCase()];
  const form = SCHEMES.get(scheme);
  if (form === undefined) return undefined;
  const parts = splitParts(rest, form);
  return parts === undefined ? undefined : { kind, scheme, parts };
}

/** company prefix, reference, [piece, total,] [serial]: the last one may hold dots itself. */
function splitParts(rest: string, form: Scheme): string[] | undefined {
  const count = 2 + (form.pieces ? 2 : 0) + (form.serial ? 1 : 0);
  const parts: string[] = [];
  let from = 0;
  while (parts.length < count - 1) {
    const dot = rest.indexOf('.', from);
    if (dot < 0) return undefined;
    parts.push(rest.slice(from, dot));
    from = dot + 1;
  }
  return [...parts, rest.slice(from)];
}

/**
 * The canonical form of an EPC, a class or a pattern for all instances of a class; of any other URI its one spelling. Whoever may not see
 * an EPC must not find it in another one.
 */
export function epcKey(uri: string): string {
  const found = gs1Key(uri);
  return found === uri ? plainUri(uri) : found;
}

/** The same of GS1 keys alone, as the event hash has it; any other text as it is. */
export function gs1Key(text: string): string {
  return text.length > MAX_LENGTH ? gs1KeyOf(text) : gs1KeyFound(text);
}

function gs1KeyOf(text: string): string {
  const plain = withoutNeedlessEscapes(text);
  return toDigitalLink(plain) ?? digitalLinkKey(plain) ?? text;
}

/** Asked for an event's hash and again for its index; steps and places come again in every event. */
const gs1KeyFound = kept(gs1KeyOf);

/** Escapes of what needs none say the same by RFC 3986. */
const withoutNeedlessEscapes = (uri: string): string =>
  uri.includes('%') ? uri.replace(/%(?:2[DdEe]|3\d|[46][1-9A-Fa-f]|5[0-9AaFf]|7[0-9AaEe])/g, decodeURIComponent) : uri;

/** Where upper case is lower case, by RFC 3986 and 8141: in a scheme, a host, the namespace of a URN and, of an EPC, its kind and scheme. */
const OF_ANY_CASE = /^(?:urn:epc:[a-z]+:[a-z]+:|urn:[^:]*:|[a-z][a-z\d+.-]*:(?:\/\/[^/?#]*)?)/i;

/** One spelling of all that a URI may have; any other text as it is. */
export function plainUri(uri: string): string {
  if (!/[A-Z%]/.test(uri)) return uri;
  const start = OF_ANY_CASE.exec(uri)?.[0] ?? '';
  if (start === '') return uri;
  const rest = withoutNeedlessEscapes(uri.slice(start.length));
  return start.toLowerCase() + rest.replace(/%[0-9a-f]{2}/gi, (escape) => escape.toUpperCase());
}

/** The digital link of a URN, undefined where it isn't the URN of a GS1 key (or a pattern wider than one class). */
export function toDigitalLink(uri: string): string | undefined {
  if (!/^urn:epc:/i.test(uri)) return undefined;
  const urn = parseEpcUrn(uri);
  const form = urn && SCHEMES.get(urn.scheme);
  if (urn === undefined || form === undefined) return undefined;
  if ((urn.kind === 'class') !== (urn.scheme === 'lgtin')) return undefined;
  const key = keyOf(urn.parts, form);
  if (key === undefined) return undefined;
  const serial = form.serial === undefined ? undefined : urn.parts.at(-1);
  if (serial === undefined) return urn.kind === 'id' ? `${DIGITAL_LINK}/${form.ai}/${key}` : undefined;
  if (urn.kind === 'idpat') {
    return serial === '*' && form.ai !== '414' ? `${DIGITAL_LINK}/${form.ai}/${key}` : undefined;
  }
  if (!validSerial(serial, form)) return undefined;
  if (form.ai === '414' && serial === '0') return `${DIGITAL_LINK}/414/${key}`;
  const tail = form.serial?.ai === '' ? encodeText(serial) : `/${form.serial?.ai}/${encodeText(serial)}`;
  return `${DIGITAL_LINK}/${form.ai}/${key}${tail}`;
}

function keyOf(parts: readonly string[], form: Scheme): string | undefined {
  const [prefix = '', reference = ''] = parts;
  if (!/^\d{6,12}$/.test(prefix)) return undefined;
  if (form.digits === 0) {
    const longest = 30;
    return (form.ai === '8010' ? PART : TEXT).test(reference) && prefix.length + textLength(reference) <= longest
      ? prefix + encodeText(reference)
      : undefined;
  }
  if (!/^\d*$/.test(reference) || prefix.length + reference.length !== form.digits) return undefined;
  const digits =
    form.layout === 'plain'
      ? (form.lead ?? '') + prefix + reference
      : reference.slice(0, 1) + prefix + reference.slice(1);
  const pieces = form.pieces ? parts.slice(2, 4) : [];
  if (!pieces.every((piece) => /^\d{2}$/.test(piece))) return undefined;
  return digits + checkDigit(digits) + pieces.join('');
}

function validSerial(serial: string, form: Scheme): boolean {
  const rule = form.serial;
  if (rule === undefined || serial === '' || textLength(serial) > rule.max) return false;
  return rule.numeric ? /^\d+$/.test(serial) : TEXT.test(serial);
}

const textLength = (text: string): number => text.replace(/%[0-9A-Fa-f]{2}/g, '_').length;

/**
 * Characters that a digital link must escape (GS1 digital link, table of reserved characters), once and in upper case. Of what a URN
 * writes plainly, links escape apostrophe, semicolon and equals sign or do not: plainly here, too.
 */
export function encodeText(text: string): string {
  if (!/[%!"&()*+,:<>]/.test(text)) return text;
  return text
    .replace(/%(?:27|3[BD])/gi, decodeURIComponent)
    .replace(/%[0-9a-f]{2}/gi, (escape) => escape.toUpperCase())
    .replace(/[!"&()*+,:<>]/g, (char) => '%' + char.charCodeAt(0).toString(16).toUpperCase());
}

/** GS1's modulo 10: digits from the right weigh 3, 1, 3, … : 1061414107346 → 3·(6+3+0+4+4+6+1)+(4+7+1+1+1+0) = 86 → 4. */
export function checkDigit(digits: string): string {
  let sum = 0;
  for (let i = 0; i < digits.length; i++)
    sum += (digits.charCodeAt(digits.length - 1 - i) - 48) * (i % 2 === 0 ? 3 : 1);
  return String((10 - (sum % 10)) % 10);
}

// ---- digital links -------------------------------------------------------------------------------------------------

const SHORT_NAMES: Readonly<Record<string, string>> = Object.assign(Object.create(null) as Record<string, string>, {
  gtin: '01',
  itip: '8006',
  cpid: '8010',
  gln: '414',
  party: '417',
  gsrnp: '8017',
  gsrn: '8018',
  gcn: '255',
  sscc: '00',
  gdti: '253',
  ginc: '401',
  gsin: '402',
  grai: '8003',
  giai: '8004',
  cpv: '22',
  lot: '10',
  ser: '21',
});

const ESCAPED = '(?:[!"&\'()*+,.0-9:;<=>?A-Za-z_-]|%[0-9A-Fa-f]{2})';
const KEY_RULES: ReadonlyMap<string, RegExp> = new Map([
  ['00', /^\d{18}$/],
  ['01', /^(?:\d{8}|\d{12,14})$/],
  ['253', new RegExp(`^\\d{13}${ESCAPED}{0,17}$`)],
  ['255', /^\d{13}\d{0,12}$/],
  ['401', new RegExp(`^\\d{4}${ESCAPED}{0,26}$`)],
  ['402', /^\d{17}$/],
  ['414', /^\d{13}$/],
  ['417', /^\d{13}$/],
  ['8003', new RegExp(`^\\d{14}${ESCAPED}{0,16}$`)],
  ['8004', new RegExp(`^\\d{4}${ESCAPED}{0,26}$`)],
  ['8006', /^\d{18}$/],
  ['8010', /^\d{4}(?:[0-9A-Z-]|%2[3DF]|#|\/){0,26}$/i],
  ['8017', /^\d{18}$/],
  ['8018', /^\d{18}$/],
]);

/** Which qualifier names the most detailed level of a key; the others are attributes of it. */
const QUALIFIERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['01', ['21', '235', '10', '22']],
  ['8006', ['21', '10', '22']],
  ['414', ['254']],
  ['8010', ['8011']],
]);
const QUALIFIER_VALUE = new RegExp(`^${ESCAPED}{1,28}$`);

/** Canonical digital link: on id.gs1.org, numeric identifiers, 14-digit GTIN, only the finest level, no query. */
export function digitalLinkKey(uri: string): string | undefined {
  const match = /^https?:\/\/[^/?#]+(\/[^?#]*)/i.exec(uri);
  if (match === null) return undefined;
  const segments = lastSegments((match[1] ?? '').replace(/\/$/, ''));
  for (let i = 0; i + 1 < segments.length; i++) {
    const ai = aiOf(segments[i]);
    if (!KEY_RULES.has(ai)) continue;
    const link = linkFrom(ai, segments.slice(i + 1));
    if (link !== undefined) return link;
  }
  return undefined;
}

/** A key and all its qualifiers, with their values; whatever stands before them. */
const MOST_SEGMENTS = 10;

function lastSegments(path: string): string[] {
  let from = path.length;
  for (let n = 0; n < MOST_SEGMENTS && from > 0; n += 1) from = path.lastIndexOf('/', from - 1);
  return path.slice(Math.max(from, 0) + 1).split('/');
}

const aiOf = (segment = ''): string => SHORT_NAMES[segment] ?? segment;

function linkFrom(ai: string, [value = '', ...rest]: readonly string[]): string | undefined {
  if (!KEY_RULES.get(ai)?.test(value)) return undefined;
  const key = ai === '01' ? value.padStart(14, '0') : encodeText(value);
  const allowed = QUALIFIERS.get(ai) ?? [];
  const found = new Map<string, string>();
  for (let i = 0; i < rest.length; i += 2) {
    const qualifier = aiOf(rest[i]);
    const text = rest[i + 1];
    if (text === undefined || !allowed.includes(qualifier) || !QUALIFIER_VALUE.test(text)) return undefined;
    // as the URN has it: an extension 0 is none
    if (qualifier !== '254' || text !== '0') found.set(qualifier, text);
  }
  const finest = allowed.find((qualifier) => qualifier !== '22' && found.has(qualifier));
  if (finest === undefined) return `${DIGITAL_LINK}/${ai}/${key}`;
  return `${DIGITAL_LINK}/${ai}/${key}/${finest}/${encodeText(found.get(finest) ?? '')}`;
}
