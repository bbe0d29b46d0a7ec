import { expect } from 'chai';
import { DEFAULT_PARAMETERS, type ElasticityParameters } from '../../../src/decide/parameters.ts';
import { validateParameters } from '../../../src/decide/validate.ts';
import type { ParameterPatch } from '../../../src/loop/journal.ts';
import { takenBack } from '../../../src/loop/settings.ts';
import { World } from '../../helpers/world.ts';

const judge = (change: Partial<ElasticityParameters>) => validateParameters({ ...DEFAULT_PARAMETERS, ...change });

describe('settings', () => {
  it('are fine as they come', () => {
    expect(judge({})).to.deep.equal({ errors: [], warnings: [] });
  });

  for (const [change, sentence] of [
    [{ low: 70 }, 'low (70) must be below high (70)'],
    [{ min: 5 }, 'min (5) must not be above max (4)'],
    [{ warmup: 8 }, 'no VM would ever be warm'],
    [{ policyParameters: { nearness: 50 } }, 'lets the bands meet'],
    [{ policy: 'nonsense' }, 'policy is "nonsense": one of eliot, mmeliot'],
    [{ high: NaN }, 'high is NaN: a number from 0 to 100'],
    [{ high: '80' }, 'high is "80": a number'],
    [{ window: 2.5 }, 'window is 2.5: a whole number'],
    [{ period: 0 }, 'period is 0ms: a duration from 100ms to 1h'],
    [{ noFlap: 'yes' }, 'noFlap is "yes": one of auto, true, false'],
    [
      { policy: 'hpa', policyParameters: { targt: 5 } },
      'policyParameters.targt is unknown to hpa; did you mean target?',
    ],
    [{ policy: 'hpa', policyParameters: { target: 500 } }, 'a number from 1 to 100'],
    [{ policyParameters: { target: 5 } }, 'unknown to mmeliot; there are: preset, nearness'],
  ] as const)
    it(`refuse ${JSON.stringify(change)} in one sentence`, () => {
      const { errors } = judge(change as unknown as Partial<ElasticityParameters>);
      expect(errors[0]).to.contain(sentence);
      expect(errors[0]).to.match(/^[^.].*[.?]$/);
    });

  it('warn of a pair that flaps, where no guard holds it', () => {
    expect(judge({ policy: 'eliot', low: 40 }).warnings[0]).to.contain('the pair flaps');
    expect(judge({ policy: 'eliot', low: 40, noFlap: true }).warnings).to.deep.equal([]);
    expect(judge({ policyParameters: { preset: 'paper-literal' } }).warnings[0]).to.contain('released to 1 below 36');
    expect(judge({ policy: 'eliot', low: 35 }).warnings).to.deep.equal([]);
  });
});

