import { expect } from 'chai';
import { classify, type JobOrigin } from '../../../epcis/service/jobs-classes.ts';
import { inTurns } from '../../../epcis/service/jobs-turns.ts';

const from = (client: string): JobOrigin => ({ path: '/capture', client, header: () => undefined });

describe('turns of clients with their jobs', () => {
  let now = 0;
  beforeEach(() => (now = 5_000));
  const turns = () =>
    inTurns(classify([{ name: 'a' }, { name: 'b', rules: [{ bytes: 1_000_000 }] }], 1_000), () => now);

  it('puts what one stores off behind what it stored before, and nobody else', () => {
    const place = turns();
    const waits = Array.from({ length: 1_000 }, () => place(from('many'), 0).wait);
    expect(waits.slice(0, 3)).to.deep.equal([0, 100, 200]);
    expect(waits.at(-1)).to.equal(99_900);
    now += 2_000;
    expect(place(from('other'), 0)).to.deep.equal({ name: 'a', wait: 0 });
    // from when they were stored
    expect(place(from('many'), 0).wait).to.equal(98_000);
  });

  it('counts what is large as more, and adds to what its class waits for', () => {
    const place = turns();
    expect(place(from('large'), 2_000_000)).to.deep.equal({ name: 'b', wait: 1_000 });
    expect(place(from('large'), 0)).to.deep.equal({ name: 'a', wait: 2_100 });
    expect(place(undefined, 0).wait).to.equal(0);
  });

  it('puts nothing off for more than five minutes, and forgets what is paid off', () => {
    const place = turns();
    for (let i = 0; i < 10; i++) place(from('large'), 100_000_000);
    expect(place(from('large'), 0).wait).to.equal(300_000);
    now += 300_001;
    expect(place(from('large'), 0).wait).to.equal(0);
  });

  it('knows no more than ten thousand of them', () => {
    const place = turns();
    for (let i = 0; i < 3; i++) place(from('first'), 0);
    for (let i = 0; i < 10_000; i++) place(from(`${i}`), 0);
    expect(place(from('first'), 0).wait).to.equal(0);
    expect(place(from('9999'), 0).wait).to.equal(100);
  });
});
