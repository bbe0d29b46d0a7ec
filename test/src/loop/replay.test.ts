import { expect } from 'chai';
import type { ElasticityParameters, PolicyName } from '../../../src/decide/parameters.ts';
import { policies } from '../../../src/decide/policies/index.ts';
import { decodeEntry, encodeEntry } from '../../../src/loop/journal.ts';
import { replay } from '../../../src/loop/replay.ts';
import { NO_TRAFFIC, World } from '../../helpers/world.ts';

/** A load that comes and goes, and response times that follow it. */
async function recorded(policy: PolicyName): Promise<World> {
  const world = new World();
  const started = world.clock.now();
  const load = () => 110 + 100 * Math.sin((world.clock.now() - started) / 120_000);
  world.cpu = () => Math.min(100, load() / Math.max(1, world.gateway.serving.size));
  world.responseTimes = () => new Map([...world.gateway.serving.keys()].map((vm) => [vm, 20 + load()]));
  world.traffic = () => {
    const rate = load() / 2;
    return {
      ...NO_TRAFFIC,
      inFlight: Math.round(load()),
      arrivalRate: rate,
      throughput: rate,
      responseTime: 20 + load(),
    };
  };
  world.backlog = () => ({ jobs: Math.round(load() / 40), events: Math.round(load() * 100), age: 0, rate: 50 });
  // a VM of this world has few requests at once
  const settings: Partial<ElasticityParameters> = {
    policy,
    ...(policy === 'kpa' && { policyParameters: { limit: 2 } }),
  };
  const loop = world.loop(settings);
  await loop.start();
  await world.clock.advance(900_000);
  await loop.setParameters({ high: 75 }, 'a test');
  await world.clock.advance(600_000);
  await loop.stop();
  const again = world.loop(settings);
  await again.start();
  await world.clock.advance(600_000);
  await again.stop();
  return world;
}

const throughDisk = (world: World) =>
  world.journal.map((entry) => decodeEntry(encodeEntry(entry))).filter((entry) => entry !== undefined);

describe('replay', () => {
  for (const policy of Object.keys(policies) as PolicyName[])
    it(`reproduces the decisions of ${policy} exactly, over a change of settings and a restart`, async () => {
      const world = await recorded(policy);
      const periods = replay(throughDisk(world));
      expect(periods.length).to.be.greaterThan(200);
      expect(periods.filter(({ same }) => !same)).to.deep.equal([]);
      expect(new Set(periods.map(({ recorded }) => recorded.action)).size).to.be.greaterThan(1);
    });

  it('shows where another setting would have decided differently', async () => {
    const world = await recorded('eliot');
    const periods = replay(throughDisk(world), { high: 95 });
    const different = periods.filter(({ same }) => !same);
    expect(different).to.not.be.empty;
    expect(
      different.some(({ recorded, replayed }) => recorded.action === 'allocate' && replayed.action === 'hold'),
    ).to.equal(true);
  });

  it('tells another action from the same one after other comparisons', async () => {
    const periods = replay(throughDisk(await recorded('mmeliot')), { high: 80 });
    const changed = periods.filter((period) => period.otherwise);
    expect(changed).to.not.be.empty;
    for (const { recorded: before, replayed: now } of changed) {
      expect([now.action, now.count, now.vms]).to.not.deep.equal([before.action, before.count, before.vms]);
    }
    const holds = periods.filter(({ same, otherwise }) => !same && !otherwise);
    expect(holds, 'other bounds, the same action').to.not.be.empty;
    for (const { recorded: before, replayed: now } of holds) expect(now.action).to.equal(before.action);
  });

  it('begins in the middle of a journal as well, at any file head', async () => {
    const world = await recorded('hpa');
    const entries = throughDisk(world);
    const head = entries.findLastIndex((entry) => entry.kind === 'settings');
    const periods = replay(entries.slice(head));
    expect(periods.length).to.be.greaterThan(50);
    expect(periods.every(({ same }) => same)).to.equal(true);
  });
});

describe('a journal line', () => {
  it('that is torn or something else is none', () => {
    for (const line of ['', '{"kind":"per', 'null', '5', '{"kind":"else"}', '{}', '{"kind":"step","at":1e999}'])
      expect(decodeEntry(line)).to.equal(undefined);
  });
});
