// The patterns of MATCH_ parameters, as patterns over canonical keys (epc.ts), so that they find an EPC in whatever form
// it was captured. A pattern of the tag data standard has fixed positions, because prefix and reference together have a
// fixed length: urn:epc:idpat:sgtin:0614141.*.* is https://id.gs1.org/01/ + 1 digit + 0614141 + 6 digits + /21/ + any.
import { checkDigit, DIGITAL_LINK, encodeText, epcKey, parseEpcUrn, plainUri, SCHEMES, type Scheme } from './epc.ts';

/** As a part of a pattern: whatever follows, also nothing. */
export const REST = Symbol('rest');

/** A literal; a number of digits, whichever they are; or the rest. */
export type PatternPart = string | number | typeof REST;

export interface KeyPattern {
  /** The one key that matches, if there is just one. */
  readonly exact?: string;
  readonly parts: readonly PatternPart[];
}

/**
 * What a value of MATCH_epc (of: 'instance') or MATCH_epcClass (of: 'class') matches. Only a pure identity pattern
 * (urn:epc:idpat) with a star is wider than equality; one without is the EPC of the same parts. As a class, a pattern
 * with one star at its end names the class itself (all serial numbers of a GTIN), and urn:epc:idpat:lgtin or
 * urn:epc:class:lgtin with stars match lots.
 */
export function epcPattern(value: string, of: 'instance' | 'class'): KeyPattern {
  const urn = parseEpcUrn(value);
  const form = urn && SCHEMES.get(urn.scheme);
  if (urn === undefined || form === undefined) return (of === 'instance' && otherScheme(value)) || exactly(value);
  if (urn.kind === 'idpat' && !urn.parts.includes('*'))
    return exactly(value.replace(IDPAT, urn.scheme === 'lgtin' ? 'urn:epc:class:' : 'urn:epc:id:'));
  if (urn.kind === 'id' || !urn.parts.includes('*')) return exactly(value);
  const parts = prefixParts(urn.parts, form);
  if (parts === undefined) return exactly(value);
  if (of === 'class' && urn.scheme !== 'lgtin') return pattern(parts);
  return pattern([...parts, ...serialParts(urn.parts.at(-1) ?? '*', form)]);
}

const IDPAT = /^urn:epc:idpat:/i;

/** EPCs that are no GS1 keys (gid, usdod, adi, bic, imovn) have no digital link: their URNs are their keys. */
function otherScheme(value: string): KeyPattern | undefined {
  const match = /^urn:epc:idpat:([a-z]+):((?:[^.*]*\.)*)(?:\*(?:\.\*)*|([^.*]+))$/i.exec(value);
  if (match === null) return undefined;
  const [, written = '', known = '', last] = match;
  const scheme = written.toLowerCase();
  if (SCHEMES.has(scheme)) return undefined;
  const start = plainUri(`urn:epc:id:${scheme}:${known}`);
  return last === undefined ? { parts: [start, REST] } : exactly(start + last);
}

function exactly(value: string): KeyPattern {
  const exact = epcKey(value);
  return { exact, parts: [exact] };
}

/** The key up to its serial number; undefined if the pattern is not a pattern of its scheme. */
function prefixParts(
  [prefix = '*', reference = '*', ...rest]: readonly string[],
  form: Scheme,
): PatternPart[] | undefined {
  const start = `${DIGITAL_LINK}/${form.ai}/`;
  const known = prefix === '*' ? '' : prefix;
  if (!/^\d*$/.test(known) || (prefix === '*' && reference !== '*')) return undefined;
  if (form.digits === 0) {
    return [start + known, reference === '*' ? REST : encodeText(reference)];
  }
  const pieces = form.pieces ? rest.slice(0, 2).map((piece) => (piece === '*' ? 2 : piece)) : [];
  const lead = form.lead ?? '';
  const around = form.layout === 'around';
  if (reference !== '*') {
    if (!/^\d*$/.test(reference) || prefix.length + reference.length !== form.digits) return undefined;
    const digits = around ? reference.slice(0, 1) + prefix + reference.slice(1) : lead + prefix + reference;
    return [start + digits + (form.checkDigit ? checkDigit(digits) : ''), ...pieces];
  }
  const free = form.digits - known.length + (form.checkDigit ? 1 : 0);
  return around ? [start, 1, known, free - 1, ...pieces] : [start + lead + known, free, ...pieces];
}

function serialParts(serial: string, form: Scheme): PatternPart[] {
  if (form.serial === undefined) return [];
  const text = serial === '*' ? REST : encodeText(serial);
  if (form.serial.ai === '' || (form.ai === '414' && text === REST)) return [text]; // a GLN without extension has no 254
  return [`/${form.serial.ai}/`, text];
}

function pattern(parts: readonly PatternPart[]): KeyPattern {
  const merged: PatternPart[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if (part === '' || part === 0) continue;
    if (typeof part === 'string' && typeof last === 'string') {
      merged[merged.length - 1] = last + part;
    } else merged.push(part);
  }
  const [only] = merged;
  return merged.length === 1 && typeof only === 'string' ? { exact: only, parts: merged } : { parts: merged };
}

/** For SQL: `LIKE ? ESCAPE '!'`, which knows no digits: that may find a URI that is no EPC, and misses none. */
export function likePattern(parts: readonly PatternPart[]): string {
  return parts
    .map((part) => {
      if (typeof part === 'number') return '_'.repeat(part);
      return part === REST ? '%' : part.replace(/[!%_]/g, '!$&');
    })
    .join('');
}

export function matchesPattern(key: string, { exact, parts }: KeyPattern): boolean {
  return exact === undefined ? matchesFrom(key, 0, parts) : key === exact;
}

function matchesFrom(key: string, at: number, [part, ...rest]: readonly PatternPart[]): boolean {
  if (part === undefined) return at === key.length;
  if (typeof part === 'string') return key.startsWith(part, at) && matchesFrom(key, at + part.length, rest);
  if (typeof part === 'number') {
    const end = at + part;
    return end <= key.length && /^\d*$/.test(key.slice(at, end)) && matchesFrom(key, end, rest);
  }
  const [next, ...others] = rest;
  if (next === undefined) return true;
  // behind what is free there is a literal, if anything
  for (let found = key.indexOf(String(next), at); found >= 0; found = key.indexOf(String(next), found + 1))
    if (matchesFrom(key, found + String(next).length, others)) return true;
  return false;
}
