// Hours of the day, UTC, in which nothing is replaced that needn't be.
import type { Millis } from '../model.ts';

const DAY = 86_400_000;

/** `22:00-06:00` goes over midnight; the end is outside. Worked: 17:59 is in 08:00-18:00, 18:00 is not. */
export function isQuiet(quietHours: string, now: Millis): boolean {
  const [from, to] = quietHours.split('-').map(ofDay);
  if (from === undefined || to === undefined) return false;
  const time = ((now % DAY) + DAY) % DAY;
  return from <= to ? time >= from && time < to : time >= from || time < to;
}

function ofDay(text: string): Millis {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return (hours * 60 + minutes) * 60_000;
}
