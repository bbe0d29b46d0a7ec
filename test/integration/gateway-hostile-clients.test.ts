// Short forms of `npm run chaos:clients`: nothing of the others is lost, whatever it costs them in time, and nobody grows beyond the bound.
import { expect } from 'chai';
import { MOST_MB, playAgainst } from '../chaos/clients.ts';

const HELD: readonly (readonly [client: string, plane?: 'haproxy'])[] = [
  ['slow heads'],
  ['slow readers'],
  ['chunks without end'],
  ['resets at every byte'],
  ['refused uploads'],
  ['huge heads'],
  ['chunks of a byte'],
  ['forged tokens'],
  ['new words without end'],
  ['events at every limit'],
  ['settings and pings by HTTP/2', 'haproxy'],
];

describe('gateway: clients that hurt others', function () {
  this.timeout(120_000);
  for (const [client, plane = 'builtin'] of HELD) {
    it(`loses nothing beside ${client} (${plane})`, async () => {
      const { asked, lost, gatewayMb, vmMb } = await playAgainst(plane, client, { seconds: 0.3 });
      expect(asked).to.be.greaterThan(0);
      expect(lost).to.equal(0);
      expect(Math.max(gatewayMb, vmMb)).to.be.below(MOST_MB);
    });
  }
});
