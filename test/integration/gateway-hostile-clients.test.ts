// Short forms of `npm run chaos:clients`: nothing of the others is lost, whatever it costs them in time, and nobody grows beyond the bound.
import { expect } from 'chai';
import { MOST_MB, playAgainst } from '../chaos/clients.ts';

const HELD = [
  'slow heads',
  'slow readers',
  'chunks without end',
  'resets at every byte',
  'refused uploads',
  'huge heads',
  'chunks of a byte',
];

describe('gateway: clients that hurt others', function () {
  this.timeout(120_000);
  for (const client of HELD) {
    it(`loses nothing beside ${client}`, async () => {
      const { asked, lost, gatewayMb, vmMb } = await playAgainst('builtin', client, { seconds: 0.3 });
      expect(asked).to.be.greaterThan(0);
      expect(lost).to.equal(0);
      expect(Math.max(gatewayMb, vmMb)).to.be.below(MOST_MB);
    });
  }
});
