// Short forms of `npm run chaos`: several faults one after the other in one system, under load, and what an independent reader finds.
import { expect } from 'chai';
import type { Fault } from '../chaos/faults/fault.ts';
import { gatewayKilled } from '../chaos/faults/gateway-killed.ts';
import { haproxyKilled } from '../chaos/faults/haproxy.ts';
import { managerKilled } from '../chaos/faults/manager-killed.ts';
import { udpForged } from '../chaos/faults/udp-forged.ts';
import { vmKilled } from '../chaos/faults/vm-killed.ts';
import { tryFault } from '../chaos/run.ts';

const oneAfterTheOther = (name: string, faults: readonly Fault[]): Fault => ({
  ...{ name, what: name, world: faults[0]?.world ?? {} },
  inflict: async (world) => {
    for (const fault of faults) {
      await fault.inflict(world);
      await world.isWell();
    }
  },
});

describe('chaos, in short', function () {
  this.timeout(180_000);

  for (const [name, ...faults] of [
    ['processes', vmKilled, managerKilled, udpForged, gatewayKilled],
    ['haproxy', haproxyKilled],
  ] as const) {
    it(`${faults.map(({ what }) => what).join('; ')}: nothing is lost, wrong or doubled`, async () => {
      const { costs, findings } = await tryFault(oneAfterTheOther(name, faults), (times) => times === 0);
      expect(findings).to.deep.equal([]);
      expect(costs[0]?.requests).to.be.greaterThan(20);
    });
  }
});
