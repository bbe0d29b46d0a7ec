import { expect } from 'chai';
import { DEFAULT_PARAMETERS } from '../../../src/decide/parameters.ts';
import { validateParameters } from '../../../src/decide/validate.ts';
import { isQuiet } from '../../../src/fleet/hours.ts';
import { quietErrors } from '../../../src/fleet/settings.ts';

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

  it('are those of a time zone and of days, where they name them; an hour that occurs twice is quiet twice', () => {
    const quiet = (hours: string, when: string) => isQuiet(hours, Date.parse(when));
    expect(quiet('08:00-18:00 Europe/Athens', '2026-01-05T06:00:00Z')).to.equal(true); // 08:00 there
    expect(quiet('08:00-18:00 Europe/Athens', '2026-07-06T05:00:00Z')).to.equal(true); // in summer
    expect(quiet('08:00-18:00 Europe/Athens', '2026-01-05T05:00:00Z')).to.equal(false);
    expect(quiet('mon-fri 08:00-18:00', '2026-01-04T12:00:00Z')).to.equal(false); // a Sunday
    for (const hour of ['00', '01'])
      expect(quiet('03:00-04:00 Europe/Athens', `2026-10-25T${hour}:30:00Z`)).to.equal(true);
    expect(quiet('03:00-04:00 Europe/Athens', '2026-10-25T02:30:00Z')).to.equal(false);
  });

  it('are refused in a sentence where they are none', () => {
    const errors = (quietHours: string) => quietErrors({ quietHours });
    for (const good of ['', '08:00-18:00', 'sat,sun 00:00-24:00 Asia/Tokyo']) expect(errors(good)).to.deep.equal([]);
    expect(errors('noon')).to.deep.equal([
      'quietHours: in "noon" "noon" is neither hours, nor days, nor a time zone, nor a bound; they are written like mon-fri 08:00-18:00 Europe/Athens.',
    ]);
    for (const bad of ['8-18', 'mon-fri', '08:00-18:00 Europe/Atlantis', '08:00-18:00 min=2', '25:00-26:00'])
      expect(errors(bad), bad).to.have.length(1);
    const parameters = { ...DEFAULT_PARAMETERS, quietHours: 'noon' };
    expect(validateParameters(parameters).errors.join()).to.include('quietHours: in "noon"');
  });
});
