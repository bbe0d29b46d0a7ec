import { expect } from 'chai';
import { SetBack } from '../../../epcis/work/set-back.ts';

describe('a clock that somebody may set', () => {
  it('was set back where less of it has passed than of one that nobody sets', () => {
    let passed = 0;
    const clock = new SetBack(() => passed);
    const asked = (elapsed: number, time: number): boolean => {
      passed = elapsed;
      return clock.since(time);
    };
    expect(asked(0, 1_000_000), 'nobody knows what was before').to.equal(true);
    expect(asked(10_000, 1_010_000)).to.equal(false);
    expect(asked(20_000, 1_019_900), 'what looking at it takes').to.equal(false);
    expect(asked(30_000, 4_629_900), 'set forward').to.equal(false);
    expect(asked(40_000, 1_039_900), 'and back').to.equal(true);
    expect(asked(50_000, 1_049_900)).to.equal(false);
  });
});
