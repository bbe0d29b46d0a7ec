import { expect } from 'chai';
import { decodeChanges, parseAssignments } from '../../../src/config/changes.ts';

describe('changes of a running manager', () => {
  const decoded = (...assignments: string[]) => decodeChanges(parseAssignments(assignments));

  it('are read with their units', () => {
    expect(decoded('high=80', 'period=5s', 'noFlap=true', 'policy=eliot', 'min=null')).to.deep.equal({
      high: 80,
      period: 5000,
      noFlap: true,
      policy: 'eliot',
      min: null,
    });
    expect(decoded('policyParameters={"capacity": 50}')).to.deep.equal({ policyParameters: { capacity: 50 } });
  });

  it('may have durations in ms, as the API shows them', () => {
    expect(decodeChanges({ period: 5000 })).to.deep.equal({ period: 5000 });
  });

  for (const [wrong, sentence] of [
    ['high', /name=value/],
    ['hihg=80', /no setting hihg; there are: .*high/],
    ['period=soon', /period: a duration such as/],
    ['policy=magic', /policy: expected one of/],
    ['policyParameters={x', /no JSON object/],
    ['__proto__=1', /no setting __proto__/],
  ] as const) {
    it(`are refused in one sentence: ${wrong}`, () => {
      expect(() => decoded(wrong)).to.throw(sentence);
    });
  }
});
