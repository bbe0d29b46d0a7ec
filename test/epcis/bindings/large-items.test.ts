// Large events are read in pieces, between which others are let in; what comes of it is the same.
import { expect } from 'chai';
import { readDocument, readEvent } from '../../../epcis/bindings/documents.ts';
import type { EpcisEvent } from '../../../epcis/domain/event.ts';
import { eventHash, hashing } from '../../../epcis/domain/hash.ts';
import { factsIn, factsOf } from '../../../epcis/service/facts.ts';
import { bytes, json2, objectJson, objectXml, sha256, xml2 } from '../../helpers/epcis-documents.ts';

const EVENT: EpcisEvent = {
  type: 'ObjectEvent',
  eventTime: '2024-01-02T03:04:05Z',
  eventTimeZoneOffset: '+00:00',
};
const EPCS = Array.from({ length: 9_000 }, (_, n) => `urn:epc:id:sgtin:9521141.012345.${n}`);
const X = 'xmlns:x="urn:x"';
const DOCUMENTS = {
  xml: (...events: readonly (readonly string[])[]) =>
    xml2(events.map((epcs) => objectXml('<x:f>1</x:f>', { epc: epcs.join('</epc><epc>') })).join(''), X),
  json: (...events: readonly (readonly string[])[]) =>
    json2(events.map((epcList) => objectJson({ epcList, 'x:f': '1' })).join(), '{"x":"urn:x"}'),
};

it('large events of sensors are hashed and indexed in pieces', () => {
  const report = (n: number) => ({ type: 'Temperature', value: n, uom: 'CEL' });
  const element = (n: number) => ({ sensorReport: [report(n)] });
  const reports = Array.from({ length: 3_000 }, (_, n) => n);
  for (const sensorElementList of [[{ sensorReport: reports.map(report) }], reports.map(element)]) {
    const event: EpcisEvent = { ...EVENT, sensorElementList };
    expect([...hashing(event, sha256, {})]).to.have.lengthOf.at.least(14);
    expect([...factsIn(event, '')]).to.have.lengthOf.at.least(5);
    expect(factsOf(event, '').numbers.filter(({ name }) => name.includes('value'))).to.have.length(3_000);
  }
  const silent = reports.map((n) => ({ sensorMetadata: { deviceID: `urn:x:${n}` }, sensorReport: [] }));
  const devices = factsOf({ ...EVENT, sensorElementList: silent }, '').texts.filter(({ name }) => name === 'deviceID');
  expect(devices).to.have.length(3_000);
});

for (const format of ['xml', 'json'] as const)
  describe(`large events in ${format}`, () => {
    /** First EPCs of what was read, and faults, in their order. */
    async function read(text: string, chunk: number) {
      const order: string[] = [];
      let pieces = 0;
      const options = {
        ...{ format, sha256, letIn: () => void pieces++ },
        onFault: () => void order.push('fault'),
      };
      for await (const item of readDocument(bytes(text, chunk), options)) {
        if (item.kind !== 'event') continue;
        const { event, hash } = item.captured;
        expect(hash).to.equal(eventHash(event, sha256));
        order.push(`${event.epcList?.[0]} ${event.epcList?.length}`);
      }
      return { order, pieces };
    }

    it('are read in pieces, between small ones, in their order', async () => {
      for (const chunk of [1000, 1 << 20]) {
        const { order, pieces } = await read(DOCUMENTS[format](['urn:a:1'], EPCS, ['urn:b:1'], EPCS.slice(1)), chunk);
        expect(order).to.deep.equal(['urn:a:1 1', `${EPCS[0]} 9000`, 'urn:b:1 1', `${EPCS[1]} 8999`]);
        expect(pieces).to.be.at.least(2 * 14);
      }
    });

    it('that are wrong are left out, and so are those behind them', async () => {
      const { order } = await read(DOCUMENTS[format](['x'], [...EPCS, 'x'], ['urn:b:1'], ['x']), 1 << 20);
      expect(order.toSorted()).to.deep.equal(['fault', 'fault', 'fault', 'urn:b:1 1']);
    });

    it('let others in where they stand alone, too', async () => {
      const alone =
        format === 'xml'
          ? objectXml('', { epc: EPCS.join('</epc><epc>') })
          : objectJson({ '@context': [], epcList: EPCS });
      let pieces = 0;
      const options = { format, sha256, letIn: () => void pieces++ };
      for await (const item of readEvent(bytes(alone), options)) expect(item.kind).to.equal('event');
      expect(pieces).to.be.at.least(14);
    });
  });
