// The version and format headers of the REST binding: what we speak, and what a request asks for.
import type { IncomingHttpHeaders } from 'node:http';
import { EpcisException } from '../../domain/exceptions.ts';
import type { WriteStyle } from '../http/doors.ts';
import type { Representation } from './negotiate.ts';

const EPCIS = { version: '2.0.0', min: '1.0.0', max: '2.0.1' };
const CBV = { version: '2.0.0', min: '1.0.0', max: '2.0.1' };
export const EPC_FORMATS = ['No_Preference', 'Always_GS1_Digital_Link', 'Always_EPC_URN', 'Never_Translates'];
/** As `versionOf` reads one; an empty header is as none. */
export const VERSION = /^\d+(\.\d+)*$/;
export const CBV_FORMATS = ['No_Preference', 'Always_Web_URI', 'Always_URN', 'Never_Translates'];

/** On every answer. */
export const VERSION_HEADERS: Readonly<Record<string, string>> = {
  'GS1-EPCIS-Version': EPCIS.version,
  'GS1-CBV-Version': CBV.version,
};

/** Extensions that need no declaration. */
const EXTENSIONS = 'gs1=https://gs1.org/voc/, cbvmda=urn:epcglobal:cbv:mda';

/** On the answers to OPTIONS. */
export const DISCOVERY_HEADERS: Readonly<Record<string, string>> = {
  ...VERSION_HEADERS,
  'GS1-Vendor-Version': 'mmeliot 1',
  'GS1-Extensions': EXTENSIONS,
  'GS1-EPCIS-Min': EPCIS.min,
  'GS1-EPCIS-Max': EPCIS.max,
  'GS1-CBV-Min': CBV.min,
  'GS1-CBV-Max': CBV.max,
  // one of the formats, says the standard: this one says that a client may ask for any of them
  'GS1-EPC-Format': 'No_Preference',
  'GS1-CBV-XML-Format': 'No_Preference',
};

/** On an answer whose events are written so. */
export const versionHeaders = ({ version }: Pick<WriteStyle, 'version'>): Readonly<Record<string, string>> =>
  version === '1.2' ? { 'GS1-EPCIS-Version': '1.2.0', 'GS1-CBV-Version': '1.2.0' } : VERSION_HEADERS;

export function header(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Throws where the client speaks only versions that we do not, or asks for a format that there is none of: whatever the request is for. */
export function checkHeaders(headers: IncomingHttpHeaders): void {
  for (const [standard, { min, max }] of Object.entries({ EPCIS, CBV })) {
    const exact = versionOf(headers, `GS1-${standard}-Version`);
    const lowest = versionOf(headers, `GS1-${standard}-Min`) ?? exact;
    const highest = versionOf(headers, `GS1-${standard}-Max`) ?? exact;
    if ((lowest && compare(lowest, max) > 0) || (highest && compare(highest, min) < 0)) {
      const reason = `This service speaks ${standard} ${min} to ${max}, and the request's headers ask for another version.`;
      throw new EpcisException('NotAcceptableException', reason);
    }
    if (lowest && highest && compare(lowest, highest) > 0) {
      const reason = `No version of ${standard} is at least ${lowest} and at most ${highest}, as the request's headers ask.`;
      throw new EpcisException('NotAcceptableException', reason);
    }
  }
  formatsOf(headers);
}

/** How this client wants events: the form by Accept, the rest by the GS1 headers. */
export function styleOf(headers: IncomingHttpHeaders, { form }: Representation): WriteStyle {
  const highest = versionOf(headers, 'GS1-EPCIS-Max');
  const old = highest !== undefined && compare(highest, '2') < 0;
  if (old && form === 'json') {
    throw new EpcisException('NotAcceptableException', `EPCIS ${highest} has no JSON form; accept application/xml.`);
  }
  return { form, version: old ? '1.2' : '2.0', ...formatsOf(headers) };
}

function formatsOf(headers: IncomingHttpHeaders): Pick<WriteStyle, 'epcFormat' | 'cbvFormat'> {
  const epcFormat = choice(headers, 'GS1-EPC-Format', EPC_FORMATS);
  const cbvFormat = choice(headers, 'GS1-CBV-XML-Format', CBV_FORMATS);
  return { ...(epcFormat && { epcFormat }), ...(cbvFormat && { cbvFormat }) };
}

/** `GS1-Extensions: ex=http://example.com/ns/, ex2=…`: prefixes for the names of extensions. */
export function extensionsOf(headers: IncomingHttpHeaders): ReadonlyMap<string, string> {
  const value = header(headers, 'GS1-Extensions') ?? '';
  const entries = value.split(',').flatMap((entry): [string, string][] => {
    const at = entry.indexOf('=');
    return at < 0 ? [] : [[entry.slice(0, at).trim(), entry.slice(at + 1).trim()]];
  });
  // a prefix goes into XML as it is
  return new Map(entries.filter(([prefix, namespace]) => /^[A-Za-z_][\w.-]*$/.test(prefix) && namespace !== ''));
}

/** Those of a request, as an answer says that they were read: nothing of what was dropped. */
export const writeExtensions = (extensions: ReadonlyMap<string, string>): string =>
  [...extensions].map(([prefix, namespace]) => `${prefix}=${namespace}`).join(', ');

function versionOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const version = header(headers, name)?.trim();
  if (version === undefined || version === '') return undefined;
  if (VERSION.test(version)) return version;
  throw new EpcisException('ValidationException', `${name} must be a version like 2.0.0, not '${version}'.`);
}

function choice(headers: IncomingHttpHeaders, name: string, choices: readonly string[]): string | undefined {
  const value = header(headers, name)?.trim();
  if (value === undefined || value === '' || choices.includes(value)) return value || undefined;
  throw new EpcisException('ValidationException', `${name} must be one of ${choices.join(', ')}, not '${value}'.`);
}

/** Part by part, as numbers: 2 = 2.0 = 2.0.0 < 2.0.1 < 10. */
function compare(one: string, other: string): number {
  const [a, b] = [one.split('.').map(Number), other.split('.').map(Number)];
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
