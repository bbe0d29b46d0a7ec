import { expect } from 'chai';
import { kept } from '../../../epcis/domain/kept.ts';

describe('what is kept', () => {
  it('is made once, but of a long text each time, and forgotten before there is too much of it', () => {
    const made: string[] = [];
    const upper = kept((text) => (made.push(text), text.toUpperCase()));
    const long = 'x'.repeat(201);
    for (const text of ['a', 'b', 'a', long, long]) expect(upper(text)).to.equal(text.toUpperCase());
    expect(made).to.deep.equal(['a', 'b', long, long]);
    for (let n = 0; n < 20_000; n += 1) upper(String(n));
    made.length = 0;
    expect(upper('a')).to.equal('A');
    expect(made).to.deep.equal(['a']);
  });
});
