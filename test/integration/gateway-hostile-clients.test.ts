// Short forms of `npm run chaos:clients`: nothing of the others is lost, whatever it costs them in time.
import { expect } from 'chai';
import { playAgainst } from '../chaos/clients.ts';

const HELD = ['slow heads', 'chunks without end', 'resets at every byte', 'refused uploads', 'huge heads', 'bad heads'];

describe('gateway: clients that hurt others', function () {
  this.timeout(30_000);
  for (const client of HELD) {
    it(`loses nothing beside ${client}`, async () => {
      const { asked, lost } = await playAgainst('builtin', client, 0.3);
      expect(asked).to.be.greaterThan(0);
      expect(lost).to.equal(0);
    });
  }
});
