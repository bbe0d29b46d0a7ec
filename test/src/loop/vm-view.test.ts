import { expect } from 'chai';
import { vmPage } from '../../../src/loop/vm-view.ts';
import { World } from '../../helpers/world.ts';

describe("a VM's page", () => {
  it('tells its samples, its life over a restart, and the end of its log', async () => {
    const world = new World();
    world.provider.appear('vm-a', { mark: 'a' });
    const first = world.loop();
    await first.start();
    await world.clock.advance(60_000);
    await first.byHand({ what: 'replace', vm: 'vm-a' }, 'ada');
    await world.clock.advance(60_000);
    await first.stop();
    const again = world.loop();
    const life = again.stepsOf('vm-a');
    expect(life.map(({ outcome }) => outcome.step)).to.deep.equal(['admit', 'drain', 'release']);
    const log = `${'x'.repeat(2_000)}\n${'line\n'.repeat(500)}last\n`;
    const page = vmPage({ id: 'vm-a', vm: undefined, records: again.records(360), life, log });
    expect(page.samples.length).to.be.within(5, 8);
    expect(page.samples[0]).to.include({ state: 'ready', cpu: 50, memory: 40 });
    expect(page.samples[0]?.at).to.be.below(page.samples[1]?.at ?? 0);
    expect(page.log).to.have.length(100);
    expect(page.log?.at(-1)).to.equal('last');
    expect(page).to.not.have.property('vm');
  });
});
