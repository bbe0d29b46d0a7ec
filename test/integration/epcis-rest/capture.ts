import { expect } from 'chai';
import { CONTEXT, EX, document, objectEvent, problem, type Door } from './door.ts';

export function aboutCapture({ request, post, eventsAt, finished, capture, at }: Door): void {
  describe('capture', () => {
    it('answers 202 with a job that any VM reports on', async () => {
      const response = await post('/capture', document([objectEvent(100)]));
      expect(response.status).to.equal(202);
      const location = response.headers.get('location') ?? '';
      expect(location).to.match(/^\/capture\/[^/]+$/);
      expect(await finished(location)).to.include({ success: true, captureErrorBehaviour: 'rollback' });
      const seen = await fetch(`${at(1)}${location}`, { headers: { Accept: 'application/xml' } });
      // as the standard's schema has it: no empty list of errors, and what it has not in another namespace, last
      expect(await seen.text()).to.match(
        /<epcis:EPCISCaptureJob [^>]*running="false" success="true"[^>]*>(?:<(\w+)>[^<]*<\/\1>)+(?:<(mmeliot:\w+)>[^<]*<\/\2>)+<\/epcis/,
      );
    });

    it('rolls back by default and proceeds when asked to', async () => {
      const wrong = { ...objectEvent(111), action: 'CREATE' };
      const back = await capture(document([objectEvent(110), wrong]));
      expect(back.success).to.equal(false);
      expect(back.errors[0]?.type).to.equal('epcisException:ValidationException');
      expect((await request(`/events/${objectEvent(110).eventID}`)).status).to.equal(404);
      const on = await capture(document([objectEvent(110), wrong]), { 'GS1-Capture-Error-Behaviour': 'proceed' });
      expect([on.success, on.errors.length]).to.deep.equal([false, 1]);
      expect(on.errors[0]).to.deep.equal(back.errors[0]);
      expect((await request(`/events/${objectEvent(110).eventID}`)).status).to.equal(200);
    });

    it('refuses a media type or an error behaviour that it does not know', async () => {
      const pdf = await post('/capture', 'x', { 'Content-Type': 'application/pdf' });
      expect(await problem(pdf)).to.deep.equal([415, 'UnsupportedMediaTypeException']);
      const behaviour = await post('/capture', document([]), { 'GS1-Capture-Error-Behaviour': 'maybe' });
      expect(await problem(behaviour)).to.deep.equal([400, 'ValidationException']);
    });

    it('refuses at once what is no document, and reports by the job what is wrong inside', async () => {
      for (const [body, type] of [
        ['', 'application/json'],
        [' \n', 'application/xml'],
        ['<xml/>', 'application/json'],
        ['{}', 'text/xml'],
        ['hello', 'application/ld+json'],
      ] as const) {
        expect(await problem(await post('/capture', body, { 'Content-Type': type })), body).to.deep.equal([
          400,
          'ValidationException',
        ]);
      }
      for (const broken of ['{"type":', '{"type":"EPCISDocument"}}', Buffer.from('{"type":"\u00e9"}', 'latin1')])
        expect(await problem(await post('/capture', broken))).to.deep.equal([400, 'ValidationException']);
      const { success, errors } = await capture('{}');
      expect([success, errors[0]?.type]).to.deep.equal([false, 'epcisException:ValidationException']);
    });

    it('captures one event at once and knows it when it comes again', async () => {
      const event = { '@context': [CONTEXT, { ex: EX }], ...objectEvent(120, { 'ex:color': 'red' }) };
      const created = await post('/events', event);
      expect(created.status, await created.clone().text()).to.equal(201);
      const location = created.headers.get('location') ?? '';
      expect(location).to.equal(`/events/${encodeURIComponent(event.eventID)}`);
      const answered = (await created.json()) as object;
      expect(answered).to.include({ eventID: event.eventID, 'ex:color': 'red' }).and.have.property('recordTime');
      // it stands alone: without the standard's context its words mean nothing, and no one would take it
      expect(answered)
        .to.have.property('@context')
        .that.deep.equals([CONTEXT, { ex: EX }]);
      const [stored] = await eventsAt(location);
      expect(stored).to.include({ eventID: event.eventID, 'ex:color': 'red', bizStep: 'shipping' });
      expect(await problem(await post('/events', event))).to.deep.equal([409, 'ResourceAlreadyExistsException']);
    });

    it('answers with the event that was posted, also when it declares another one an error', async () => {
      const event = { '@context': [CONTEXT], ...objectEvent(121) };
      expect((await post('/events', event)).status).to.equal(201);
      for (const reason of ['incorrect_data', 'did_not_occur']) {
        const declared = { ...event, errorDeclaration: { declarationTime: '2030-01-01T00:00:00Z', reason } };
        const created = await post('/events', declared);
        expect(created.status, await created.clone().text()).to.equal(201);
        expect(await created.json()).to.have.nested.property('errorDeclaration.reason', reason);
        expect(await problem(await post('/events', declared))).to.deep.equal([409, 'ResourceAlreadyExistsException']);
      }
      expect(await eventsAt(`/events/${encodeURIComponent(event.eventID)}`)).to.have.length(3);
    });

    it('refuses another event under an ID that is taken, also of two at once', async () => {
      const event = { '@context': [CONTEXT], ...objectEvent(122) };
      const others = ['packing', 'shipping', 'loading', 'storing'].map((bizStep) => ({ ...event, bizStep }));
      const statuses = (await Promise.all(others.map((other) => post('/events', other)))).map(({ status }) => status);
      expect(statuses.sort()).to.deep.equal([201, 409, 409, 409]);
      expect(await eventsAt(`/events/${encodeURIComponent(event.eventID)}`)).to.have.length(1);
      const hashed = { ...objectEvent(123), '@context': [CONTEXT], eventID: undefined };
      const created = await post('/events', hashed);
      const { eventID } = (await created.json()) as { eventID: string };
      const taken = { ...objectEvent(124), '@context': [CONTEXT], eventID };
      expect(await problem(await post('/events', taken))).to.deep.equal([409, 'ResourceAlreadyExistsException']);
    });

    it('captures one event in XML', async () => {
      const xml =
        '<ObjectEvent><eventTime>2024-02-01T00:00:00Z</eventTime><eventTimeZoneOffset>+00:00</eventTimeZoneOffset>' +
        '<eventID>urn:uuid:00000000-0000-4000-8000-000000000130</eventID><epcList><epc>urn:epc:id:sgtin:0614141.107346.130</epc></epcList>' +
        '<action>OBSERVE</action></ObjectEvent>';
      const response = await post('/events', xml, { 'Content-Type': 'application/xml' });
      expect(response.status, await response.clone().text()).to.equal(201);
      expect(await eventsAt(response.headers.get('location') ?? '')).to.have.length(1);
    });

    it('refuses an event that is none', async () => {
      for (const body of ['{', '[]', '{}', JSON.stringify({ ...objectEvent(131), action: 'CREATE' })]) {
        expect(await problem(await post('/events', body)), body).to.deep.equal([400, 'ValidationException']);
      }
    });
  });
}
