import { expect } from 'chai';
import { policies } from '../../../src/decide/policies/index.ts';
import type { PolicyName } from '../../../src/decide/parameters.ts';
import { simulateBare } from '../../../src/simulate/bare-loop.ts';
import { measure } from '../../../src/simulate/simulate.ts';
import { HOUR, MINUTE, simulated, wave } from '../../helpers/simulation.ts';

/** Every policy, on a load that rises and falls twice: few actions are one more or less, and chance is not the same. */
describe('the bare loop', function () {
  this.timeout(60_000);
  const scene = { duration: HOUR, bootMs: 40_000, vm: { serviceMs: 50, parallel: 1, variation: 1 }, seed: 1 };
  const objective = { ms: 500, share: 0.95 };
  const at = wave(10, 180, 30 * MINUTE);

  for (const policy of (Object.keys(policies) as PolicyName[]).filter((name) => name !== 'backlog'))
    it(`does what the production loop does: ${policy}`, async () => {
      const parameters = { policy, max: 12, min: 1 };
      const { intervals, parameters: used } = simulateBare({ ...scene, at, objective, parameters });
      const load = { kind: 'open', at } as const;
      const whole = await simulated({ ...scene, load, objective, parameters, traffic: 'fluid' });
      const bare = measure(intervals, used.high);
      const about = JSON.stringify({ bare, whole: whole.measures });
      expect(bare.requests / whole.measures.requests, about).to.be.within(0.999, 1.001);
      expect(bare.vmHours / whole.measures.vmHours, about).to.be.within(0.95, 1.05);
      expect(Math.abs(bare.actions - whole.measures.actions), about).to.be.at.most(2 + 0.1 * whole.measures.actions);
      const share = (bare.violationsPercent + 0.5) / (whole.measures.violationsPercent + 0.5);
      expect(share, about).to.be.within(0.7, 1.4);
    });
});
