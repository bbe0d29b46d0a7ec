// What an event says, whatever form it is in: our own reading of the standard's two forms, to hold the server's against.
// Both give the same flat list of `path=value`, with names in full, vocabulary words as URIs, times as instants, numbers as
// numbers. White space, prefixes, the order of JSON members and empty lists say nothing; eventID and recordTime are left out.
import { many, type Json, type JsonEvent } from './json-document.ts';
import type { Node } from './xml.ts';

const LEFT_OUT = new Set(['eventID', 'recordTime', '@context']);
const TIMES = new Set(['eventTime', 'declarationTime', 'time', 'startTime', 'endTime']);

/** A name (or place) and the kind of word its values are. */
const WORDS: Readonly<Record<string, string>> = {
  bizStep: 'BizStep',
  disposition: 'Disp',
  set: 'Disp',
  unset: 'Disp',
  reason: 'ER',
  'bizTransactionList/type': 'BTT',
  'sourceList/type': 'SDT',
  'destinationList/type': 'SDT',
  component: 'Comp',
};

const URN_KINDS: Readonly<Record<string, string>> = {
  bizstep: 'BizStep',
  disp: 'Disp',
  er: 'ER',
  btt: 'BTT',
  sdt: 'SDT',
};

const CBV = 'https://ref.gs1.org/cbv/';
const GS1 = 'https://gs1.org/voc/';
const PREFIXES: Readonly<Record<string, string>> = {
  cbv: CBV,
  gs1: GS1,
  cbvmda: 'urn:epcglobal:cbv:mda#',
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
};

/** JSON's name of a list → XML's name of its entries; the entries' own values by XML's name of them. */
const LISTS: Readonly<Record<string, string>> = {
  epcList: 'epc',
  childEPCs: 'epc',
  inputEPCList: 'epc',
  outputEPCList: 'epc',
  quantityList: 'quantityElement',
  childQuantityList: 'quantityElement',
  inputQuantityList: 'quantityElement',
  outputQuantityList: 'quantityElement',
  bizTransactionList: 'bizTransaction',
  sourceList: 'source',
  destinationList: 'destination',
  sensorElementList: 'sensorElement',
  correctiveEventIDs: 'correctiveEventID',
};

const WRAPPERS = new Set(['extension', 'baseExtension']);

export function factsOfJson({ event, contexts }: JsonEvent): string[] {
  const prefixes = prefixesOf(contexts);
  const facts: string[] = [];
  const walk = (value: unknown, path: string, inherited: Readonly<Record<string, string>>): void => {
    if (Array.isArray(value)) for (const entry of value as unknown[]) walk(entry, path, inherited);
    else if (typeof value === 'object' && value !== null) {
      const own = { ...inherited, ...prefixesOf(many((value as Json)['@context'])) };
      for (const [name, member] of Object.entries(value)) {
        if (!LEFT_OUT.has(name)) walk(member, `${path}/${expand(name, own)}`, own);
      }
    } else if (value !== null && value !== '') facts.push(fact(path, value as string | number | boolean));
  };
  const { type, ...fields } = event;
  walk(fields, '', prefixes);
  return [`/type=${eventType(String(type), prefixes)}`, ...facts].sort();
}

/** A type beyond the standard's is a URI; QuantityEvent left the standard with 2.0, which can name it by its URI, too. */
function eventType(type: string, prefixes: Readonly<Record<string, string>>): string {
  const [prefix = '', name] = type.split(':');
  if (name === undefined || prefix === 'epcis') return name ?? type;
  return prefixes[prefix] === undefined ? type : prefixes[prefix] + name;
}

export function factsOfXml(event: Node): string[] {
  const facts: string[] = [`/type=${event.namespace}${event.name}`];
  const walk = (node: Node, path: string): void => {
    for (const { namespace, name, value } of node.attributes) {
      if (namespace === 'http://www.w3.org/2001/XMLSchema-instance') continue;
      facts.push(fact(`${path}/${namespace === '' ? name : `{${namespace}}${name}`}`, value));
    }
    // an entry with a type is an object in JSON, whose value has the name of the XML element
    const valuePath = ['bizTransaction', 'source', 'destination'].includes(node.name) ? `${path}/${node.name}` : path;
    if (node.text !== '' && node.children.length === 0) facts.push(fact(valuePath, node.text));
    for (const child of node.children) {
      if (child.namespace === '' && LEFT_OUT.has(child.name)) continue;
      if (child.namespace === '' && WRAPPERS.has(child.name)) walk(child, path);
      else if (child.namespace === '' && LISTS[node.name] === child.name) walk(child, path);
      else walk(child, `${path}/${child.namespace === '' ? child.name : `{${child.namespace}}${child.name}`}`);
    }
  };
  walk(event, '');
  return facts.sort();
}

function fact(path: string, value: string | number | boolean): string {
  return `${path}=${meaning(path, String(value).trim())}`;
}

function meaning(path: string, text: string): string {
  const [name = '', parent = ''] = path.split('/').reverse();
  const kind = WORDS[`${parent}/${name}`] ?? WORDS[name];
  if (kind !== undefined) return word(text, kind);
  if (parent === 'sensorReport' && (name === 'type' || name === 'exception')) {
    return text.includes(':') ? expandUri(text) : GS1 + text;
  }
  if (TIMES.has(name) && !Number.isNaN(Date.parse(text))) return new Date(text).toISOString();
  return text !== '' && /^[-+]?[\d.]+(e[-+]?\d+)?$/i.test(text) && !Number.isNaN(Number(text))
    ? String(Number(text))
    : text;
}

function word(text: string, kind: string): string {
  const urn = /^urn:epcglobal:cbv:([a-z]+):(.+)$/.exec(text);
  if (urn !== null && URN_KINDS[urn[1] ?? ''] === kind) return `${CBV}${kind}-${urn[2]}`;
  return text.includes(':') ? expandUri(text) : `${CBV}${kind}-${text}`;
}

/** In values only the standard's own prefixes: `rail:Abc` is a URI like any other, and the reference hash takes it so. */
function expandUri(text: string): string {
  const [prefix = '', ...rest] = text.split(':');
  const namespace = PREFIXES[prefix];
  const uri = namespace === undefined || rest[0]?.startsWith('//') ? text : namespace + rest.join(':');
  return uri.replace(/^https:\/\/ref\.gs1\.org\/voc\//, GS1);
}

/** `ex:color` → `{http://ns.example/}color`. */
function expand(name: string, prefixes: Readonly<Record<string, string>>): string {
  const at = name.indexOf(':');
  if (at < 0) return name;
  const namespace = prefixes[name.slice(0, at)] ?? PREFIXES[name.slice(0, at)]?.replace(/#$/, '');
  return namespace === undefined ? name : `{${namespace}}${name.slice(at + 1)}`;
}

function prefixesOf(contexts: readonly unknown[]): Record<string, string> {
  return Object.assign({}, ...contexts.filter((context) => typeof context === 'object')) as Record<string, string>;
}
