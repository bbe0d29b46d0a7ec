// The one way out: a stored event in the form a client asked for.
//
// In the form it was captured in, an event is its source, as it stood, with the repository's recordTime put in. In
// another form, or with identifiers to be translated, it is written anew from what the service knows of it.
//
// Every event is complete in itself, so that a document can be streamed around any mixture of events: an XML element
// declares all prefixes it uses, a JSON object carries in its own `@context` the prefixes of its extensions. Only the
// standard's own context is left to the document, which must have it.
import { cbvUrn, cbvWord, type CbvFormat } from '../domain/cbv.ts';
import type { CompanyPrefixes } from '../domain/company-prefixes.ts';
import { DEFAULT_COMPANY_PREFIXES, formatEpc, type EpcFormat } from '../domain/epc-urn.ts';
import { translateIdentifiers } from '../domain/translate.ts';
import type { WriteStyle } from './http/doors.ts';
import { stampJson, standingAlone } from './json/stamp.ts';
import { writeJsonEvent } from './json/write-event.ts';
import { isVerbatim, stampXml } from './xml/stamp.ts';
import { isOwn, writeXmlEvent } from './xml/write-event.ts';
import type { EpcisEvent } from '../domain/event.ts';
import type { StoredEvent } from '../service/services.ts';

/** `companyPrefixes`: what is known about the length of company prefixes, for writing digital links as URNs. */
export function writeEvent(stored: StoredEvent, style: WriteStyle, companyPrefixes?: CompanyPrefixes): string {
  const text = write(stored, style, companyPrefixes);
  return style.form === 'json' ? text : nested(text, stored.event.type, style);
}

function write(
  stored: StoredEvent,
  style: WriteStyle,
  companyPrefixes: CompanyPrefixes = DEFAULT_COMPANY_PREFIXES,
): string {
  const { source, recordTime, isPartial } = stored;
  const stamp = { recordTime, eventID: stored.hash };
  const translates = changesEpcs(style.epcFormat) || (style.form === 'xml' && changesWords(style.cbvFormat));
  if (style.form === 'json') {
    if (source.format === 'json' && !translates && !isPartial) return stampJson(source.text, stamp);
    return writeJsonEvent(complete(stored, style, companyPrefixes));
  }
  if (source.format === 'xml' && !translates && !isPartial && isVerbatim(source.text, style.version)) {
    return stampXml(source.text, style.version === '2.0' ? stamp : { recordTime });
  }
  const web = (style.cbvFormat as CbvFormat | undefined) === 'Always_Web_URI';
  const event = complete(stored, style, companyPrefixes);
  return writeXmlEvent(event, style.version, web ? (_, uri) => uri : cbvUrn);
}

/** The same, with no document around it. */
export function writeSingleEvent(stored: StoredEvent, style: WriteStyle, companyPrefixes: CompanyPrefixes): string {
  const text = write(stored, style, companyPrefixes);
  return style.form === 'json' ? standingAlone(text) : text;
}

const changesEpcs = (format: string | undefined): format is EpcFormat =>
  format === 'Always_GS1_Digital_Link' || format === 'Always_EPC_URN';
const changesWords = (format: string | undefined): boolean => format === 'Always_URN' || format === 'Always_Web_URI';

/** The event with what the repository adds to it. 1.x knows no event without ID to have one. */
function complete(
  { event, hash, recordTime, isPartial }: StoredEvent,
  style: WriteStyle,
  prefixes: CompanyPrefixes,
): EpcisEvent {
  const isUnnamed = isPartial === true || (style.form === 'xml' && style.version === '1.2');
  const eventID = event.eventID ?? (isUnnamed ? undefined : hash);
  const whole = { ...event, recordTime, ...(eventID === undefined ? {} : { eventID }) };
  const { epcFormat } = style;
  return changesEpcs(epcFormat) ? translateIdentifiers(whole, (uri) => formatEpc(uri, epcFormat, prefixes)) : whole;
}

/** Types that the version's schema has not, or that came after 1.0, stand in the event list inside `extension`. */
function nested(element: string, type: string, { version }: WriteStyle): string {
  if (version === '2.0') return isOwn(type, version) ? element : `<extension>${element}</extension>`;
  if (/^(?:Object|Aggregation|Quantity|Transaction)Event$/.test(type)) return element;
  const levels = type === 'TransformationEvent' ? 1 : 2;
  return '<extension>'.repeat(levels) + element + '</extension>'.repeat(levels);
}

/** An identifier in the form asked for by GS1-EPC-Format. */
export const writeEpc = (uri: string, format: string | undefined, prefixes = DEFAULT_COMPANY_PREFIXES): string =>
  changesEpcs(format) ? formatEpc(uri, format, prefixes) : uri;

/** A vocabulary's canonical URI as JSON writes it: the bare word of a standard value, else the URI. */
export const writeWord = (uri: string): string => {
  for (const kind of ['bizStep', 'disposition'] as const) {
    const word = cbvWord(kind, uri);
    if (word !== uri) return word;
  }
  return uri;
};
