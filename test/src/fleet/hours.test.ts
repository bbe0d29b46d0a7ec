import { expect } from 'chai';
import { isQuiet } from '../../../src/fleet/hours.ts';

describe('quiet hours', () => {
  const at = (hours: string, time: string) => isQuiet(hours, Date.parse(`2026-03-01T${time}Z`));

  it('begin with their first minute and end before their last', () => {
    expect(at('08:00-18:00', '07:59:59')).to.equal(false);
    expect(at('08:00-18:00', '08:00:00')).to.equal(true);
    expect(at('08:00-18:00', '17:59:59')).to.equal(true);
    expect(at('08:00-18:00', '18:00:00')).to.equal(false);
  });

  it('may go over midnight, and need not be', () => {
    expect(['21:59', '22:00', '05:59', '06:00'].map((time) => at('22:00-06:00', `${time}:00`))).to.deep.equal([
      ...[false, true, true, false],
    ]);
    expect(at('', '12:00:00')).to.equal(false);
  });
});
