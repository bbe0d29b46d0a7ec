// Hours in which nothing is replaced that needn't be.
import type { Millis } from '../model.ts';
import { holdsAt, parseWindow, type TimeWindow } from '../settings/time-window.ts';
import { wallClock } from '../settings/wall-clock.ts';

/** The last one that was asked for: it is asked for each period, and changes once in a blue moon. */
let last: { readonly text: string; readonly window: TimeWindow | string } | undefined;

function windowOf(text: string): TimeWindow | string {
  if (last?.text !== text) last = { text, window: parseWindow(text) };
  return last.window;
}

/** `22:00-06:00 Europe/Athens` goes over midnight; the end is outside. Worked: 17:59 is in 08:00-18:00, 18:00 is not. */
export function isQuiet(quietHours: string, now: Millis): boolean {
  const window = quietHours === '' ? '' : windowOf(quietHours);
  return typeof window !== 'string' && holdsAt(window, wallClock(window.zone, now));
}
