// A fall of the load like none before: clients that reconnect, a gap in what is counted. For a minute and a half nobody knows
// whether it passes, and whoever gives the fleet back at once lacks it for a boot. Falls that came before say how often such
// ones passed; before there was any, one in five is taken to.
import type { Millis, PeriodSummary } from '../../model.ts';

export interface Drop {
  /** How likely it is that the load comes back, and where it was, requests a second. */
  readonly chance: number;
  readonly level: number;
}

/** The load is held against where it was so long before. */
const SPAN: Millis = 90_000;
/** It is back if it is within so long, but for a fifth. */
const BACK: Millis = 600_000;
const ALMOST = 0.8;
/** Falls to a half, about (logarithm). */
const LEAST = 0.7;
/** A fall of three quarters of it is like it (logarithm). */
const LIKE = 0.75;
/** Taken to have been seen before there was any: one fall, a fifth of which came back. */
const FALLS = 1;
const BACK_AGAIN = 0.2;
/** Of the past every sixth period is looked at, of a span every third: levels are means of three. */
const EVERY = 6;
const MEAN = 3;

/** `periods`: newest first; `floor`: a load that matters little. Undefined: no such fall. */
export function dropOf(periods: readonly PeriodSummary[], period: Millis, floor: number): Drop | undefined {
  const [span, back] = [SPAN, BACK].map((time) => Math.max(MEAN, Math.round(time / period))) as [number, number];
  const level = highest(periods, 0, span);
  const depth = depthAt(periods, 0, level, floor);
  if (depth < LEAST) return undefined;
  let [falls, passed] = [0, 0];
  // the newest past moment may still be in a fall that began before it
  let isIn = true;
  for (let i = back; i + span + MEAN <= periods.length; i += EVERY) {
    const before = highest(periods, i, span);
    const isLike = depthAt(periods, i, before, floor) >= LIKE * depth;
    if (isLike && !isIn) {
      falls++;
      if (highest(periods, i - back, back) >= ALMOST * before) passed++;
    }
    isIn = isLike;
  }
  return { chance: (passed + BACK_AGAIN) / (falls + FALLS), level };
}

/** Mean rate of the periods from there on. */
function levelAt(periods: readonly PeriodSummary[], at: number): number {
  const last = periods.length - 1;
  let sum = 0;
  for (let i = at; i < at + MEAN; i++) sum += periods[Math.min(last, i)]?.arrivalRate ?? 0;
  return sum / MEAN;
}

function highest(periods: readonly PeriodSummary[], from: number, count: number): number {
  let most = 0;
  for (let i = from; i <= from + count; i += MEAN) most = Math.max(most, levelAt(periods, i));
  return most;
}

const depthAt = (periods: readonly PeriodSummary[], at: number, level: number, floor: number): number =>
  Math.log((level + floor) / (levelAt(periods, at) + floor));
