import { expect } from 'chai';
import fc from 'fast-check';
import { eventHash } from '../../../epcis/domain/hash.ts';
import { writeEvent } from '../../../epcis/bindings/write.ts';
import type { WriteStyle } from '../../../epcis/bindings/http/doors.ts';
import { anyEvent } from '../../helpers/any-event.ts';
import { json2, readOne, RECORD_TIME, sha256, xml1, xml2 } from '../../helpers/epcis-documents.ts';
import { runs } from '../../helpers/runs.ts';
import type { CapturedEvent, EpcisEvent } from '../../../epcis/domain/event.ts';

const STYLES = {
  'XML 2.0': { form: 'xml', version: '2.0' },
  'XML 1.2': { form: 'xml', version: '1.2' },
  JSON: { form: 'json', version: '2.0' },
} as const satisfies Record<string, WriteStyle>;
const document = { 'XML 2.0': xml2, 'XML 1.2': xml1, JSON: json2 } as const;
type Form = keyof typeof STYLES;

/** The event sent to a client and captured again; `source` in a form that has to be translated. */
async function through(form: Form, { event, hash, source }: CapturedEvent, chunk?: number): Promise<CapturedEvent> {
  const text = writeEvent({ event, hash, source, recordTime: RECORD_TIME }, STYLES[form]);
  return readOne(document[form](text), STYLES[form].form, chunk === undefined ? {} : { chunk });
}

const other = { 'XML 2.0': 'json', 'XML 1.2': 'json', JSON: 'xml' } as const;
const translated = (form: Form, event: EpcisEvent): CapturedEvent => ({
  event,
  hash: eventHash(event, sha256),
  source: { format: other[form], text: '' },
});
/** What the repository adds. */
const bare = ({ recordTime: _recordTime, eventID: _eventID, ...event }: EpcisEvent): unknown => event;

describe('round trips keep the event and its hash', () => {
  for (const form of Object.keys(STYLES) as Form[]) {
    it(`property: event → ${form} → event`, async () => {
      await fc.assert(
        fc.asyncProperty(anyEvent, fc.integer({ min: 1, max: 64 }), async (event, chunk) => {
          const sent = translated(form, event);
          const back = await through(form, sent, chunk);
          expect(bare(back.event)).to.deep.equal(bare(event));
          expect(back.hash).to.equal(sent.hash);
          if (event.eventID !== undefined) expect(back.event.eventID).to.equal(event.eventID);
        }),
        runs(150),
      );
    });
  }

  it('property: from form to form, each time captured and sent as it stood or translated', async () => {
    const forms = fc.array(fc.constantFrom(...(Object.keys(STYLES) as Form[])), { minLength: 2, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(anyEvent, forms, async (event, [first = 'JSON', ...more]) => {
        let captured = await through(first, translated(first, event));
        const { hash } = captured;
        for (const form of more) captured = await through(form, captured);
        expect(captured.hash).to.equal(hash);
        expect(bare(captured.event)).to.deep.equal(bare(event));
        expect(captured.event.recordTime).to.equal(RECORD_TIME);
      }),
      runs(100),
    );
  });
});
