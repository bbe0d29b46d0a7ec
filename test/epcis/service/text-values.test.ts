import { expect } from 'chai';
import { comparableText, numberOf, timeOf } from '../../../epcis/service/text-values.ts';

describe('values of extension fields', () => {
  it('are compared without the white space around them, as numbers, times and text alike', () => {
    for (const [written, compared] of [
      [' 7 ', '7'],
      ['\n7.0\t', '7'],
      [' two  words\n', 'two  words'],
      [' 2024-01-01T01:00:00+01:00 ', comparableText('2024-01-01T00:00:00Z')],
      [`${'long '.repeat(20)} `, 'long '.repeat(20).trimEnd()],
      // other spaces are part of it
      ['\u00a07', '\u00a07'],
      ['007', '007'],
    ] as const)
      expect(comparableText(written), JSON.stringify(written)).to.equal(compared);
    expect(numberOf(' 7 ')).to.equal(7);
    expect(timeOf(' 1970-01-01T00:00:01Z ')).to.equal(1_000_000);
  });
});
