// Events of which a field is hidden.
import { expect } from 'chai';
import type { ClientIdentity } from '../../../epcis/access/identity.ts';
import { as } from '../../helpers/access.ts';
import { acmeEpc, ALL, BETA, event, json, NS, OBSERVER, type Shape } from '../../helpers/partners.ts';
import type { Partnership } from './partnership.ts';

export function aboutHidden({ ask, openRepository }: Partnership): void {
  it('need no index that no rule asks for, however many hashes a question has', async () => {
    const rules = [{ name: 'see', for: 'everybody', see: 'everything', hide: [`${NS}price`] }];
    const [server] = await openRepository({ rules });
    const hashes = Array.from({ length: 20 }, (_, n) => `ni:///sha-256;${String(n).padStart(64, '0')}?ver=CBV2.0`);
    const { status } = await as(server, BETA, `/events?EQ_eventID=${hashes.map(encodeURIComponent).join('|')}`);
    await server.close();
    expect(status).to.equal(200);
  });

  it('are nowhere told the hash of an event of which a field is hidden: it says whether a guess is right', async () => {
    const { eventID, ...bare } = event({ ...(ALL[1] as Shape), epc: acmeEpc(77) });
    const unnamed = json({ ...bare, eventTime: '2026-02-02T00:00:00Z' });
    expect((await ask(OBSERVER, '/events', unnamed)).status, eventID).to.equal(201);
    const told = async (who: ClientIdentity, path: string, type = 'application/json') =>
      (await ask(who, path, { headers: { Accept: type } })).text();
    const hash = /ni:[^"]+/.exec(await told(OBSERVER, `/events?MATCH_epc=${acmeEpc(77)}`))?.[0] ?? '';
    expect((await ask(OBSERVER, `/events/${encodeURIComponent(hash)}`)).status).to.equal(200);
    expect((await ask(BETA, `/events/${encodeURIComponent(hash)}`)).status).to.equal(404);
    const paths = [
      `/events?MATCH_epc=${acmeEpc(77)}`,
      ...['events', 'trace', 'trace/graph', 'trace/picture'].map((below) => `/epcs/${acmeEpc(77)}/${below}`),
    ];
    for (const [n, path] of paths.entries())
      for (const type of n === 0 ? ['application/json', 'application/xml'] : ['*/*']) {
        const text = await told(BETA, path, type);
        expect(text, path).to.contain('0614141').and.not.contain('ni:').and.not.contain('sha-256');
      }
  });
}
