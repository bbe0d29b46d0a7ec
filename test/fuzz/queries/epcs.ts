// EPCs as things of parts, written in every way that names the same thing, and what patterns match of them: part by part, without
// keys, ranges or LIKE.
import { below, digits, pick, type Random } from './chance.ts';

export interface Thing {
  readonly scheme: string;
  /** Company prefix, reference, what else; the serial number last where the scheme has one. */
  readonly parts: readonly string[];
  readonly isClass: boolean;
  /** All name this thing. */
  readonly spellings: readonly string[];
}

interface Scheme {
  readonly ai: string;
  /** Of prefix and reference; 0 where the reference is text. */
  readonly digits: number;
  readonly key: (prefix: string, reference: string) => string;
  readonly more?: 'pieces';
  /** '' where it follows the key. */
  readonly serial?: string;
  readonly numeric?: true;
}

function checked(all: string): string {
  const sum = [...all].reverse().reduce((total, digit, i) => total + Number(digit) * (i % 2 === 0 ? 3 : 1), 0);
  return `${all}${(1000 - sum) % 10}`;
}
const plain = (prefix: string, reference: string): string => checked(prefix + reference);
const around = (prefix: string, reference: string): string => checked(`${reference[0]}${prefix}${reference.slice(1)}`);
const text = (prefix: string, reference: string): string => prefix + escaped(reference);

const SCHEMES: Readonly<Record<string, Scheme>> = {
  sgtin: { ai: '01', digits: 13, key: around, serial: '21' },
  upui: { ai: '01', digits: 13, key: around, serial: '235' },
  lgtin: { ai: '01', digits: 13, key: around, serial: '10' },
  itip: { ai: '8006', digits: 13, key: around, more: 'pieces', serial: '21' },
  sscc: { ai: '00', digits: 17, key: around },
  sgln: { ai: '414', digits: 12, key: plain, serial: '254' },
  pgln: { ai: '417', digits: 12, key: plain },
  grai: { ai: '8003', digits: 12, key: (prefix, reference) => `0${plain(prefix, reference)}`, serial: '' },
  gdti: { ai: '253', digits: 12, key: plain, serial: '' },
  sgcn: { ai: '255', digits: 12, key: plain, serial: '', numeric: true },
  gsrn: { ai: '8018', digits: 17, key: plain },
  gsrnp: { ai: '8017', digits: 17, key: plain },
  gsin: { ai: '402', digits: 16, key: plain },
  giai: { ai: '8004', digits: 0, key: text },
  ginc: { ai: '401', digits: 0, key: text },
  cpi: { ai: '8010', digits: 0, key: text, serial: '8011', numeric: true },
};
const NAMES: Readonly<Record<string, string>> = { '01': 'gtin', '21': 'ser', '10': 'lot', '00': 'sscc', '414': 'gln' };
const OTHERS = ['gid', 'usdod', 'adi', 'bic', 'imovn'];

/** None begins with another, so that a digital link tells which of them it is of. */
const PREFIXES = ['0614141', '4012345', '952114112345', '061420', '7777777'];
const SERIALS = [
  '1',
  '2',
  'a',
  'A',
  'a_b',
  'aXb',
  'a.b',
  'a%2Fb',
  'a%2fb',
  '100%25',
  '-',
  "x'y",
  'a;b=c',
  '00',
  '!x',
  'a*b',
  '(1)',
];

