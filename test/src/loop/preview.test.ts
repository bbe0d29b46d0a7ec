import { expect } from 'chai';
import type { ElasticityParameters, PolicyName } from '../../../src/decide/parameters.ts';
import { policies } from '../../../src/decide/policies/index.ts';
import { preview, Previewer } from '../../../src/loop/preview.ts';
import type { ToyMarket } from '../../../src/act/toy-market.ts';
import { TWO_POOLS } from '../../helpers/toy-market.ts';
import { NO_TRAFFIC, World } from '../../helpers/world.ts';

/** A load that comes and goes, shared by the VMs that serve. */
async function recorded(settings: Partial<ElasticityParameters>, minutes = 60, market?: ToyMarket): Promise<World> {
  const world = new World();
  if (market !== undefined) world.provider.market = market;
  const started = world.clock.now();
  const load = () => 110 + 100 * Math.sin((world.clock.now() - started) / 400_000);
  const cpu = () => Math.min(100, load() / Math.max(1, world.gateway.serving.size));
  world.cpu = cpu;
  const time = () => 20 / (1 - Math.min(0.98, cpu() / 100));
  world.responseTimes = () => new Map([...world.gateway.serving.keys()].map((vm) => [vm, time()]));
  world.traffic = () => ({
    ...NO_TRAFFIC,
    arrivalRate: load() / 2,
    throughput: load() / 2,
    responseTime: time(),
    span: 10_000,
  });
  const loop = world.loop(settings);
  await loop.start();
  await world.clock.advance(minutes * 60_000);
  await loop.stop();
  return world;
}

describe('preview', () => {
  for (const policy of Object.keys(policies) as PolicyName[])
    it(`is what was recorded, where nothing is changed: ${policy}`, async () => {
      const world = await recorded({ policy }, 20);
      const { before, after, differsFrom, periods, points } = preview(world.journal, {});
      expect(periods).to.be.above(100);
      expect(after).to.deep.equal(before);
      expect(differsFrom).to.equal(undefined);
      expect(points.every((point) => JSON.stringify(point.before) === JSON.stringify(point.after))).to.equal(true);
    });

  it('foresees what the loop then does with these settings under the same load', async () => {
    const changes = { high: 60, low: 25 };
    const world = await recorded({ policy: 'eliot', high: 80, low: 35 });
    const foreseen = preview(world.journal, changes);
    const real = preview((await recorded({ policy: 'eliot', ...changes })).journal, {});
    expect(foreseen.before.allocated).to.be.above(0);
    expect(foreseen.after.allocated).to.equal(real.before.allocated);
    expect(foreseen.after.released).to.equal(real.before.released);
    expect(foreseen.after.vmMinutes).to.be.closeTo(real.before.vmMinutes, real.before.vmMinutes * 0.02);
    expect(foreseen.after.vmMinutes).to.be.above(foreseen.before.vmMinutes);
    expect(foreseen.saturatedAbove, 'the same bound for both').to.equal(80);
    expect(foreseen.after.saturatedMinutes).to.be.below(foreseen.before.saturatedMinutes);
    const [turn] = foreseen.points.filter(({ before, after }) => before.action !== after.action);
    expect(foreseen.differsFrom).to.equal(turn?.at);
  });

  it('warns of a pair that flaps', async () => {
    const world = await recorded({ policy: 'eliot', high: 80, low: 20 });
    const { warnings, after, before } = preview(world.journal, { high: 60, low: 55, noFlap: false });
    expect(after.turns).to.be.above(before.turns + 1);
    expect(warnings.join(' '))
      .to.include('the pair flaps')
      .and.match(/turned back \d+ times within 5 minutes/);
  });

  it('looks at a span, with the past before it for policies that look back', async () => {
    const world = await recorded({ policy: 'reg' }, 40);
    const at = world.journal.flatMap((entry) => (entry.kind === 'period' ? [entry.record.at] : []));
    const [from = 0, until = 0] = [at[100], at[180]];
    const previewer = new Previewer({ settings: (settings) => settings, from, until });
    for (const entry of world.journal) previewer.take(entry);
    const result = previewer.result();
    expect([result.from, result.until, result.periods]).to.deep.equal([from, until, 81]);
    expect(result.differsFrom).to.equal(undefined);
  });

  it('shows what pausing would have meant, and decides no oftener than the period', async () => {
    const world = await recorded({ policy: 'eliot', high: 60 });
    const paused = preview(world.journal, { paused: true });
    expect(paused.before.actions).to.be.above(0);
    expect(paused.after.actions).to.equal(0);
    expect(paused.after.vmMinutes).to.be.closeTo(60, 1);
    const slow = preview(world.journal, { period: 600_000 });
    expect(slow.after.actions).to.be.within(1, 6);
  });

  it('counts money by the prices of the market', async () => {
    const world = await recorded({ policy: 'eliot', high: 60 }, 30, TWO_POOLS);
    const { before, after } = preview(world.journal, { spotShare: 100 });
    expect(before.cost).to.be.closeTo(before.vmMinutes / 60, 0.01); // all on demand, at 1 an hour
    expect(after.cost)
      .to.be.above(0)
      .and.below(before.cost ?? 0);
    expect(after.vmMinutes).to.be.closeTo(before.vmMinutes, before.vmMinutes * 0.1);
  });

  it('has no more points than a chart shows, and says so where nothing was recorded', async () => {
    const world = await recorded({ policy: 'eliot', period: 1_000 }, 15);
    const { points, periods } = preview(world.journal, {});
    expect(periods).to.be.above(800);
    expect(points.length).to.be.within(400, 720);
    expect(points.some(({ before }) => before.action !== 'hold')).to.equal(true);
    expect(preview([], {}).warnings).to.deep.equal(['Nothing was recorded in that time.']);
  });
});
