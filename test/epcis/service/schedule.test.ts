import { expect } from 'chai';
import fc from 'fast-check';
import { EpcisException } from '../../../epcis/domain/exceptions.ts';
import { nextRun, parseSchedule, type ScheduleFields } from '../../../epcis/service/schedule.ts';

const at = (iso: string): number => Date.parse(iso);
const next = (fields: ScheduleFields, after: string): string | undefined => {
  const time = nextRun(parseSchedule(fields), at(after));
  return time === undefined ? undefined : new Date(time).toISOString();
};

describe('schedule', () => {
  it('runs at the listed seconds of every minute', () => {
    expect(next({ second: '0,10,20' }, '2026-01-01T00:00:00Z')).to.equal('2026-01-01T00:00:10.000Z');
    expect(next({ second: '0,10,20' }, '2026-01-01T00:00:20Z')).to.equal('2026-01-01T00:01:00.000Z');
    expect(next({ second: '0,10,20' }, '2026-01-01T00:00:19.999Z')).to.equal('2026-01-01T00:00:20.000Z');
  });

  it('takes ranges, lists of ranges and steps', () => {
    expect(next({ second: '0', minute: '[5-6],30' }, '2026-01-01T00:06:00Z')).to.equal('2026-01-01T00:30:00.000Z');
    expect(next({ second: '0/30' }, '2026-01-01T00:00:01Z')).to.equal('2026-01-01T00:00:30.000Z');
  });

  it('runs once when only coarser fields are given', () => {
    expect(next({ hour: '1', minute: '5' }, '2026-01-01T01:05:00Z')).to.equal('2026-01-02T01:05:00.000Z');
    expect(next({ dayOfWeek: '1' }, '2026-11-18T12:00:00Z')).to.equal('2026-11-23T00:00:00.000Z');
  });

  it('counts Sunday as 7 and joins dayOfMonth and dayOfWeek by and', () => {
    expect(next({ hour: '0', dayOfWeek: '7' }, '2026-11-18T00:00:00Z')).to.equal('2026-11-22T00:00:00.000Z');
    const friday13 = { hour: '0', dayOfMonth: '13', dayOfWeek: '5' };
    expect(next(friday13, '2026-03-14T00:00:00Z')).to.equal('2026-11-13T00:00:00.000Z');
  });

  it('finds a leap day far away and says when there is no such day', () => {
    const leapSunday = { hour: '0', dayOfMonth: '29', month: '2', dayOfWeek: '7' };
    expect(next(leapSunday, '2088-03-01T00:00:00Z')).to.equal('2128-02-29T00:00:00.000Z');
    expect(next({ hour: '0', dayOfMonth: '30', month: '2' }, '2026-01-01T00:00:00Z')).to.equal(undefined);
  });

  for (const [fields, reason] of [
    [{ second: '-1', minute: '0' }, "'second' is out of range"],
    [{ second: '0', minute: '60' }, "'minute' is out of range"],
    [{ second: '0', minute: '0', dayOfWeek: '[1-8]' }, "'dayOfWeek' is out of range"],
    [{ second: '0', minute: 'a' }, "'minute' is invalid"],
    [{ hour: '[5-2]' }, "'hour' is out of range"],
    [{ second: '1,,2' }, "'second' is invalid"],
    [{ second: '0/0' }, "'second' is out of range"],
    [{}, 'no field'],
    [{ second: ' ' }, 'no field'],
  ] as const) {
    it(`refuses ${JSON.stringify(fields)}`, () => {
      expect(() => parseSchedule(fields))
        .to.throw(EpcisException, reason)
        .with.property('name', 'SubscriptionControlsException');
    });
  }

  describe('properties', () => {
    const field = (from: number, to: number): fc.Arbitrary<string | undefined> => {
      const value = fc.integer({ min: from, max: to });
      const part = fc.oneof(
        value.map(String),
        fc.tuple(value, value).map(([a, b]) => `[${Math.min(a, b)}-${Math.max(a, b)}]`),
      );
      return fc.option(
        fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(',')),
        { nil: undefined },
      );
    };
    const anySchedule = fc
      .record({
        second: field(0, 59),
        minute: field(0, 59),
        hour: field(0, 23),
        dayOfMonth: field(1, 28),
        month: field(1, 12),
        dayOfWeek: field(1, 7),
      })
      .filter((fields) => Object.values(fields).some((text) => text !== undefined))
      .map((fields) => parseSchedule(fields as ScheduleFields));
    const anyTime = fc.integer({ min: 0, max: at('2060-01-01T00:00:00Z') });

    const matches = (schedule: ReturnType<typeof parseSchedule>, time: number): boolean => {
      const date = new Date(time);
      return (
        date.getUTCMilliseconds() === 0 &&
        schedule.second.includes(date.getUTCSeconds()) &&
        schedule.minute.includes(date.getUTCMinutes()) &&
        schedule.hour.includes(date.getUTCHours()) &&
        schedule.dayOfMonth.includes(date.getUTCDate()) &&
        schedule.month.includes(date.getUTCMonth() + 1) &&
        schedule.dayOfWeek.includes(((date.getUTCDay() + 6) % 7) + 1)
      );
    };

    it('the next run is later and matches every field', () => {
      fc.assert(
        fc.property(anySchedule, anyTime, (schedule, after) => {
          const time = nextRun(schedule, after);
          expect(time).to.be.greaterThan(after);
          expect(matches(schedule, time ?? 0)).to.equal(true);
        }),
      );
    });

    it('no second in between matches', () => {
      fc.assert(
        fc.property(anySchedule, anyTime, (schedule, after) => {
          const time = nextRun(schedule, after) ?? 0;
          const last = Math.min(time, after + 2 * 3_600_000);
          for (let second = (Math.floor(after / 1000) + 1) * 1000; second < last; second += 1000) {
            expect(matches(schedule, second)).to.equal(false);
          }
        }),
        { numRuns: 30 },
      );
    });
  });
});
