// What they may capture, and what the answer tells of what others captured.
import { expect } from 'chai';
import { as } from '../../helpers/access.ts';
import {
  ACME,
  acmeEpc,
  ALL,
  BETA,
  betaEpc,
  DOCK,
  event,
  EVERYTHING,
  json,
  PILOT,
  PLACES,
  STRANGER,
  type Shape,
} from '../../helpers/partners.ts';
import { until } from '../../helpers/until.ts';
import { documentOf, type Partnership } from './partnership.ts';

export function aboutCapture({ ask, eventsOf, openRepository }: Partnership): void {
  it('capture what the rules let them capture', async () => {
    const fresh = (n: number, shape: Partial<Shape> = {}) =>
      event({ n, epc: betaEpc(n), bizStep: 'receiving', readPoint: 'urn:x:beta:gate', ...shape });
    expect((await ask(BETA, '/events', json(fresh(7)))).status).to.equal(201);
    const foreign = await ask(BETA, '/events', json(fresh(8, { epc: acmeEpc(8) })));
    expect(foreign.status).to.equal(403);
    expect(await foreign.text()).to.contain('SecurityException');
    // a URI that no pattern of a rule would find
    const noEpc = fresh(8, { epc: 'https://id.gs1.org/01/X9521141abcdef/21/8' });
    expect((await ask(BETA, '/events', json(noEpc))).status).to.equal(403);
    const mixed = { ...fresh(8), epcList: [betaEpc(8), acmeEpc(8)] };
    expect((await ask(BETA, '/events', json(mixed))).status).to.equal(403);
    expect((await ask(STRANGER, '/events', json(fresh(8)))).status).to.equal(403);
    const master = { method: 'POST', headers: { 'Content-Type': 'text/xml' }, body: PLACES([PILOT], false) };
    expect((await ask(BETA, '/epcis/capture', master)).status).to.equal(403);
    // a job: what is not permitted is told by it, and with proceed the rest stays
    const job = async (behaviour: string, events: readonly object[]) => {
      const init = json(documentOf(events));
      const headers = { ...init.headers, 'GS1-Capture-Error-Behaviour': behaviour };
      const at = (await ask(BETA, '/capture', { ...init, headers })).headers.get('location') ?? '';
      await until(
        'the job',
        async () => ((await (await ask(BETA, at)).json()) as { running: boolean }).running === false,
      );
      expect((await ask(ACME, at)).status).to.equal(404);
      return (await ask(BETA, at)).text();
    };
    expect(await job('rollback', [fresh(8), fresh(9, { epc: acmeEpc(9) })])).to.contain('SecurityException');
    expect(await eventsOf(BETA)).to.deep.equal(['2', '5', '7']);
    expect(await job('proceed', [fresh(9, { epc: acmeEpc(9) }), fresh(8)])).to.contain('SecurityException');
    expect(await eventsOf(BETA)).to.deep.equal(['2', '5', '7', '8']);
    expect(await eventsOf(ACME)).to.deep.equal(['1', '2', '3', '4']);
  });

  it('are not told whether others use the same ID, or captured the same', async () => {
    const other = { ...event({ n: 1, epc: betaEpc(3), bizStep: 'receiving', readPoint: 'urn:x:beta:gate' }) };
    expect((await ask(BETA, '/events', json(other))).status).to.equal(201);
    const [own] = ALL.filter(({ n }) => n === 6).map(event);
    // beta's own EPC at the pilot plant: there already, and not for beta to see
    expect((await ask(BETA, '/events', json(own))).status).to.equal(201);
    expect((await ask(BETA, '/events', json(event(ALL[4] as Shape)))).status).to.equal(409);
    const xml =
      '<e:EPCISDocument xmlns:e="urn:epcglobal:epcis:xsd:1" schemaVersion="1.2" creationDate="2026-01-01T00:00:00Z"><EPCISBody><EventList>' +
      `<ObjectEvent><eventTime>2026-02-01T00:00:00Z</eventTime><eventTimeZoneOffset>+00:00</eventTimeZoneOffset><epcList><epc>${betaEpc(9)}</epc></epcList>` +
      `<action>ADD</action><readPoint><id>${PILOT}</id></readPoint></ObjectEvent></EventList></EPCISBody></e:EPCISDocument>`;
    const capture = { method: 'POST', headers: { 'Content-Type': 'text/xml' }, body: xml };
    const first = await (await ask(BETA, '/epcis/capture', capture)).text();
    expect(await (await ask(BETA, '/epcis/capture', capture)).text()).to.equal(first);
  });

  it('put nothing below a place of their own that is not theirs: rules go by what is below it', async () => {
    const [own, gate] = ['urn:x:beta:site', 'urn:x:beta:gate'];
    const rules = [
      ...EVERYTHING.rules.map((rule) => ({ ...rule, for: 'client:observer' })),
      { name: 'beta sees what is at its site', for: 'client:beta', see: { location: own } },
      { name: 'beta describes its site', for: 'client:beta', capture: { masterData: { EQ_name: [own, gate] } } },
    ];
    const [server] = await openRepository({ rules }, PLACES([DOCK], false), ALL.map(event));
    const below = (child: string) => ({
      method: 'POST',
      headers: { 'Content-Type': 'text/xml' },
      body: PLACES([own], false).replace('</attribute>', `</attribute><children><id>${child}</id></children>`),
    });
    const seen = async () => (await (await as(server, BETA, '/events')).text()).match(/urn:x:beta:gate|00001\.0/g);
    const statusOf = async (child: string) => (await as(server, BETA, '/epcis/capture', below(child))).status;
    expect([await statusOf(DOCK), await statusOf(gate)]).to.deep.equal([403, 200]);
    await until('its gate is below its site', async () => (await seen())?.includes(gate) === true);
    expect(await seen()).to.deep.equal([gate]);
    await server.close();
  });

  it('declare errors of what they see and might have captured themselves', async () => {
    const declared = (shape: Shape) => ({
      ...event(shape),
      errorDeclaration: { declarationTime: '2026-03-01T00:00:00Z' },
    });
    expect((await ask(BETA, '/events', json(declared(ALL[4] as Shape)))).status).to.equal(201);
    const texts = [];
    for (const n of [2, 6, 9]) {
      const wrong = declared({ n, epc: betaEpc(1), bizStep: 'receiving', readPoint: 'urn:x:beta:gate' });
      const refused = await ask(BETA, '/events', json(wrong));
      expect(refused.status, String(n)).to.equal(403);
      texts.push((await refused.text()).replaceAll(`00000${n}'`, "'"));
    }
    // seen but not its own, not seen, not there
    expect(new Set(texts).size).to.equal(1);
    // its own, under an ID that an event has which it does not see, and under one that nobody has
    for (const [n, own] of [
      [4, 41],
      [0, 42],
    ] as const) {
      const shape = { n, epc: betaEpc(own), bizStep: 'receiving', readPoint: 'urn:x:beta:gate' };
      const dated = { eventTime: '2026-02-02T00:00:00Z' };
      expect((await ask(BETA, '/events', json({ ...event(shape), ...dated }))).status).to.equal(201);
      const wrong = await ask(BETA, '/events', json({ ...declared(shape), ...dated }));
      expect(wrong.status, `${n}: ${await wrong.text()}`).to.equal(201);
    }
  });
}
