import { expect } from 'chai';
import fc from 'fast-check';
import { expectedRate, remembered } from '../../../../src/decide/adaptive/forecast.ts';
import { fitted, noFit, solved, withPair } from '../../../../src/decide/adaptive/least-squares.ts';
import { learn, noMemory, type Memory } from '../../../../src/decide/adaptive/memory.ts';
import { noProfile, rise, withLevel } from '../../../../src/decide/adaptive/profile.ts';
import { createChance } from '../../../../src/simulate/chance.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const AHEAD = 70_000;
const period = (at: number, arrivalRate: number) => ({ at, arrivalRate, vms: 1, ready: 1, concurrency: 0 });

function lived(rateAt: (t: number) => number, span: number, every = 10_000): Memory {
  let memory = noMemory(0, rateAt(0), 6);
  for (let at = every; at <= span; at += every) memory = learn(memory, period(at, rateAt(at)), AHEAD);
  return memory;
}

const expected = (memory: Memory, rate: number): number => expectedRate(memory, rate, 10_000, AHEAD);

describe("adaptive's linear model", () => {
  it('finds the weights that the past had, and none from nothing', () => {
    const chance = createChance(2);
    let fit = noFit(2);
    expect(fitted(solved(fit), [1, 1])).to.equal(0);
    for (let i = 0; i < 2000; i++) {
      const x = [chance.uniform() - 0.5, chance.uniform() - 0.5];
      fit = withPair(fit, x, 0.8 * (x[0] ?? 0) - 0.3 * (x[1] ?? 0), 1, 1);
    }
    const [first = 0, second = 0] = solved(fit).weights;
    expect(first).to.be.closeTo(0.8, 0.05);
    expect(second).to.be.closeTo(-0.3, 0.05);
  });
});

describe("adaptive's profile of a day", () => {
  it('knows a rise from the second day on', () => {
    let day = noProfile(1_440);
    const level = (at: number): number => Math.floor(at / HOUR) % 24;
    for (let at = MINUTE; at <= 24 * HOUR; at += MINUTE) {
      if (at === 12 * HOUR) expect(rise(day, at, at + HOUR, 2)).to.equal(0);
      day = withLevel(day, at - MINUTE, at, level(at - MINUTE));
    }
    expect(rise(day, 30.5 * HOUR, 31.5 * HOUR, 2)).to.be.closeTo(1, 1e-9);
  });
});

describe('what adaptive remembers of days', () => {
  it('expects a steady load to stay', () => {
    const memory = lived(() => 50, 6 * HOUR);
    expect(expected(memory, 50)).to.be.closeTo(50, 1);
  });

  it('expects a load that goes up and down each hour to go up when it does', () => {
    const wave = (t: number): number => 60 + 50 * Math.sin((t / HOUR) * 2 * Math.PI);
    const memory = lived(wave, 12 * HOUR);
    expect(expected(memory, wave(12 * HOUR))).to.be.closeTo(wave(12 * HOUR + 70_000), 2);
  });

  it('stays as small as it is, whatever comes, and is the same from a journal', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ gap: fc.integer({ min: 1, max: 400_000 }), rate: fc.integer({ min: 0, max: 100_000 }) }), {
          minLength: 1,
          maxLength: 120,
        }),
        (periods) => {
          let memory = noMemory(0, 1, 6);
          let read = memory;
          let at = 0;
          for (const { gap, rate } of periods) {
            at += gap;
            memory = learn(memory, period(at, rate), AHEAD);
            read = JSON.parse(JSON.stringify(learn(read, period(at, rate), AHEAD))) as Memory;
          }
          expect(read).to.deep.equal(JSON.parse(JSON.stringify(memory)));
          expect(JSON.stringify(memory)).not.to.match(/:null|NaN/);
          expect(memory.expected.length).to.be.at.most(42);
        },
      ),
      { numRuns: 30 },
    );
    expect(JSON.stringify(lived((t) => 50 + (t % 7_000) / 100, 30 * HOUR)).length).to.be.lessThan(80_000);
  });

  it('begins anew with what it cannot read', () => {
    const past = { ...period(0, 10), learned: { version: 1, anything: true } };
    expect(remembered(past, period(10_000, 10), AHEAD, () => 20)?.since).to.equal(10_000);
    expect(remembered(past, period(10_000, 10), AHEAD, () => undefined)).to.equal(undefined);
  });
});
