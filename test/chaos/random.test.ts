import { expect } from 'chai';
import { scheduleOf, type Round } from './random.ts';

describe('faults at random moments', () => {
  function firstRounds(seed: number): Round[] {
    const rounds = scheduleOf(seed).rounds();
    return Array.from({ length: 20 }, () => rounds.next().value.round);
  }
  const told = (seed: number) => [
    scheduleOf(seed).world,
    firstRounds(seed).map((round) => round.map(({ after, fault }) => [after, fault.name])),
  ];

  it('are the same for the same seed, and others for another', () => {
    expect(told(7)).to.deep.equal(told(7));
    expect(told(7)).to.not.deep.equal(told(8));
  });

  it('overlap by two or three, none with another of its own part, and break only what the system has', () => {
    for (let seed = 0; seed < 50; seed++) {
      const { world } = scheduleOf(seed);
      for (const round of firstRounds(seed)) {
        expect(round.length).to.be.within(2, 3);
        expect(new Set(round.map(({ part }) => part))).to.have.property('size', round.length);
        for (const { fault } of round) expect({ ...world, ...fault.world }).to.deep.equal(world);
      }
    }
  });
});
