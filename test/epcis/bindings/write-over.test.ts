// What the repository says itself stands in place of what a client said of it.
import { expect } from 'chai';
import { writeEvent } from '../../../epcis/bindings/write.ts';
import type { WriteStyle } from '../../../epcis/bindings/http/doors.ts';
import { json2, objectJson, objectXml, readOne, RECORD_TIME, xml2 } from '../../helpers/epcis-documents.ts';
import type { CapturedEvent } from '../../../epcis/domain/event.ts';

const XML_2: WriteStyle = { form: 'xml', version: '2.0' };
const JSON_2: WriteStyle = { form: 'json', version: '2.0' };
const X = 'xmlns:x="https://x.example.org/"';

const write = (captured: CapturedEvent, style: WriteStyle): string =>
  writeEvent({ ...captured, recordTime: RECORD_TIME }, style);

describe('writing over what a client tried to set', () => {
  it('replaces a recordTime whose name was written with escapes', async () => {
    const event = objectJson().replace('{', '{"record\\u0054ime":"2001-01-01T00:00:00Z","event\\u0049D":"urn:uuid:1",');
    const text = write(await readOne(json2(event), 'json'), JSON_2);
    expect(JSON.parse(text)).to.deep.include({ recordTime: RECORD_TIME, eventID: 'urn:uuid:1' });
    expect(text).not.to.contain('2001');
  });

  for (const said of [
    '<recordTime/>',
    '<recordTime></recordTime>',
    '<recordTime><![CDATA[2001-01-01T00:00:00Z]]></recordTime>',
    '<recordTime>2001-<!-- </recordTime> -->01-01T00:00:00Z</recordTime >',
    '<?a <recordTime>?><!-- <eventTimeZoneOffset> --><recordTime\n>2001-01-01T00:00:00Z<?b?></recordTime>',
  ])
    it(`replaces ${said}, on either side of the offset, and an empty eventID`, async () => {
      for (const end of ['</eventTime>', '</eventTimeZoneOffset>']) {
        const event = objectXml().replace(end, `${end}${said}`).replace('<epcList>', '<eventID/><epcList>');
        const captured = await readOne(xml2(event), 'xml');
        const back = await readOne(xml2(write(captured, XML_2)), 'xml');
        expect(back.event).to.deep.include({ recordTime: RECORD_TIME, eventID: captured.hash });
      }
    });

  it('is not misled by the same names further in', async () => {
    const inner = '<x:v><eventID>inner</eventID><recordTime>inner</recordTime></x:v>';
    const captured = await readOne(xml2(objectXml(inner), X), 'xml');
    const { event } = await readOne(xml2(write(captured, XML_2)), 'xml');
    expect(event).to.deep.include({
      eventID: captured.hash,
      recordTime: RECORD_TIME,
      extensions: captured.event.extensions,
    });
  });
});
