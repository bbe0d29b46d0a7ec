import { setImmediate as quiet } from 'node:timers/promises';
import { expect } from 'chai';
import { comparePacking, packingMarkdown } from '../../../src/compare/packing.ts';

describe('packing, simulated', () => {
  it('takes fewer machines, fewer still when workers are moved, and no request pays for it', async function () {
    this.timeout(60_000);
    const scene = {
      ...{ name: 'day', bootMs: 60_000, objective: { ms: 500, share: 0.95 }, max: 40, skip: 1_200_000, seed: 1 },
      vm: { serviceMs: 50, parallel: 1, variation: 1 },
      // up and down in 40 minutes, and a step in it
      at: (t: number) => 80 + 300 * (1 - Math.cos((2 * Math.PI * t) / 2_400_000)) - (t > 3_000_000 ? 40 : 0),
      duration: 3_600_000,
    };
    const runs = await comparePacking(scene, 4, { policy: 'adaptive' }, quiet);
    const [alone, packed, moved] = runs;
    const [still, moving] = [packed?.packing, moved?.packing];
    if (!alone || !packed || !moved || !still || !moving) expect.fail('a run is missing');
    expect(still.moves).to.equal(0);
    expect(moving.nodeHours).to.be.below(still.nodeHours + 1e-9);
    expect(moving.nodeHours / still.boundHours).to.be.within(1, 1.15);
    expect(moving.nodeHours / still.wholeHours, 'of nodes that come and go at once').to.be.within(1, 1.1);
    expect(moved.violationsPercent).to.be.at.most(packed.violationsPercent + 0.05);
    expect(packingMarkdown(4, [{ scene, runs }])).to.contain('| packed, consolidated |');
  });
});
