import { expect } from 'chai';
import { decodeEntry, encodeEntry } from '../../../src/loop/journal.ts';
import { replay } from '../../../src/loop/replay.ts';
import { conditionsOf } from '../../../src/loop/conditions.ts';
import { NO_TRAFFIC, World } from '../../helpers/world.ts';

const MINUTE = 60_000;

describe('a calendar in the loop', () => {
  let world: World;
  let start: Date;
  beforeEach(() => {
    world = new World();
    world.cpu = () => 5; // the policy alone would keep one VM
    start = new Date(world.clock.now());
  });
  /** `HH:MM`, so many minutes after the start. */
  const clock = (minutes: number) => new Date(start.getTime() + minutes * MINUTE).toISOString().slice(11, 16);
  const between = (from: number, to: number) => `${clock(from)}-${clock(to)}`;

  it('fills the minimum as soon as a window begins, and lets them go when it has ended', async () => {
    const loop = world.loop({ calendar: [`${between(10, 30)} min=3`] });
    await loop.start();
    await world.clock.advance(9 * MINUTE);
    expect(world.gateway.serving.size).to.equal(1);
    await world.clock.advance(2 * MINUTE);
    expect(world.gateway.serving.size).to.equal(3);
    await world.clock.advance(17 * MINUTE);
    expect(world.gateway.serving.size, 'the load alone would not keep them').to.equal(3);
    await world.clock.advance(5 * MINUTE);
    expect(world.gateway.serving.size).to.equal(1);
    await loop.stop();
  });

  it('keeps to the maximum of a window, gives reasons that name it, and the condition says what comes', async () => {
    world.cpu = () => 95;
    const loop = world.loop({ calendar: [`${between(10, 20)} UTC max=2`] });
    await loop.start();
    await world.clock.advance(9 * MINUTE);
    expect(world.gateway.serving.size).to.equal(4);
    await world.clock.advance(5 * MINUTE);
    expect(world.gateway.serving.size).to.equal(2);
    const released = loop.records(100).find(({ decision }) => decision.action === 'release');
    expect(released?.decision.reason).to.match(/more than the maximum of 2 \(calendar: \d\d:\d\d-\d\d:\d\d UTC\)\./);
    const facts = { loop: loop.state(), gatewayVms: [], traffic: NO_TRAFFIC, queueCapacity: 0 };
    const conditions = new Map(conditionsOf(facts).map((one) => [one.name, one]));
    expect(conditions.get('calendar')?.reason).to.match(/^The calendar's window .* holds until .*: 1 to 2 VMs/);
    expect(conditions.get('room')?.reason).to.contain('2 of at most 2 VMs');
    expect(conditions.get('room')?.remedy).to.contain("Raise max in the calendar's window");
    await world.clock.advance(11 * MINUTE);
    expect(world.gateway.serving.size).to.equal(4);
    await loop.stop();
  });

  it('is replayed exactly, also over a restart and a change of it', async () => {
    const first = world.loop({ calendar: [`${between(5, 15)} min=2 max=3`] });
    await first.start();
    await world.clock.advance(10 * MINUTE);
    await first.setParameters({ calendar: [`${between(12, 40)} min=3`] }, 'ada');
    await world.clock.advance(5 * MINUTE);
    await first.stop();
    const second = world.loop({ calendar: [`${between(5, 15)} min=2 max=3`] });
    await second.start();
    await world.clock.advance(30 * MINUTE);
    expect(second.state().parameters.calendar, 'a change holds over restarts').to.deep.equal([
      `${between(12, 40)} min=3`,
    ]);
    await second.stop();
    const entries = world.journal
      .map((entry) => decodeEntry(encodeEntry(entry)))
      .filter((entry) => entry !== undefined);
    const periods = replay(entries);
    expect(periods.length).to.be.above(200);
    expect(periods.filter(({ same }) => !same)).to.deep.equal([]);
    expect(replay(entries, { calendar: [] }).filter(({ otherwise }) => otherwise)).to.not.be.empty;
  });

  it('is absent from journals of before, and nothing is scheduled there', () => {
    const line = JSON.stringify({
      kind: 'settings',
      at: 0,
      parameters: { policy: 'mmeliot', min: 1, max: 4 },
      history: [],
    });
    const entry = decodeEntry(line);
    expect(entry?.kind === 'settings' && entry.parameters.calendar).to.deep.equal([]);
  });
});
