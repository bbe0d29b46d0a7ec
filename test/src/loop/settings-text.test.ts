import { expect } from 'chai';
import { changeText, shown } from '../../../src/loop/settings-text.ts';

describe('settings in words', () => {
  it('say values as people write them, those of a policy too', () => {
    expect(shown('period', 90_000)).to.equal('90s');
    expect(shown('calendar', ['mon 08:00-09:00 min=2'])).to.equal('["mon 08:00-09:00 min=2"]');
    expect(shown('policyParameters', { every: 15_000, target: 60 })).to.equal('{"every":"15s","target":60}');
  });

  it('say a change as it could be typed', () => {
    expect(changeText({ high: 80, period: 5_000, low: null })).to.equal('high=80 period=5s low=as configured');
    expect(changeText({ policy: 'hpa', policyParameters: {} })).to.equal('policy=hpa');
    expect(changeText({ policy: 'hpa', policyParameters: { every: 15_000 } })).to.equal(
      'policy=hpa policyParameters.every=15s',
    );
    expect(changeText({ policyParameters: {} })).to.equal('policyParameters={}');
    expect(changeText({ policyParameters: null })).to.equal('policyParameters=as configured');
  });
});
