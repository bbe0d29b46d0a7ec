// When a scheduled query runs: the standard's six fields, in UTC. Each holds numbers, ranges `[a-b]` or a list of both.
// A field left out matches always, except where a coarser one is given: hour 1, minute 5 means once, at 01:05:00.
import { EpcisException } from '../domain/exceptions.ts';

export interface ScheduleFields {
  readonly second?: string;
  readonly minute?: string;
  readonly hour?: string;
  readonly dayOfMonth?: string;
  readonly month?: string;
  /** 1 is Monday, 7 is Sunday. */
  readonly dayOfWeek?: string;
}

/** The allowed values of each field, ascending. */
export type Schedule = Readonly<Record<keyof ScheduleFields, readonly number[]>>;

const FIELDS: readonly { readonly name: keyof ScheduleFields; readonly from: number; readonly to: number }[] = [
  { name: 'second', from: 0, to: 59 },
  { name: 'minute', from: 0, to: 59 },
  { name: 'hour', from: 0, to: 23 },
  { name: 'dayOfMonth', from: 1, to: 31 },
  { name: 'month', from: 1, to: 12 },
  { name: 'dayOfWeek', from: 1, to: 7 },
];
const TIME_OF_DAY = 3;
const DAY = 86_400_000;
/** February 29th on a given weekday can be 40 years away (2096 is followed by 2104, and a weekday recurs after 28). */
const FURTHEST_DAYS = 41 * 366;

/** SubscriptionControlsException for a field that is malformed or out of range, and for a schedule without fields. */
export function parseSchedule(fields: ScheduleFields): Schedule {
  const given = FIELDS.map(({ name }) => fields[name]?.trim()).map((text) => (text === '' ? undefined : text));
  const finest = given.findIndex((text) => text !== undefined);
  if (finest === -1) throw new EpcisException('SubscriptionControlsException', 'The query schedule has no field.');
  const values = FIELDS.map(({ name, from, to }, n) => {
    const text = given[n];
    if (text !== undefined) return parseField(name, text, from, to);
    return n < finest && n < TIME_OF_DAY ? [from] : range(from, to);
  });
  return Object.fromEntries(FIELDS.map(({ name }, n) => [name, values[n]])) as unknown as Schedule;
}

function parseField(name: string, text: string, from: number, to: number): readonly number[] {
  const values = text.split(',').flatMap((part) => parsePart(name, part.trim(), from, to));
  return [...new Set(values)].sort((a, b) => a - b);
}

function parsePart(name: string, part: string, from: number, to: number): readonly number[] {
  // `a/b`, every b from a on, is not in the standard's grammar but in its own example ("second": "0/30").
  const match = /^(?:(-?\d{1,9})|\[(-?\d{1,9})-(-?\d{1,9})\]|(\d{1,9})\/(\d{1,9}))$/.exec(part);
  if (match === null) {
    throw new EpcisException(
      'SubscriptionControlsException',
      `The value for '${name}' is invalid in the query schedule: '${part}' is no number, range [a-b] or list of them.`,
    );
  }
  const [low, high, step] = bounds(match, to);
  if (low < from || high > to || low > high || step < 1) {
    throw new EpcisException(
      'SubscriptionControlsException',
      `The value for '${name}' is out of range in the query schedule: '${part}' is not within ${from} to ${to}.`,
    );
  }
  return range(low, high).filter((value) => (value - low) % step === 0);
}

function bounds(match: RegExpExecArray, to: number): readonly [low: number, high: number, step: number] {
  const [, single, low, high, start, step] = match;
  if (single !== undefined) return [Number(single), Number(single), 1];
  if (start !== undefined) return [Number(start), to, Number(step)];
  return [Number(low), Number(high), 1];
}

function range(low: number, high: number): readonly number[] {
  return Array.from({ length: high - low + 1 }, (_, n) => low + n);
}

/** The first matching second after `after` (ms since 1970); undefined when there is none (February 30th). */
export function nextRun(schedule: Schedule, after: number): number | undefined {
  const earliest = (Math.floor(after / 1000) + 1) * 1000;
  const firstDay = Math.floor(earliest / DAY) * DAY;
  for (let n = 0; n < FURTHEST_DAYS; n++) {
    const day = firstDay + n * DAY;
    if (!matchesDay(schedule, day)) continue;
    const time = firstTime(schedule, n === 0 ? earliest - day : 0);
    if (time !== undefined) return day + time;
  }
  return undefined;
}

function matchesDay(schedule: Schedule, day: number): boolean {
  const date = new Date(day);
  return (
    schedule.month.includes(date.getUTCMonth() + 1) &&
    schedule.dayOfMonth.includes(date.getUTCDate()) &&
    schedule.dayOfWeek.includes(date.getUTCDay() === 0 ? 7 : date.getUTCDay())
  );
}

/** The first matching time of day that is not before `from`, in ms since midnight. */
function firstTime({ hour, minute, second }: Schedule, from: number): number | undefined {
  for (const h of hour) {
    if ((h + 1) * 3_600_000 <= from) continue;
    for (const m of minute) {
      if (h * 3_600_000 + (m + 1) * 60_000 <= from) continue;
      const s = second.find((value) => h * 3_600_000 + m * 60_000 + value * 1000 >= from);
      if (s !== undefined) return h * 3_600_000 + m * 60_000 + s * 1000;
    }
  }
  return undefined;
}
