// Times as EPCIS writes them: ISO 8601 with an offset, of any precision. The text is kept as it was written (no offset is
// ever lost); what is compared and indexed is the instant.

export interface Instant {
  /** Milliseconds since 1970, rounded down. */
  readonly ms: number;
  /** ±hh:mm as written, `Z` for Z, undefined where the text has none (1.x only). */
  readonly offset: string | undefined;
  /** All digits of the fraction of a second. */
  readonly fraction: string;
}

const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(Z|[+-](?:0\d|1[0-3]):[0-5]\d|[+-]14:00)?$/;
const OFFSET = /^[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00)$/;

/** Strict: a date that exists, a time that exists, and an offset unless `offset: 'optional'`. */
export function parseTime(text: string, offset: 'required' | 'optional' = 'required'): Instant | undefined {
  const match = DATE_TIME.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const fraction = match[7] ?? '';
  const zone = match[8];
  if (zone === undefined && offset === 'required') return undefined;
  if (minute > 59 || second > 59 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  if (hour > 24 || (hour === 24 && (minute > 0 || second > 0 || /[1-9]/.test(fraction)))) return undefined;
  const whole =
    Date.UTC(2000, month - 1, day, hour, minute, second) + (daysBefore(year) - daysBefore(2000)) * 86_400_000;
  const leap = month > 2 ? (isLeap(year) ? 0 : -86_400_000) : 0; // 2000, which Date.UTC counted with, was a leap year
  return {
    ms: whole + leap + Number(fraction.padEnd(3, '0').slice(0, 3)) - offsetMinutes(zone ?? 'Z') * 60_000,
    offset: zone,
    fraction,
  };
}

/** As clocks say it: XML alone knows 24:00:00, which is 00:00:00 of the next day. */
export function withoutHour24(text: string): string {
  const [, day, rest] = /^(\d{4}-\d\d-\d\d)T24(.*)$/.exec(text) ?? [];
  // behind the last day there is none that four digits can say
  if (day === undefined || day === '9999-12-31') return text;
  return `${new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)}T00${rest}`;
}

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
const daysBefore = (year: number): number => {
  const past = year - 1;
  return past * 365 + Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400);
};
const daysIn = (year: number, month: number): number =>
  month === 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;

export const isOffset = (text: string): boolean => OFFSET.test(text);

/** -06:00 → -360. */
export function offsetMinutes(offset: string): number {
  if (offset === 'Z') return 0;
  const sign = offset.startsWith('-') ? -1 : 1;
  return sign * (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4, 6)));
}

/** UTC with milliseconds, rounded by the fourth digit (5 and more go up), as the event hash wants it. */
export function utcMilliseconds({ ms, fraction }: Instant): string {
  return new Date(ms + (Number(fraction[3] ?? 0) >= 5 ? 1 : 0)).toISOString();
}
