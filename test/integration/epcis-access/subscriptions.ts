// What their subscriptions tell them.
import { expect } from 'chai';
import {
  ACME,
  acmeEpc,
  BETA,
  BETA_PARTY,
  betaEpc,
  DOCK,
  event,
  json,
  OBSERVER,
  RULES,
} from '../../helpers/partners.ts';
import { until } from '../../helpers/until.ts';
import { subscribe, SUBSCRIPTION, type Partnership } from './partnership.ts';

export function aboutSubscriptions({ ask, database, receiver, eventsOf, apply }: Partnership): void {
  it('are told by their subscriptions of nothing that others capture', async () => {
    const named = json({ name: 'mine', query: {} });
    expect((await ask(BETA, '/queries', named)).status).to.equal(201);
    const made = await ask(BETA, '/queries/mine/subscriptions', json({ ...SUBSCRIPTION, dest: receiver().url }));
    const path = made.headers.get('location') ?? '';
    const told = async (): Promise<string> => {
      const options = await ask(BETA, path, { method: 'OPTIONS' });
      const list = await (await ask(BETA, '/queries/mine/subscriptions')).text();
      return `${await (await ask(BETA, path)).text()}${list}${options.headers.get('gs1-query-min-record-time')}`;
    };
    const before = await told();
    const theirs = event({ n: 1, epc: acmeEpc(8), bizStep: 'commissioning', readPoint: DOCK });
    expect((await ask(ACME, '/events', json({ ...theirs, eventID: 'urn:x:a8' }))).status).to.equal(201);
    await until('all runs are over', async () => {
      const open = 'SELECT COUNT(*) AS n FROM subscription WHERE position < (SELECT head FROM feed_counter)';
      const news = 'SELECT COUNT(*) AS n FROM feed_batch WHERE position IS NULL';
      const [behind, unnumbered] = [await database().all(open), await database().all(news)];
      return Number(behind[0]?.['n']) + Number(unnumbered[0]?.['n']) === 0;
    });
    expect(await told()).to.equal(before);
    expect((await ask(BETA, '/queries/mine', { method: 'DELETE' })).status).to.equal(204);
  });

  it('have their subscriptions answered by the rules of that moment', async () => {
    const ship = (n: number) =>
      event({ n, epc: acmeEpc(n), bizStep: 'shipping', readPoint: DOCK, to: BETA_PARTY, price: '99' });
    expect((await ask(BETA, '/epcis/query', subscribe('news', receiver().url))).status).to.equal(200);
    const news = () => receiver().requests.filter(({ body }) => body.includes('<subscriptionID>news<'));
    const all = { ...ship(1), eventID: 'urn:uuid:00000000-0000-4000-8000-0000000000a1' };
    expect((await ask(ACME, '/events', json(all))).status).to.equal(201);
    await until('what was shipped', () => news().length > 0);
    expect(news()[0]?.body).to.contain('lot').and.not.contain('price');
    // made before this rule
    const rules = [
      ...RULES.rules,
      { name: 'no more of it', for: 'client:beta', deny: { epc: 'urn:epc:idpat:sgtin:0614141.*.*' } },
    ];
    await apply(database(), { rules });
    await until('the rule', async () => !(await eventsOf(BETA)).includes('2'));
    const before = news().length;
    expect(
      (
        await ask(
          ACME,
          '/events',
          json({
            ...all,
            eventID: 'urn:uuid:00000000-0000-4000-8000-0000000000a2',
            eventTime: '2026-04-01T00:00:00Z',
          }),
        )
      ).status,
    ).to.equal(201);
    const own = {
      ...event({ n: 5, epc: betaEpc(5), bizStep: 'receiving', readPoint: 'urn:x:beta:gate' }),
      eventID: 'urn:uuid:00000000-0000-4000-8000-0000000000b1',
    };
    expect((await ask(BETA, '/events', json(own))).status).to.equal(201);
    await until('its own', () => news().some(({ body }) => body.includes(betaEpc(5))));
    expect(
      news()
        .slice(before)
        .some(({ body }) => body.includes('0614141')),
    ).to.equal(false);
    // nor in any other spelling
    const link = '/01/10614141073464/21';
    const spellings = [
      ...[
        'URN:EPC:ID:SGTIN:0614141.107346.91',
        'urn:epc:id:sgtin:0614141.107346.%39%31',
        `HTTPS://ID.GS1.ORG${link}/91`,
      ],
      ...[`https://acme.example/gtin/10614141073464/ser/91`, `https://id.gs1.org${link}/%39%31`],
      ...[`https://id.gs1.org${link}/91?x=${'y'.repeat(3000)}`, `https://id.gs1.org/${'y/'.repeat(2000)}${link}/91`],
    ];
    for (const [n, epc] of spellings.entries()) {
      const shipped = { ...ship(1), epcList: [epc], eventID: `urn:x:spelling:${n}` };
      expect((await ask(OBSERVER, '/events', json(shipped))).status, epc.slice(0, 60)).to.equal(201);
      expect((await ask(BETA, `/events/urn:x:spelling:${n}`)).status, epc.slice(0, 60)).to.equal(404);
    }
  });
}
