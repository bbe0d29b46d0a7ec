// How many requests a VM takes at once, found from its response times: when answers take longer than the VM's own time, the
// difference is time spent queueing inside the VM, and such a queue is better kept here, where the important overtake.
//
// Times are compared by the mean of their logarithms (a request of a second among many of some ms decides nothing), over
// as many answers as it takes to know it. The VM's own time is what answers take with so few requests that fewer make
// it no faster. It is known from when there was less to do, and tried or looked for anew every now and then while the limit is reached:
// were it remembered for ever, a VM that has become slower would be throttled, and one that is overloaded for long taken for a slow one.
import type { Millis } from '../../model.ts';

export const LIMIT_START = 32;
const LIMIT_MAX = 512;

const WINDOW_MS = 250;
const ANSWERS_LEAST = 20;
/** So many answers are enough, whatever their times; fewer, where their mean is known as well as this (0.15: to a sixth). */
const ANSWERS_ENOUGH = 100;
const KNOWN = 0.15;
/** Less is enough to see that it is as before. */
const ANSWERS_TO_TRY = 8;
const KNOWN_TO_TRY = 0.2;
/** However often it was found: the VM changes. */
const BEST_KNOWN = 0.05;
/** Waiting for less hurts nobody: faster answers count as this. */
const SHORT_MS = 5;

/** A step down in the search: larger where times vary much, so that what it does can be seen, and in the first one. */
const STEP = 0.75;
const LARGE_STEP = 0.5;
const VARIES = 0.08;
/** So much of what a step can shorten answers it has to, for another one: a step of 0.75, which can by log 1.33, by log 1.12. */
const SHORTER = 0.4;
/** Two searches that found as much (a tenth, and what chance may do) found the same. */
const ALIKE = 0.1;
/** Time between two searches; twice as long after each that found what the one before had found. */
const SEARCH_AFTER_MS = 2_000;
const SEARCH_AFTER_MOST_MS = 20_000;
/** A limit that has fallen by so much since the last search is looked at anew: it may be the VM that is slower. */
const FALLEN = 0.6;

/** Above what the VM works on at once, so that it never waits for a request: a tenth, and one. */
const ABOVE = 1.1;
/** How much what was seen last counts of how many requests a VM works on; a VM whose answers take so much longer (by log) works on fewer. */
const WEIGHT = 0.3;
const WAITED = 0.05;
const ONE_STEP = 0.25;

/** Mean of the logarithms of times, and its standard error. */
interface Mean {
  readonly log: number;
  readonly error: number;
}

/** A limit, and what answers take with it. */
interface Level {
  readonly limit: number;
  readonly took: Mean;
}

interface Step {
  /** What there was before it, and before the first. */
  readonly from: Level;
  readonly first: Level;
  /** Whether what is known already is tried. */
  readonly isTry: boolean;
}

export interface LimitState {
  limit: number;
  /** What answers take while none waits in the VM; undefined: not known yet. */
  own: Mean | undefined;
  /** With how many requests there at the most. */
  ownAt: number;
  /** While it is looked for. */
  step: Step | undefined;
  searchedAt: Millis;
  searchAfter: number;
  /** How many requests the VM works on at once, by what was seen until now. */
  worksOn: number;
  /** The limit after the last search. */
  found: number;
  /** Whether the limit was reached in the window before, too: the first one, in which the VM fills up, says little. */
  wasReached: boolean;
  /** Answers until then were sent before the last step. */
  settled: Millis;
  windowSince: Millis;
  sum: number;
  squares: number;
  count: number;
  /** Most requests at the VM at once in this window. */
  busiest: number;
}

export function newLimit(now: Millis): LimitState {
  return {
    ...{ limit: LIMIT_START, worksOn: LIMIT_START, own: undefined, ownAt: 0, step: undefined },
    ...{ searchedAt: now, searchAfter: SEARCH_AFTER_MS, found: 0 },
    ...{ wasReached: false, settled: now, windowSince: now, sum: 0, squares: 0, count: 0, busiest: 0 },
  };
}

/** Takes one answer into account. `inFlight`: how many were at the VM, this one included. */
export function observeAnswer(state: LimitState, responseMs: number, inFlight: number, now: Millis): void {
  if (now < state.settled) return;
  const log = Math.log(Math.max(SHORT_MS, responseMs));
  state.sum += log;
  state.squares += log * log;
  state.count++;
  if (inFlight > state.busiest) state.busiest = inFlight;
  const isTry = state.step?.isTry === true;
  if (state.count < (isTry ? ANSWERS_TO_TRY : ANSWERS_LEAST) || now - state.windowSince < WINDOW_MS) return;
  const took = meanOf(state);
  if (took.error > (isTry ? KNOWN_TO_TRY : KNOWN) && state.count < ANSWERS_ENOUGH) return;
  const { busiest } = state;
  const isReached = busiest >= state.limit;
  startWindow(state, now);
  if (state.step !== undefined) return search(state, state.step, took, now);
  // a VM that was not asked to its limit says nothing about it
  if (isReached && state.wasReached) adjust(state, took, now);
  else if (!isReached) {
    if (busiest >= Math.round(state.worksOn)) correctPlaces(state, took);
    rememberCalm(state, took, busiest);
  }
  state.wasReached = isReached;
}

