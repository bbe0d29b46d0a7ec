import { expect } from 'chai';
import { ApartSearch, NO_REPOSITORY, type Trouble } from '../../../../src/balance/core/shared-trouble.ts';

const SHARED: Trouble = { why: NO_REPOSITORY, isShared: true };
const OWN: Trouble = { why: 'it refuses connections', isShared: false };

describe('what all VMs stand on', () => {
  let now = 0;
  const search = () => new ApartSearch(1_000, () => now);
  const among = (troubles: Readonly<Record<string, Trouble | undefined>>, one = search()) =>
    one.among(Object.keys(troubles), async (vm) => troubles[vm]);

  it('is the trouble of the VMs that lack it where another has it', async () => {
    expect(await among({ a: SHARED, b: undefined, c: OWN, d: SHARED })).to.deep.equal(['a', 'd']);
  });

  it('is no trouble of theirs where none has it', async () => {
    expect(await among({ a: SHARED, b: SHARED })).to.deep.equal([]);
    expect(await among({ a: SHARED, b: OWN })).to.deep.equal([]);
    expect(await among({ a: SHARED })).to.deep.equal([]);
  });

  it('is asked for by one at a time, and not again at once', async () => {
    const one = search();
    const answer = Promise.withResolvers<Trouble | undefined>();
    const first = one.among(['a', 'b'], (vm) => (vm === 'a' ? answer.promise : Promise.resolve(undefined)));
    now += 5_000;
    expect(await among({ a: SHARED, b: undefined }, one)).to.deep.equal([]);
    answer.resolve(SHARED);
    expect(await first).to.deep.equal(['a']);
    now += 999;
    expect(await among({ a: SHARED, b: undefined }, one)).to.deep.equal([]);
    now += 1;
    expect(await among({ a: SHARED, b: undefined }, one)).to.deep.equal(['a']);
  });

  it('is asked for again after a search that failed', async () => {
    const one = search();
    const failed = one.among(['a', 'b'], () => Promise.reject(new Error('no probe')));
    expect(await failed.catch((error: Error) => error.message)).to.equal('no probe');
    now += 1_000;
    expect(await among({ a: SHARED, b: undefined }, one)).to.deep.equal(['a']);
  });
});
