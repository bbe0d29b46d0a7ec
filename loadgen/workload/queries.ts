// What the synthetic application asks: three questions, each through both doors.
import type { Random } from './random.ts';
import { location, reader, stepOf, tag, type SupplyChainOptions } from './supply-chain.ts';

/** A question as parameters of SimpleEventQuery: lists of strings, or a number. */
export type Question = Readonly<Record<string, readonly string[] | number>>;

/** An answer is limited, and has the newest events. */
const NEWEST = { orderBy: 'eventTime', orderDirection: 'DESC' } as const;

/** Where has this item been, what did this reader see, what happened at this place in this step: a third each. */
export function ask(options: SupplyChainOptions, random: Random): Question {
  const readerIndex = random.below(options.readers);
  switch (random.below(3)) {
    case 0:
      return { MATCH_epc: [tag(random.below(options.tags))] };
    case 1:
      return { eventType: ['ObjectEvent'], EQ_readPoint: [reader(readerIndex, options.locations)] };
    default:
      return {
        EQ_bizLocation: [location(readerIndex % options.locations)],
        EQ_bizStep: [`urn:epcglobal:cbv:bizstep:${stepOf(readerIndex, options.locations).bizStep}`],
      };
  }
}

/** The body of a SOAP Poll, typed as Fosstrak's client types it. */
export function soapPoll(question: Question, limit: number): string {
  const params = Object.entries({ ...question, eventCountLimit: limit })
    .map(([name, value]) => param(name, typedValue(value)))
    .concat(
      Object.entries(NEWEST).map(([name, value]) => param(name, `<value xsi:type="xsd:string">${value}</value>`)),
    );
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"' +
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"' +
    ' xmlns:q="urn:epcglobal:epcis-query:xsd:1"><soapenv:Body><q:Poll><queryName>SimpleEventQuery</queryName>' +
    `<params>${params.join('')}</params></q:Poll></soapenv:Body></soapenv:Envelope>`
  );
}

/** Path and query of the same question by REST: one page of events. */
export function restQuery(question: Question, limit: number): string {
  const pairs = Object.entries({ ...question, ...NEWEST, perPage: limit }).map(
    ([name, value]) => `${name}=${encodeURIComponent(inUrl(value))}`,
  );
  return `/events?${pairs.join('&')}`;
}

const param = (name: string, value: string): string => `<param><name>${name}</name>${value}</param>`;

const inUrl = (value: readonly string[] | string | number): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : value.join('|');

const typedValue = (value: readonly string[] | number): string =>
  typeof value === 'number'
    ? `<value xsi:type="xsd:int">${value}</value>`
    : `<value xsi:type="q:ArrayOfString">${value.map((text) => `<string>${text}</string>`).join('')}</value>`;
