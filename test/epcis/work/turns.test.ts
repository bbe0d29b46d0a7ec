import { expect } from 'chai';
import fc from 'fast-check';
import { Turns } from '../../../epcis/work/turns.ts';

/** Whether the pass is over by now, without waiting for any time. */
async function isThrough(pass: Promise<void>): Promise<boolean> {
  let through = false;
  void pass.then(() => (through = true));
  for (let n = 0; n < 20; n++) await Promise.resolve();
  return through;
}

describe('whose turn it is', () => {
  it('lets as many go on as there are places, the first in turn', () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.nat(20), { maxLength: 8 }),
        async (places, turns) => {
          const all = new Turns(places);
          const taken = turns.map((turn) => ({ turn, place: all.take(turn) }));
          const end = new AbortController();
          for (let left = [...taken]; left.length > 0;) {
            const going = await Promise.all(left.map(({ place }) => isThrough(place.pass(Infinity, end.signal))));
            expect(going.filter(Boolean).length).to.equal(Math.min(places, left.length));
            const slowest = Math.max(...left.filter((_, n) => going[n]).map(({ turn }) => turn));
            for (const { turn } of left.filter((_, n) => !going[n])) expect(turn).to.be.at.least(slowest);
            left[0]?.place.leave();
            left = left.slice(1);
          }
          end.abort();
        },
      ),
      { numRuns: 50 },
    ));

  it('has one that paused go on when another leaves', async () => {
    const turns = new Turns(1);
    const bulk = turns.take(300);
    const urgent = turns.take(5);
    const paused = bulk.pass(Infinity);
    expect(await isThrough(paused)).to.equal(false);
    expect(await isThrough(urgent.pass(Infinity))).to.equal(true);
    urgent.leave();
    await paused;
  });

  it('ends a pause at the signal, and after the longest', async () => {
    const turns = new Turns(1);
    const bulk = turns.take(300);
    turns.take(5);
    await bulk.pass(0);
    await bulk.pass(20);
    await bulk.pass(20); // the time is used up
    const end = new AbortController();
    const paused = bulk.pass(Infinity, end.signal);
    expect(await isThrough(paused)).to.equal(false);
    end.abort();
    await paused;
  });

  it('may be overtaken only by an earlier turn than one that goes on, and by as many as there are places', () => {
    const turns = new Turns(2);
    expect(turns.overtaking).to.equal(undefined);
    turns.take(10);
    expect(turns.overtaking).to.equal(undefined);
    turns.take(20);
    expect(turns.overtaking).to.equal(20);
    turns.take(5);
    expect(turns.overtaking).to.equal(10);
    turns.take(6);
    expect(turns.overtaking).to.equal(undefined);
  });
});