const escaped = (value: string): string =>
  value
    .replace(/%[0-9a-f]{2}/gi, (each) => each.toUpperCase())
    .replace(/[!"&()*+,:<>]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/** %2f and %2F are one. */
const asOne = (part: string): string => part.replace(/%[0-9a-f]{2}/gi, (each) => each.toUpperCase());

const HOSTS = ['https://id.gs1.org', 'https://example.com/some/path', 'http://x.example.org:8080'];

function partsOf(name: string, random: Random): string[] {
  const scheme = SCHEMES[name];
  const prefix = pick(random, PREFIXES);
  if (scheme === undefined) return [prefix, pick(random, ['1', 'A_B', 'AXB', 'A%2FB']), pick(random, ['1', '2', 'x'])];
  const reference =
    scheme.digits === 0
      ? pick(random, name === 'cpi' ? ['A1', 'B-2', 'A%2FB', 'A72FB'] : ['A1', '77', 'a%2Fb', 'a_b'])
      : `${pick(random, [0, 0, 1, 9])}${pick(random, ['00000000000', '10000000000', '23456789012'])}`.slice(
          0,
          scheme.digits - prefix.length,
        );
  return [
    prefix,
    reference,
    ...(scheme.more === undefined ? [] : [pick(random, ['01', '02']), '02']),
    ...(scheme.serial === undefined ? [] : [scheme.numeric ? digits(random, 2) : pick(random, SERIALS)]),
  ];
}

function linkOf(name: string, parts: readonly string[], random: Random): string | undefined {
  const scheme = SCHEMES[name];
  if (scheme === undefined) return undefined;
  const [prefix = '', reference = ''] = parts;
  const key = scheme.key(prefix, reference) + (scheme.more === undefined ? '' : parts.slice(2, 4).join(''));
  const serial = scheme.serial === undefined ? undefined : parts.at(-1);
  const named = (ai: string): string => (random() < 0.2 ? (NAMES[ai] ?? ai) : ai);
  const host = pick(random, HOSTS);
  const start = `${host}/${named(scheme.ai)}/${key}`;
  if (serial === undefined) return start;
  if (scheme.serial === '') return start + escaped(serial);
  if (scheme.ai === '414' && serial === '0') return start;
  const query = random() < 0.1 ? '?linkType=gs1:pip' : '';
  return `${start}/${named(scheme.serial ?? '')}/${escaped(serial)}${query}`;
}

const INSTANCES = [...Object.keys(SCHEMES).filter((name) => name !== 'lgtin'), ...OTHERS, 'sgtin', 'sgtin', 'sscc'];

export function anyInstance(random: Random): Thing {
  const scheme = pick(random, INSTANCES);
  const parts = partsOf(scheme, random);
  if (scheme === 'sgln' && random() < 0.3) parts[2] = '0';
  const urn = `urn:epc:id:${scheme}:${parts.join('.')}`;
  const links = [0, 1].flatMap(() => linkOf(scheme, parts, random) ?? []);
  const other = urn.replace(/%[0-9a-f]{2}/gi, (each) => (each === asOne(each) ? each.toLowerCase() : asOne(each)));
  return {
    scheme,
    parts: parts.map(asOne),
    isClass: false,
    spellings: scheme in SCHEMES ? [urn, other, ...links] : [urn],
  };
}

/** The class of all of a GTIN, GRAI …, or a lot. */
const WHOLE = ['sgtin', 'grai', 'gdti', 'itip', 'cpi'];
export function anyClass(random: Random): Thing {
  if (random() < 0.4) {
    const parts = partsOf('lgtin', random);
    const urn = `urn:epc:class:lgtin:${parts.join('.')}`;
    return {
      scheme: 'lgtin',
      parts: parts.map(asOne),
      isClass: true,
      spellings: [urn, linkOf('lgtin', parts, random) ?? urn],
    };
  }
  const scheme = pick(random, WHOLE);
  const parts = partsOf(scheme, random).slice(0, -1);
  const urn = `urn:epc:idpat:${scheme}:${parts.join('.')}.*`;
  const [prefix = '', reference = ''] = parts;
  const form = SCHEMES[scheme];
  const key = `${form?.key(prefix, reference)}${form?.more === undefined ? '' : parts.slice(2, 4).join('')}`;
  return { scheme, parts, isClass: true, spellings: [urn, `${pick(random, HOSTS)}/${form?.ai}/${key}`] };
}

/** What is no EPC is itself alone. */
export const OTHER_URIS = [
  'urn:x:thing:1',
  'urn:x:thing:é',
  'urn:x:thing:e\u0301',
  'urn:x:thing:A',
  'urn:x:thing:a',
  'https://example.com/own/1',
  'https://example.com/own/1/',
  'urn:x:%',
  'urn:x:_',
  'urn:x:*',
  `urn:x:${'long'.repeat(80)}`,
  `urn:x:${'long'.repeat(80)}x`,
].map((uri): Thing => ({ scheme: '', parts: [uri], isClass: false, spellings: [uri] }));

export interface Wanted {
  readonly value: string;
  readonly matches: (thing: Thing) => boolean;
}

const isSame = (a: Thing, b: Thing): boolean =>
  a.scheme === b.scheme &&
  a.isClass === b.isClass &&
  a.parts.length === b.parts.length &&
  a.parts.every((part, i) => part === b.parts[i]);

/** Each thing once, however often it was drawn. */
export function distinct(things: readonly Thing[]): readonly Thing[] {
  return [...new Map(things.map((thing) => [[thing.scheme, thing.isClass, ...thing.parts].join(' '), thing])).values()];
}

/** The thing itself, or a pattern that it meets. */
export function wantedOf(thing: Thing, random: Random): Wanted {
  const patternable = thing.scheme !== '' && random() < 0.5;
  if (!patternable) {
    return { value: pick(random, thing.spellings), matches: (other) => isSame(thing, other) };
  }
  const own = thing.isClass && thing.scheme !== 'lgtin' ? [...thing.parts, '*'] : [...thing.parts];
  const from = below(random, own.length + 1);
  const parts = own.map((part, i) => (i >= from ? '*' : part));
  const value = `urn:epc:idpat:${thing.scheme}:${parts.join('.')}`;
  return {
    value,
    matches: (other) => {
      if (other.scheme !== thing.scheme || other.isClass !== thing.isClass) return false;
      const others = other.isClass && other.scheme !== 'lgtin' ? [...other.parts, '*'] : other.parts;
      return parts.length === others.length && parts.every((part, i) => part === '*' || part === others[i]);
    },
  };
}