describe('changed settings', () => {
  it('take effect with the next period, are recorded with who and when, and survive a restart', async () => {
    const world = new World();
    const loop = world.loop();
    await loop.start();
    await world.clock.advance(15_000);
    expect(await loop.setParameters({ high: 80, period: 5_000 }, 'eva')).to.deep.equal([]);
    expect(loop.state().parameters.high).to.equal(70);
    expect(loop.state().pendingParameters?.high).to.equal(80);
    await world.clock.advance(10_000);
    expect(loop.state().parameters.high).to.equal(80);
    expect(loop.state().last?.decision.comparisons.map(({ bound }) => bound)).to.include.members([80, 64]);
    expect(loop.state().changes[0]).to.deep.include({ who: 'eva', patch: { high: 80, period: 5_000 } });
    const change = world.journal.find((entry) => entry.kind === 'change');
    expect(change).to.deep.include({ who: 'eva' });
    await loop.stop();

    const again = world.loop();
    await again.start();
    expect(again.state().parameters).to.include({ high: 80, period: 5_000 });
    expect(again.state().period).to.be.greaterThan(1);
    await again.setParameters({ high: null, period: null }, 'eva');
    await world.clock.advance(10_000);
    expect(again.state().parameters).to.include({ high: 70, period: 10_000 });
    await again.stop();
  });

  it('hold where they are the same as the configuration, too: that one may be another after a restart', async () => {
    const world = new World();
    const loop = world.loop();
    await loop.start();
    await loop.setParameters({ high: loop.state().parameters.high }, 'eva');
    expect(loop.state().overrides.map(({ name }) => name)).to.deep.equal(['high']);
    await loop.setParameters({ high: null }, 'eva');
    expect(loop.state().overrides).to.deep.equal([]);
    await loop.stop();
  });

  it('have a period that counts from now: an hour that was set by mistake need not be waited out', async () => {
    const world = new World();
    const loop = world.loop();
    await loop.start();
    await loop.setParameters({ period: 3_600_000 }, 'eva');
    await world.clock.advance(60_000);
    const { period, nextPeriodAt, at } = loop.state();
    expect(nextPeriodAt - at).to.be.greaterThan(3_000_000);
    await loop.setParameters({ period: 5_000 }, 'eva');
    await world.clock.advance(4_000);
    expect(loop.state().period).to.equal(period);
    await world.clock.advance(1_500);
    expect(loop.state().period).to.equal(period + 1);
    await world.clock.advance(10_000);
    expect(loop.state().period).to.equal(period + 3);
    await loop.stop();
  });

  it('remember what takes a change back, also after a restart', async () => {
    const world = new World();
    const loop = world.loop({ high: 75 });
    await loop.start();
    await loop.setParameters({ high: 80 }, 'ada');
    await loop.setParameters({ high: 85, low: 20 }, 'bob');
    await loop.stop();
    const again = world.loop({ high: 75 });
    const [last] = again.state().changes;
    expect(last?.before).to.deep.equal({ high: 80, low: null });
    await again.setParameters(last?.before ?? {}, 'ada');
    const { pendingParameters, changes } = again.state();
    expect(pendingParameters).to.include({ high: 80, low: 30 });
    expect(changes[0]?.before, 'once more makes it again').to.deep.equal({ high: 85, low: 20 });
  });

  it('are taken back by nobody who has not seen the last change', () => {
    const last = { at: 7, who: 'eva', patch: { period: 5_000 }, before: { period: null } };
    expect(takenBack(last, undefined)).to.deep.equal({ period: null });
    expect(takenBack(last, 7)).to.deep.equal({ period: null });
    expect(() => takenBack(last, 6)).to.throw('eva has set period=5s meanwhile: look at that before you take it back.');
    expect(() => takenBack(undefined, undefined)).to.throw('There is no change of the settings to take back.');
  });

  it('are kept also when the provider has not answered yet', async () => {
    const world = new World();
    world.provider.moods.list = 'errors';
    const loop = world.loop();
    await loop.start();
    await loop.setParameters({ high: 80 }, 'eva');
    await world.clock.advance(5_000);
    world.provider.moods.list = 'works';
    await world.clock.advance(30_000);
    expect(loop.state().parameters.high).to.equal(80);
    expect(world.saved?.changes).to.deep.equal({ high: 80 });
    await loop.stop();
  });

  it('are dropped with a warning when they contradict the configuration of today', async () => {
    const world = new World();
    world.saved = { entries: [], changes: { low: 60 } };
    const loop = world.loop({ high: 50 });
    await loop.start();
    expect(loop.state().parameters).to.include({ low: 30, high: 50 });
    expect(loop.state().warnings[0]).to.contain('are dropped. low (60) must be below high (50)');
    await loop.stop();
  });

  it('are refused as a whole when they can not hold', async () => {
    const world = new World();
    const loop = world.loop();
    for (const patch of [{ low: 75 }, { low: 20, high: 10 }, { colour: 'red' }]) {
      const error: unknown = await loop.setParameters(patch as ParameterPatch, 'eva').catch((e: unknown) => e);
      expect(error).to.have.property('code', 'CONFIG_INVALID');
    }
    expect(loop.state().changes).to.deep.equal([]);
    expect(world.journal).to.deep.equal([]);
  });
});
