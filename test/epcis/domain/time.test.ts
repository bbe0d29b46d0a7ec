import { expect } from 'chai';
import fc from 'fast-check';
import { isOffset, offsetMinutes, parseTime, utcMilliseconds, withoutHour24 } from '../../../epcis/domain/time.ts';

describe('EPCIS times', () => {
  it('are instants, with the offset they were written with', () => {
    expect(parseTime('2030-05-06T07:08:09.1234567+02:00')).to.deep.equal({
      ms: Date.UTC(2030, 4, 6, 5, 8, 9, 123),
      offset: '+02:00',
      fraction: '1234567',
    });
    const digits = '1234567890'.repeat(5);
    expect(parseTime(`2030-05-06T07:08:09.${digits}Z`)?.fraction, 'of any precision').to.equal(digits);
    expect(parseTime('2030-05-06T24:00:00Z')?.ms).to.equal(Date.UTC(2030, 4, 7));
    expect(parseTime('0099-03-01T00:00:00Z')?.ms).to.equal(Date.parse('0099-03-01T00:00:00Z'));
  });

  it('must exist', () => {
    for (const text of [
      '2030-02-29T00:00:00Z',
      '2030-13-01T00:00:00Z',
      '2030-01-01T25:00:00Z',
      '2030-01-01T24:00:01Z',
      '2030-01-01T00:60:00Z',
      '2030-01-01T00:00:60Z',
      '2030-01-01T00:00:00+14:01',
      '2030-01-01T00:00:00',
      '2030-01-01 00:00:00Z',
      '2030-01-01',
      '2030-1-1T0:0:0Z',
      'now',
      '',
    ]) {
      expect(parseTime(text), text).to.equal(undefined);
    }
    expect(parseTime('2030-01-01T00:00:00', 'optional')?.offset).to.equal(undefined);
  });

  it('round by the fourth digit in UTC', () => {
    const utc = (text: string): string => utcMilliseconds(parseTime(text) ?? expect.fail(text));
    expect(utc('2030-01-01T00:00:00.1234+01:00')).to.equal('2029-12-31T23:00:00.123Z');
    expect(utc('2030-01-01T00:00:00.1235Z')).to.equal('2030-01-01T00:00:00.124Z');
    expect(utc('2029-12-31T23:59:59.9995Z')).to.equal('2030-01-01T00:00:00.000Z');
  });

  it('of hour 24 are the first ones of the next day', () => {
    for (const [text, same] of [
      ['2030-12-31T24:00:00Z', '2031-01-01T00:00:00Z'],
      ['2028-02-28T24:00:00.000-05:00', '2028-02-29T00:00:00.000-05:00'],
      ['0099-02-28T24:00:00Z', '0099-03-01T00:00:00Z'],
      ['2030-05-06T07:24:00Z', '2030-05-06T07:24:00Z'],
      ['9999-12-31T24:00:00Z', '9999-12-31T24:00:00Z'],
    ] as const) {
      expect(withoutHour24(text)).to.equal(same);
      expect(parseTime(text)?.ms).to.equal(parseTime(same)?.ms);
    }
  });

  it('know offsets', () => {
    expect(offsetMinutes('-06:30')).to.equal(-390);
    expect(isOffset('+14:00')).to.equal(true);
    for (const text of ['+14:30', 'Z', '+2:00', '02:00']) expect(isOffset(text), text).to.equal(false);
  });

  it('property: agree with the engine on every date', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
        (date) => {
          expect(parseTime(date.toISOString())?.ms).to.equal(date.getTime());
        },
      ),
    );
  });
});
