import { expect } from 'chai';
import fc from 'fast-check';
import { atTime, calendarErrors, calendarSentence, limitsAt, outlook } from '../../../src/decide/calendar.ts';
import { DEFAULT_PARAMETERS } from '../../../src/decide/parameters.ts';

const MINUTE = 60_000;
const at = (text: string) => Date.parse(text);
const settings = (...calendar: string[]) => ({ min: 1, max: 4, calendar });

/** Where clocks are set by an hour, by half an hour, at midnight, by a whole day, never. */
const ZONES = [
  'Europe/Athens',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Pacific/Apia',
  'Asia/Kathmandu',
  'UTC',
];
/** Days around which one of them sets its clocks. */
const AROUND = [
  '2026-03-29',
  '2026-10-25',
  '2026-03-08',
  '2026-11-01',
  '2026-04-05',
  '2026-10-04',
  '2026-09-06',
  '2011-12-30',
  '2026-07-01',
];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const two = (n: number): string => String(n).padStart(2, '0');
const clock = (minutes: number): string => `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;

const window = fc
  .record({
    zone: fc.constantFrom(...ZONES),
    from: fc.nat(95),
    length: fc.integer({ min: 1, max: 95 }),
    days: fc.option(fc.subarray(WEEKDAYS, { minLength: 1 })),
    min: fc.integer({ min: 1, max: 4 }),
  })
  .map(({ zone, from, length, days, min }) => {
    const to = (from + length) % 96;
    return {
      zone,
      from: from * 15,
      to: to * 15,
      days: days ?? WEEKDAYS,
      min,
      text: `${(days ?? []).join(',')} ${clock(from * 15)}-${to === 0 ? '24:00' : clock(to * 15)} ${zone} min=${min}`,
    };
  });
type Drawn = typeof window extends fc.Arbitrary<infer W> ? W : never;
const moment = fc
  .tuple(fc.constantFrom(...AROUND), fc.integer({ min: -2_880, max: 2_880 }))
  .map(([day, minutes]) => at(`${day}T00:00:00Z`) + minutes * MINUTE);

/** What a person would say who looks at a clock and a calendar on the wall there. */
function looked({ zone, from, to, days }: Drawn, when: number): boolean {
  const shown = new Date(when).toLocaleString('en-GB', {
    timeZone: zone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const [, weekday = '', hour, minute] = /^(\w+),? (\d\d):(\d\d)$/.exec(shown) ?? [];
  const today = weekday.toLowerCase();
  const yesterday = WEEKDAYS[(WEEKDAYS.indexOf(today) + 6) % 7] ?? '';
  const now = Number(hour) * 60 + Number(minute);
  if (to > from) return days.includes(today) && now >= from && now < to;
  if (to === 0) return days.includes(today) && now >= from;
  return (now >= from && days.includes(today)) || (now < to && days.includes(yesterday));
}

describe('calendar', () => {
  it('gives the bounds of the last window that holds; what it does not say is as configured', () => {
    const calendar = settings(
      'mon-fri 08:00-20:00 Europe/Athens min=3',
      'dec 24-26 00:00-24:00 Europe/Athens max=2',
      'wed 12:00-13:00 min=2 max=9',
    );
    expect(limitsAt(calendar, at('2026-11-18T05:59:00Z'))).to.deep.equal({ min: 1, max: 4 });
    expect(limitsAt(calendar, at('2026-11-18T06:00:00Z'))).to.deep.equal({
      min: 3,
      max: 4,
      scheduledBy: 'mon-fri 08:00-20:00 Europe/Athens',
    });
    expect(limitsAt(calendar, at('2026-11-18T12:30:00Z'))).to.include({ min: 2, max: 9 });
    expect(limitsAt(calendar, at('2026-12-24T10:00:00Z'))).to.include({ min: 1, max: 2 });
  });

  it('lets a window that goes over midnight belong to the day on which it began, and ranges go round', () => {
    const calendar = settings('fri 22:00-06:00 min=2', 'nov-jan sun-mon 10:00-11:00 min=3', '28-2 07:00-08:00 min=4');
    const min = (text: string) => limitsAt(calendar, at(text)).min;
    expect([
      min('2026-11-20T21:59:00Z'),
      min('2026-11-20T22:00:00Z'),
      min('2026-11-21T05:59:00Z'),
      min('2026-11-21T06:00:00Z'),
    ]).to.deep.equal([1, 2, 2, 1]);
    expect([min('2027-01-03T10:00:00Z'), min('2027-02-07T10:00:00Z'), min('2026-11-21T10:00:00Z')]).to.deep.equal([
      3, 1, 1,
    ]);
    expect([min('2026-11-28T07:00:00Z'), min('2026-12-02T07:00:00Z'), min('2026-12-03T07:00:00Z')]).to.deep.equal([
      4, 4, 1,
    ]);
  });

  it('is what the wall clock says there, on days when clocks are set, too', () => {
    fc.assert(
      fc.property(fc.array(window, { minLength: 1, maxLength: 3 }), moment, (windows, when) => {
        const last = windows.findLast((each) => looked(each, when));
        expect(limitsAt(settings(...windows.map(({ text }) => text)), when).min).to.equal(last?.min ?? 1);
      }),
      { numRuns: 800 },
    );
  });

  it('knows the very minute of the next change, and the next beginning', () => {
    fc.assert(
      fc.property(fc.array(window, { minLength: 1, maxLength: 2 }), moment, (windows, when) => {
        const calendar = settings(...windows.map(({ text }) => text));
        const { until, next, limits } = outlook(calendar, when);
        const end = Math.min(until ?? Infinity, when + 2_880 * MINUTE);
        for (let t = when; t < end; t += 5 * MINUTE)
          expect(limitsAt(calendar, t).scheduledBy).to.equal(limits.scheduledBy);
        if (until === undefined) return;
        expect(until % MINUTE).to.equal(0);
        expect(limitsAt(calendar, until - 1).scheduledBy).to.equal(limits.scheduledBy);
        if (next !== undefined) expect(limitsAt(calendar, next.at)).to.deep.equal(next.limits);
        if (next !== undefined && next.at > until)
          expect(limitsAt(calendar, next.at - 1).scheduledBy).to.equal(undefined);
      }),
      { numRuns: 60 },
    );
  });

  it('leaves out hours that do not occur, and holds twice in hours that occur twice', () => {
    const night = settings('02:15-02:45 Europe/Berlin min=2');
    const minutes = (day: string) =>
      Array.from({ length: 1_440 }, (_, i) => limitsAt(night, at(`${day}T00:00:00Z`) + (i - 120) * MINUTE).min).filter(
        (min) => min === 2,
      ).length;
    expect([minutes('2026-03-28'), minutes('2026-03-29'), minutes('2026-10-25')]).to.deep.equal([30, 0, 60]);
  });

  it('says which window holds and when the next begins', () => {
    const calendar = settings('mon-fri 08:00-20:00 Europe/Athens min=3');
    expect(calendarSentence(calendar, at('2026-11-20T10:00:00Z'))).to.equal(
      "The calendar's window mon-fri 08:00-20:00 Europe/Athens holds until Fri 2026-11-20 20:00 (Europe/Athens): 3 to 4 VMs; " +
        'the next, mon-fri 08:00-20:00 Europe/Athens, begins Mon 2026-11-23 08:00 (Europe/Athens) with 3 to 4 VMs.',
    );
    expect(calendarSentence(settings('feb 29 00:00-24:00 max=1'), at('2026-11-20T10:00:00Z'))).to.equal(
      'No window of the calendar holds: 1 to 4 VMs.',
    );
    expect(calendarSentence(settings('dec 31 00:00-24:00 max=1'), at('2026-01-01T10:00:00Z'))).to.contain(
      'begins Thu 2026-12-31 00:00 (UTC)',
    );
  });

  it('refuses in one sentence what is no window, or contradicts the bounds', () => {
    const cases: readonly (readonly [string, RegExp])[] = [
      ['mon 8:00-9:00 min=2', /"8:00-9:00" is neither hours, nor days/],
      ['mon min=2', /it has no hours/],
      ['mon 08:00-09:00', /it changes neither min nor max/],
      ['mon 08:00-09:00 min=5', /min \(5\) must not be above max \(4\)/],
      ['mon tue 08:00-09:00 min=2', /"tue" says once more/],
      ['08:00-08:00 min=2', /its hours begin when they end/],
      ['mon 08:00-09:00 Europe/Atlantis min=2', /"Europe\/Atlantis" is neither/],
      ['25:00-26:00 min=2', /"25:00-26:00" is neither/],
      ['10:00-11:00 min=0', /"min=0" is neither/],
      ['', /"" is neither/],
    ];
    for (const [text, sentence] of cases) expect(calendarErrors(settings(text)).join(), text).to.match(sentence);
    expect(calendarErrors(settings('SUN 10:00-11:00 utc max=9 min=9'))).to.deep.equal([]);
  });

  it('costs nothing where there is none', () => {
    expect(atTime(DEFAULT_PARAMETERS, 0)).to.equal(DEFAULT_PARAMETERS);
  });
});