function adjust(state: LimitState, took: Mean, now: Millis): void {
  const { own, limit } = state;
  const isDue = now - state.searchedAt >= state.searchAfter || limit < FALLEN * state.found;
  if (own === undefined || isDue) {
    const level = { limit, took };
    return stepDown(state, level, level, now);
  }
  state.worksOn += WEIGHT * (limit * Math.exp(own.log - took.log) - state.worksOn);
  state.limit = nextLimit(limit, Math.exp(own.log), Math.exp(took.log));
}

/** Example: limit 32: 32 × 10/14 × 1.1 + 1 = 26.1; less at once than half of the way down, so 32 → 29. */
export function nextLimit(limit: number, ownMs: number, tookMs: number): number {
  const wanted = wantedLimit(limit, ownMs, tookMs);
  const next = wanted > limit ? Math.round(wanted) : Math.ceil((limit + wanted - 1) / 2);
  return Math.max(1, Math.min(LIMIT_MAX, next));
}

/**
 * By Little's law a VM that takes 14 ms for what is 10 ms of its own works on 10/14 of what it has; it is given a tenth and one
 * more than that.
 */
function wantedLimit(limit: number, ownMs: number, tookMs: number): number {
  return limit * Math.min(1, ownMs / tookMs) * ABOVE + 1;
}

/**
 * What answers took after a step down: as long as the VM's own time is known to be; or they became shorter, then another step; else
 * that is what they take by themselves.
 */
function search(state: LimitState, { from, first, isTry }: Step, took: Mean, now: Millis): void {
  const { limit } = state;
  const isAsKnown = isTry && state.own !== undefined && isAlike(state.own, took);
  const isShorter = from.took.log - took.log > SHORTER * Math.log(from.limit / limit);
  if (isShorter && !isAsKnown && limit > 1) return stepDown(state, { limit, took }, first, now);
  const found = isAsKnown || took.log < from.took.log ? took : from.took;
  const isAsBefore = state.own !== undefined && isAlike(state.own, found);
  const own = isAsBefore && state.own !== undefined ? ofBoth(state.own, found) : found;
  state.searchAfter = isAsBefore ? Math.min(SEARCH_AFTER_MOST_MS, 2 * state.searchAfter) : SEARCH_AFTER_MS;
  state.own = own;
  state.ownAt = limit;
  state.step = undefined;
  state.searchedAt = now;
  const wanted = Math.round(wantedLimit(first.limit, Math.exp(own.log), Math.exp(first.took.log)));
  state.worksOn = first.limit * Math.exp(Math.min(0, own.log - first.took.log));
  state.limit = Math.max(isAsKnown || isShorter ? limit : from.limit, Math.min(first.limit, wanted));
  state.found = state.limit;
}

/** Where the VM's own time is known, to just below what the VM works on by that: there it is seen whether that is still so. */
function stepDown(state: LimitState, from: Level, first: Level, now: Millis): void {
  const { own } = state;
  const isTry = own !== undefined && from === first;
  const isLarge = own === undefined || from.took.error > VARIES;
  const next = isTry
    ? Math.min(from.limit - 1, Math.ceil(STEP * from.limit * Math.exp(Math.min(0, own.log - from.took.log))))
    : Math.floor(from.limit * (isLarge ? LARGE_STEP : STEP));
  state.step = { from, first, isTry };
  state.limit = Math.max(1, next);
  state.settled = now + 2 * Math.exp(from.took.log);
  state.windowSince = state.settled;
}

/** As many were there as it was said to work on, and no more: where some of them waited all the same, it works on fewer. */
function correctPlaces(state: LimitState, took: Mean): void {
  if (state.own !== undefined && took.log - state.own.log > WAITED + 2 * took.error) state.worksOn -= ONE_STEP;
}

/** The limit was not reached: what answers take then is the VM's own time, unless they take longer than where fewer were there. */
function rememberCalm(state: LimitState, took: Mean, busiest: number): void {
  const { own, ownAt } = state;
  const isShorter = own !== undefined && !isAlike(own, took) && took.log < own.log;
  if (own !== undefined && busiest > ownAt && !isShorter) return;
  state.own = own !== undefined && isAlike(own, took) ? ofBoth(own, took) : took;
  state.ownAt = busiest;
}

/** Each counts by how well it is known. */
function ofBoth(a: Mean, b: Mean): Mean {
  const [x, y] = [Math.max(BEST_KNOWN, a.error) ** -2, Math.max(BEST_KNOWN, b.error) ** -2];
  return { log: (a.log * x + b.log * y) / (x + y), error: (x + y) ** -0.5 };
}

function isAlike(a: Mean, b: Mean): boolean {
  return Math.abs(a.log - b.log) < ALIKE + 2 * Math.hypot(a.error, b.error);
}

function meanOf({ sum, squares, count }: LimitState): Mean {
  const log = sum / count;
  return { log, error: Math.sqrt(Math.max(0, squares / count - log * log) / count) };
}

function startWindow(state: LimitState, now: Millis): void {
  state.windowSince = now;
  state.sum = 0;
  state.squares = 0;
  state.count = 0;
  state.busiest = 0;
}
