// Scheduled capacity: in the windows of the calendar other bounds hold. The last window of the list that holds gives min
// and max; what it doesn't say is as configured. Membership is asked of the wall clock, so that a day on which clocks
// are set needs no rule of its own: hours that don't occur are left out, hours that occur twice hold twice.
import type { Limits, Millis } from '../model.ts';
import { beginsOn, holdsAt, parseWindow, type TimeWindow } from '../settings/time-window.ts';
import { DAY_MS, instantsOf, showLocal, wallClock } from '../settings/wall-clock.ts';

export interface Calendared {
  readonly min: number;
  readonly max: number;
  readonly calendar: readonly string[];
}

/** What holds now, and what comes. */
export interface Outlook {
  readonly limits: Limits;
  /** When other bounds hold; absent where that is never. */
  readonly until?: Millis;
  /** The next window that begins. */
  readonly next?: { readonly at: Millis; readonly window: string; readonly zone: string; readonly limits: Limits };
}

const EXAMPLE = 'mon-fri 08:00-20:00 Europe/Athens min=4 max=12';

/** The window, or why it is none of a calendar. */
function boundingWindow(text: string): TimeWindow | string {
  const window = parseWindow(text);
  const bounds = typeof window === 'string' || window.min !== undefined || window.max !== undefined;
  return bounds ? window : 'it changes neither min nor max';
}

/** Parsed once for each list. */
const parsed = new WeakMap<readonly string[], readonly TimeWindow[]>();

function windowsOf(calendar: readonly string[]): readonly TimeWindow[] {
  const known = parsed.get(calendar);
  if (known !== undefined) return known;
  const windows = calendar.map(boundingWindow).filter((window) => typeof window !== 'string');
  parsed.set(calendar, windows);
  return windows;
}

/** What can't hold, one sentence each. */
export const calendarErrors = ({ calendar, min, max }: Calendared): readonly string[] =>
  calendar.flatMap((text) => {
    const window = boundingWindow(text);
    if (typeof window === 'string') return [`calendar: in "${text}" ${window}; a window is written like ${EXAMPLE}.`];
    const [least, most] = [window.min ?? min, window.max ?? max];
    return least > most ? [`calendar: in "${text}" min (${least}) must not be above max (${most}).`] : [];
  });

function windowAt(calendar: readonly string[], at: Millis): TimeWindow | undefined {
  return windowsOf(calendar).findLast((window) => holdsAt(window, wallClock(window.zone, at)));
}

const limitsIn = ({ min, max }: Limits, window: TimeWindow | undefined): Limits =>
  window === undefined ? { min, max } : { min: window.min ?? min, max: window.max ?? max, scheduledBy: window.name };

/** The bounds at that time, with the window that they come from. */
export const limitsAt = (settings: Calendared, at: Millis): Limits =>
  limitsIn(settings, windowAt(settings.calendar, at));

/** The settings with the bounds of that time. */
export function atTime<S extends Calendared>(settings: S, at: Millis): S {
  if (settings.calendar.length === 0) return settings;
  const { min, max } = limitsAt(settings, at);
  return { ...settings, min, max };
}

export function outlook(settings: Calendared, now: Millis): Outlook {
  const { calendar } = settings;
  const limits = limitsAt(settings, now);
  const until = nextChange(calendar, now);
  if (until === undefined) return { limits };
  const then = windowAt(calendar, until);
  const at = then === undefined ? nextChange(calendar, until) : until;
  const window = at === undefined ? undefined : windowAt(calendar, at);
  if (at === undefined || window === undefined) return { limits, until };
  return { limits, until, next: { at, window: window.name, zone: window.zone, limits: limitsIn(settings, window) } };
}

/** Most calendars say something every day or week; one that says something once a year is looked through for as long. */
const HORIZONS = [4, 10, 400];

/** When another window holds, or none. */
function nextChange(calendar: readonly string[], now: Millis): Millis | undefined {
  const present = windowAt(calendar, now);
  for (const days of HORIZONS) {
    const moments = windowsOf(calendar)
      .flatMap((window) => boundariesOf(window, now, days))
      .filter((at) => at > now && at <= now + (days - 2) * DAY_MS)
      .sort((a, b) => a - b);
    const change = moments.find((at) => windowAt(calendar, at) !== present);
    if (change !== undefined) return change;
  }
  return undefined;
}

/** The instants at which a window may begin or end, from two days ago on. */
function boundariesOf(window: TimeWindow, now: Millis, days: number): readonly Millis[] {
  const { zone, from, to } = window;
  const today = Math.floor(wallClock(zone, now) / DAY_MS);
  const boundaries: Millis[] = [];
  for (let day = today - 2; day <= today + days; day++) {
    if (!beginsOn(window, day)) continue;
    const end = to > from ? day : day + 1;
    boundaries.push(...instantsOf(zone, day * DAY_MS + from * 60_000), ...instantsOf(zone, end * DAY_MS + to * 60_000));
  }
  return boundaries;
}

/** Which window holds and when the next begins, in a sentence. */
export function calendarSentence(settings: Calendared, now: Millis): string {
  const { limits, until, next } = outlook(settings, now);
  const zone = windowAt(settings.calendar, now)?.zone ?? next?.zone ?? 'UTC';
  const range = (of: Limits): string => `${of.min} to ${of.max} VMs`;
  const holds =
    limits.scheduledBy === undefined
      ? `No window of the calendar holds: ${range(limits)}`
      : `The calendar's window ${limits.scheduledBy} holds${until === undefined ? '' : ` until ${showLocal(zone, until)}`}: ${range(limits)}`;
  return next === undefined
    ? `${holds}.`
    : `${holds}; the next, ${next.window}, begins ${showLocal(next.zone, next.at)} with ${range(next.limits)}.`;
}
