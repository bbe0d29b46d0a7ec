// Short forms of `npm run chaos:clients`: whatever a client costs the others in time, nothing of theirs is lost, and nobody grows beyond the
// bound.
import { expect } from 'chai';
import { CLIENTS } from '../chaos/hostile-all.ts';
import { MOST_MB, Stage, type StageOptions } from '../chaos/stage.ts';

const PLAYS_MS = 300;
/** As often as in that time on a quiet machine. */
const ASKED = 50;

/** Each client at the plane that has the most to do with it; HTTP/2 as if it were spoken. */
const STAGES: Readonly<Record<string, Omit<StageOptions, 'plane'> & Partial<StageOptions>>> = {
  'a VM that answers anything': { like: {} },
  'a VM that serves EPCIS': { like: { epcis: true } },
  'clients that are known': { like: { door: 'keys' } },
  'clients by TLS': { like: { door: 'tls' } },
  'clients by HTTP/2': { like: { door: 'http2' }, plane: 'haproxy', http2: true },
};

for (const [what, { plane = 'builtin', like, ...options }] of Object.entries(STAGES))
  describe(`gateway: clients that hurt others, ${what} (${plane})`, function () {
    this.timeout(120_000);
    let stage: Stage;
    before(async () => (stage = await Stage.open({ ...options, plane, like })));
    after(() => stage.close());

    for (const client of CLIENTS.filter(({ epcis, door }) => epcis === like.epcis && door === like.door))
      it(`lose nothing beside ${client.name}`, async () => {
        const { asked, lost, gatewayMb, vmMb } = await stage.play(client, PLAYS_MS, 'here', ASKED);
        expect(asked).to.be.at.least(ASKED);
        expect(lost).to.equal(0);
        expect(Math.max(gatewayMb, vmMb)).to.be.below(MOST_MB);
      });
  });
