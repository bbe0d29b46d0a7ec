// Readings as EPCIS documents: 1.x XML as Fosstrak's clients send it, and 2.0 JSON-LD. What is written here is generated
// (URNs, CBV words, ISO times) and holds no character that would have to be escaped.
import type { Reading } from './supply-chain.ts';

export function xmlDocument(readings: readonly Reading[], created: string): string {
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    `<epcis:EPCISDocument xmlns:epcis="urn:epcglobal:epcis:xsd:1" schemaVersion="1.2" creationDate="${created}">` +
    `<EPCISBody><EventList>${readings.map(xmlEvent).join('')}</EventList></EPCISBody></epcis:EPCISDocument>`
  );
}

function xmlEvent({ time, epcs, parent, readPoint, bizLocation, step }: Reading): string {
  const list = epcs.map((epc) => `<epc>${epc}</epc>`).join('');
  const [type, what] =
    parent === undefined
      ? ['ObjectEvent', `<epcList>${list}</epcList><action>OBSERVE</action>`]
      : ['AggregationEvent', `<parentID>${parent}</parentID><childEPCs>${list}</childEPCs><action>ADD</action>`];
  return (
    `<${type}><eventTime>${time}</eventTime><eventTimeZoneOffset>+00:00</eventTimeZoneOffset>${what}` +
    `<bizStep>urn:epcglobal:cbv:bizstep:${step.bizStep}</bizStep>` +
    `<disposition>urn:epcglobal:cbv:disp:${step.disposition}</disposition>` +
    `<readPoint><id>${readPoint}</id></readPoint><bizLocation><id>${bizLocation}</id></bizLocation></${type}>`
  );
}

export function jsonDocument(readings: readonly Reading[], created: string): string {
  return JSON.stringify({
    '@context': CONTEXT,
    type: 'EPCISDocument',
    schemaVersion: '2.0',
    creationDate: created,
    epcisBody: { eventList: readings.map(jsonEvent) },
  });
}

/** One event with a context of its own, for POST /events. */
export function jsonSingleEvent(reading: Reading): string {
  return JSON.stringify({ '@context': CONTEXT, ...jsonEvent(reading) });
}

const CONTEXT = ['https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld'];

function jsonEvent({ time, epcs, parent, readPoint, bizLocation, step }: Reading): object {
  return {
    ...(parent === undefined
      ? { type: 'ObjectEvent', epcList: epcs, action: 'OBSERVE' }
      : { type: 'AggregationEvent', parentID: parent, childEPCs: epcs, action: 'ADD' }),
    eventTime: time,
    eventTimeZoneOffset: '+00:00',
    bizStep: step.bizStep,
    disposition: step.disposition,
    readPoint: { id: readPoint },
    bizLocation: { id: bizLocation },
  };
}
