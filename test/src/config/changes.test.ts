import { expect } from 'chai';
import { decodeChanges, parseAssignments } from '../../../src/config/changes.ts';
import { DEFAULT_PARAMETERS } from '../../../src/decide/parameters.ts';

describe('changes of a running manager', () => {
  const nearer = { ...DEFAULT_PARAMETERS, policyParameters: { nearness: 10 } };
  const decoded = (...assignments: string[]) => decodeChanges(parseAssignments(assignments), nearer);

  it('are read with their units', () => {
    expect(decoded('high=80', 'period=5s', 'noFlap=true', 'min=null')).to.deep.equal({
      high: 80,
      period: 5000,
      noFlap: true,
      min: null,
    });
  });

  it("replace a policy's own parameters, or one of them", () => {
    expect(decoded('policyParameters={"preset": "paper-literal"}')).to.deep.equal({
      policyParameters: { preset: 'paper-literal' },
    });
    expect(decoded('policyParameters.preset=paper-literal')).to.deep.equal({
      policyParameters: { nearness: 10, preset: 'paper-literal' },
    });
    expect(decoded('policyParameters.nearness=null')).to.deep.equal({ policyParameters: {} });
    expect(decoded('policyParameters=null')).to.deep.equal({ policyParameters: null });
  });

  it("let another policy begin with its own defaults, as it doesn't know the other's", () => {
    expect(decoded('policy=hpa')).to.deep.equal({ policy: 'hpa', policyParameters: {} });
    expect(decoded('policy=hpa', 'policyParameters.every=30s')).to.deep.equal({
      policy: 'hpa',
      policyParameters: { every: 30_000 },
    });
    expect(decoded('policy=null')).to.deep.equal({ policy: null, policyParameters: null });
    expect(decoded('policy=mmeliot')).to.deep.equal({ policy: 'mmeliot' });
  });

  for (const [wrong, sentence] of [
    ['high', /name=value/],
    ['hihg=80', /^there is no setting hihg; did you mean high\?$/],
    ['weather=fine', /no setting weather; there are: policy, .*high/],
    ['preset=paper-literal', /preset is a parameter of the policy mmeliot itself; write policyParameters\.preset\.$/],
    ['period=soon', /period is "soon": a duration such as/],
    ['period=5', /^period is 5: it has no unit; did you mean 5s\?$/],
    ['period=5000', /^period is 5000: it has no unit; did you mean 5s\?$/],
    ['policyParameters.nearness=near', /policyParameters\.nearness is "near": a number from 0 to 100/],
    ['policyParameters.capacity=70', /policyParameters\.capacity is unknown to mmeliot/],
    ['policyParameters=5', /names with values/],
    ['policyParameters={x', /neither a text nor/],
    ['__proto__=1', /no setting __proto__/],
  ] as const) {
    it(`are refused in one sentence: ${wrong}`, () => {
      expect(() => decoded(wrong)).to.throw(sentence);
    });
  }
});
