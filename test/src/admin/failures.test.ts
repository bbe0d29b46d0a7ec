import { expect } from 'chai';
import { Failures } from '../../../src/admin/failures.ts';

describe('wrong tokens', () => {
  it('are answered later and later, those of another address at once; after a quarter of an hour all is forgotten', () => {
    const failures = new Failures();
    const waits = Array.from({ length: 11 }, () => {
      const wait = failures.add('1.2.3.4', 0);
      failures.answered('1.2.3.4');
      return wait;
    });
    expect(waits).to.deep.equal([0, 0, 0, 100, 200, 400, 800, 1600, 3200, 5000, 5000]);
    expect(failures.add('1.2.3.5', 0)).to.equal(0);
    expect(failures.add('1.2.3.4', 15 * 60_000 + 1)).to.equal(0);
  });

  it('are those of one who has a network of IPv6, from whichever of its addresses they come', () => {
    const failures = new Failures();
    for (let i = 0; i < 10; i++) failures.add(`2001:db8::${i}`, 0);
    expect([failures.tooMany('2001:db8::ffff'), failures.tooMany('2001:db9::1')]).to.deep.equal([true, false]);
    expect(failures.add('2001:db8::a', 0)).to.equal(5000);
  });

  it('are not looked at while ten of that address wait for their answers', () => {
    const failures = new Failures();
    for (let i = 0; i < 10; i++) {
      expect(failures.tooMany('a')).to.equal(false);
      failures.add('a', 0);
    }
    expect([failures.tooMany('a'), failures.tooMany('b')]).to.deep.equal([true, false]);
    failures.answered('a');
    expect(failures.tooMany('a')).to.equal(false);
  });
});
