// Wall clocks: what time it is somewhere. Pure: the rules of the time zones are data that the runtime brings.
import type { Millis } from '../model.ts';

export const DAY_MS = 86_400_000;

/** Made once for each zone; what they say depends on nothing else. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  formats.set(zone, made);
  return made;
}

/** `Europe/Athens`, `UTC`, `+02:00`; not `Europe/Atlantis`. */
export function isTimeZone(zone: string): boolean {
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** What the wall clock shows, as if it were UTC: a number to calculate with. 12:00 UTC in Athens in summer is 15:00. */
export function wallClock(zone: string, at: Millis): Millis {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(at)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) + (((at % 1_000) + 1_000) % 1_000);
}

const offsetAt = (zone: string, at: Millis): Millis => wallClock(zone, at) - at;

/**
 * The instants at which a wall clock may show this: one, two where clocks are set back; where they are set forward, the
 * moment at which that happens is among them.
 */
export function instantsOf(zone: string, shown: Millis): readonly Millis[] {
  const [from, to] = [shown - 2 * DAY_MS, shown + 2 * DAY_MS]; // no zone is so far from UTC
  const [before, after] = [offsetAt(zone, from), offsetAt(zone, to)];
  return before === after ? [shown - before] : [shown - before, shown - after, changeBetween(zone, from, to)];
}

/** When the clocks are set, to the minute. */
function changeBetween(zone: string, from: Millis, to: Millis): Millis {
  const before = offsetAt(zone, from);
  let [low, high] = [Math.floor(from / 60_000), Math.ceil(to / 60_000)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(zone, middle * 60_000) === before) low = middle;
    else high = middle;
  }
  return high * 60_000;
}

/** `Wed 2026-03-04 08:00 (Europe/Athens)`. */
export function showLocal(zone: string, at: Millis): string {
  const shown = new Date(wallClock(zone, at));
  const weekday = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'][shown.getUTCDay()] ?? '';
  return `${weekday} ${shown.toISOString().slice(0, 16).replace('T', ' ')} (${zone})`;
}
