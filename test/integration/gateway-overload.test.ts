// Short forms of `npm run overload`: whatever it costs in time, everybody gets an answer, and the VMs are kept busy.
import { expect } from 'chai';
import { overload } from '../chaos/overload.ts';

describe('gateway: ten times what the VMs can do', function () {
  this.timeout(60_000);

  for (const plane of ['builtin', 'haproxy'] as const) {
    it(`loses nothing important, and turns the rest away with Retry-After (${plane})`, async () => {
      const { peak, goodput, refused, importantLost, withoutRetryAfter, failed } = await overload(plane, 3);
      expect({ importantLost, withoutRetryAfter, failed }).to.deep.equal({
        ...{ importantLost: 0, withoutRetryAfter: 0, failed: 0 },
      });
      expect(refused).to.be.greaterThan(0);
      expect(goodput).to.be.greaterThan(peak / 2);
    });
  }
});
