import { expect } from 'chai';
import { fitWarming, scatterOf } from '../../../loadgen/report/vm-speed.ts';
import { speedAfter, type Warming } from '../../../src/simulate/simulate.ts';

/** What a VM of 80 requests a second answers in its first minute; every other second it is somewhat slower. */
function minuteOf(warming: Warming | undefined, noise: number) {
  let served = 0;
  return Array.from({ length: 60 }, (_, second) => {
    let answered = 0;
    for (let i = 0; i < 100; i++) answered += 0.8 * (1 - noise * (second % 2)) * speedAfter(served + answered, warming);
    served += answered;
    return { answered, ms: 1000 };
  });
}

describe('the speed of a VM', () => {
  it('is found to rise in its first minute', () => {
    for (const [speed, requests] of [
      [0.5, 1000],
      [0.3, 600],
      [0.7, 2000],
    ] as const) {
      const found = fitWarming(minuteOf({ speed, requests }, 0), 80);
      expect(found?.speed, `${speed} until ${requests}`).to.be.closeTo(speed, 0.05);
      expect(found?.requests, `${speed} until ${requests}`).to.be.within(0.85 * requests, 1.15 * requests);
    }
  });

  it('is found to rise in noise, too', () => {
    const found = fitWarming(minuteOf({ speed: 0.5, requests: 1000 }, 0.1), 76);
    expect(found?.speed).to.be.closeTo(0.5, 0.1);
    expect(found?.requests).to.be.within(600, 1400);
  });

  it('does not rise where the VM was warm already, and where nothing was measured', () => {
    expect(fitWarming(minuteOf(undefined, 0.05), 80)).to.equal(undefined);
    expect(fitWarming([], 80)).to.equal(undefined);
  });

  it('varies from second to second', () => {
    expect(scatterOf([90, 100, 110].map((answered) => ({ answered, ms: 1000 })))).to.equal(0.1);
    expect(
      scatterOf([
        { answered: 9, ms: 1000 },
        { answered: 10, ms: 1000 },
        { answered: 1, ms: 20 },
      ]),
    ).to.equal(0.07);
    expect(scatterOf([{ answered: 9, ms: 1000 }])).to.equal(0);
  });
});
