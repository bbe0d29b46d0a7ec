// A window of time that comes again, as people write it: `mon-fri 08:00-20:00 Europe/Athens`; one of the calendar says bounds, too.
import { DAY_MS, isTimeZone } from './wall-clock.ts';
import type { Millis } from '../model.ts';

export interface TimeWindow {
  /** Without its bounds: which one it is, for people. */
  readonly name: string;
  readonly zone: string;
  /** Absent: any. */
  readonly weekdays?: ReadonlySet<number>;
  readonly days?: ReadonlySet<number>;
  readonly months?: ReadonlySet<number>;
  /** Minutes of the day; an end that isn't after the beginning is on the next day. */
  readonly from: number;
  readonly to: number;
  readonly min?: number;
  readonly max?: number;
}

const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = Array.from({ length: 31 }, (_, i) => String(i + 1));

type Draft = { -readonly [K in keyof TimeWindow]?: TimeWindow[K] };

/** What a word adds to the window; undefined where it is no such word. Tried in this order. */
const WORDS: readonly ((word: string) => Draft | undefined)[] = [
  hours,
  (word) => bound(word),
  (word) => subset('weekdays', WEEKDAYS, 0, word),
  (word) => subset('months', MONTHS, 1, word),
  (word) => subset('days', DAYS, 1, word),
  (word) => (isTimeZone(word) ? { zone: word } : undefined),
];

/** The window, or why it is none, as the end of a sentence. */
export function parseWindow(text: string): TimeWindow | string {
  const draft: Draft = {};
  const name: string[] = [];
  for (const word of text.trim().split(/\s+/)) {
    const found = WORDS.map((read) => read(word.toLowerCase() === 'utc' ? 'UTC' : word)).find(
      (part) => part !== undefined,
    );
    if (found === undefined) return `"${word}" is neither hours, nor days, nor a time zone, nor a bound`;
    const again = Object.keys(found).find((key) => Object.hasOwn(draft, key));
    if (again !== undefined) return `"${word}" says once more what is said already`;
    Object.assign(draft, found);
    if (found.min === undefined && found.max === undefined) name.push(word);
  }
  const { from, to, zone = 'UTC' } = draft;
  if (from === undefined || to === undefined) return 'it has no hours, such as 08:00-20:00';
  if (from === to) return 'its hours begin when they end; a whole day is 00:00-24:00';
  return { ...draft, name: name.join(' '), zone, from, to };
}

function hours(word: string): Draft | undefined {
  const [, h1, m1, h2, m2] = /^(\d\d):([0-5]\d)-(\d\d):([0-5]\d)$/.exec(word) ?? [];
  const [from, to] = [Number(h1) * 60 + Number(m1), Number(h2) * 60 + Number(m2)];
  return from < 1_440 && to <= 1_440 ? { from, to: to === 0 ? 1_440 : to } : undefined;
}

function bound(word: string): Draft | undefined {
  const [, name, value] = /^(min|max)=(\d{1,6})$/.exec(word) ?? [];
  return name === undefined || Number(value) < 1 || Number(value) > 100_000 ? undefined : { [name]: Number(value) };
}

/** `mon-fri`, `sat,sun`, `nov-feb`, `1-5,24`: names and ranges, which may go round. */
function subset(
  key: 'weekdays' | 'days' | 'months',
  names: readonly string[],
  first: number,
  word: string,
): Draft | undefined {
  const members = new Set<number>();
  for (const part of word.toLowerCase().split(',')) {
    const [from = '', to = from, ...rest] = part.split('-');
    const [begin, end] = [names.indexOf(from), names.indexOf(to)];
    if (begin === -1 || end === -1 || rest.length > 0) return undefined;
    const length = (end - begin + names.length) % names.length;
    for (let i = 0; i <= length; i++) members.add(((begin + i) % names.length) + first);
  }
  return { [key]: members };
}

/** Whether it begins on that day, a number of days since 1970 on the wall's calendar. */
export function beginsOn({ weekdays, days, months }: TimeWindow, day: number): boolean {
  const date = new Date(day * DAY_MS);
  return (
    (weekdays?.has(date.getUTCDay()) ?? true) &&
    (days?.has(date.getUTCDate()) ?? true) &&
    (months?.has(date.getUTCMonth() + 1) ?? true)
  );
}

/** Whether it holds while the wall clock of its zone shows this. One that goes over midnight belongs to the day on which it began. */
export function holdsAt(window: TimeWindow, shown: Millis): boolean {
  const day = Math.floor(shown / DAY_MS);
  const minute = Math.floor((shown - day * DAY_MS) / 60_000);
  const { from, to } = window;
  if (to > from) return minute >= from && minute < to && beginsOn(window, day);
  return (minute >= from && beginsOn(window, day)) || (minute < to && beginsOn(window, day - 1));
}
