// Digital link → URN. A URN writes the company prefix apart, and a digital link doesn't say how long it is: that is
// known only from GS1's table of prefixes. What has no URN, or would lose something in it, stays what it is.
import { checkDigit, digitalLinkKey, SCHEMES, toDigitalLink, type Scheme } from './epc.ts';
import type { CompanyPrefixes } from './company-prefixes.ts';

/** GS1's own prefix for examples: for tests, and whoever has no table. */
export const DEFAULT_COMPANY_PREFIXES: CompanyPrefixes = (digits) => (digits.startsWith('952') ? 7 : undefined);

export type EpcFormat = 'Always_GS1_Digital_Link' | 'Always_EPC_URN' | 'Never_Translates';

/** An identifier in the form asked for by GS1-EPC-Format; unchanged where it has no such form. */
export function formatEpc(uri: string, format: EpcFormat, prefixes: CompanyPrefixes): string {
  if (format === 'Always_GS1_Digital_Link') return toDigitalLink(uri) ?? uri;
  if (format === 'Always_EPC_URN') return toUrn(uri, prefixes) ?? uri;
  return uri;
}

export function toUrn(uri: string, prefixes: CompanyPrefixes): string | undefined {
  const link = digitalLinkKey(uri);
  if (link === undefined) return undefined;
  const [ai = '', key = '', qualifier, serial] = link.split('/').slice(3);
  const name = schemeName(ai, key, qualifier);
  const form = SCHEMES.get(name);
  // a variant of a product or of a lot has no URN of its own
  if (form === undefined || (qualifier !== '21' && qualifier !== '235' && VARIANT.test(uri))) return undefined;
  const urn = compose(name, form, key, serial, prefixes);
  // back again it is the same link, or something in it is not as the rules want it
  return urn !== undefined && toDigitalLink(urn) === link ? urn : undefined;
}

const VARIANT = /\/(?:22|cpv)\/[^/]+/;

function schemeName(ai: string, key: string, qualifier: string | undefined): string {
  if (ai === '01') return qualifier === '10' ? 'lgtin' : qualifier === '235' ? 'upui' : 'sgtin';
  if (ai === '8006' && qualifier === '10') return '';
  for (const [name, form] of SCHEMES) if (form.ai === ai) return name;
  return '';
}

function compose(name: string, form: Scheme, key: string, serial: string | undefined, prefixes: CompanyPrefixes) {
  const lead = form.lead ?? '';
  const length = form.digits === 0 ? key.length : lead.length + form.digits;
  const digits = key.slice(0, length);
  const after = form.checkDigit ? key.slice(length + 1) : '';
  if (!digits.startsWith(lead) || (form.checkDigit && checkDigit(digits) !== key[length])) return undefined;

  const around = form.layout === 'around';
  const body = digits.slice(around ? 1 : lead.length);
  const size = prefixes(/^\d*/.exec(body)?.[0] ?? '');
  if (size === undefined) return undefined;
  const prefix = body.slice(0, size);
  const reference = (around ? digits.slice(0, 1) : '') + body.slice(size);
  if (form.digits === 0 && reference === '') return undefined;

  const parts = [prefix, decodeText(reference)];
  if (form.pieces) parts.push(after.slice(0, 2), after.slice(2, 4));
  if (form.serial === undefined) return `urn:epc:id:${name}:${parts.join('.')}`;
  const last = form.serial.ai === '' ? after : serial;
  if (last === undefined || last === '') {
    return form.ai === '414' ? `urn:epc:id:sgln:${parts.join('.')}.0` : `urn:epc:idpat:${name}:${parts.join('.')}.*`;
  }
  const kind = name === 'lgtin' ? 'class' : 'id';
  return `urn:epc:${kind}:${name}:${parts.join('.')}.${decodeText(last)}`;
}

/** What a URN writes plainly although a digital link must escape it. */
function decodeText(text: string): string {
  return text.replace(/%(21|28|29|2A|2B|2C|3A)/g, (escape) => String.fromCharCode(parseInt(escape.slice(1), 16)));
}
