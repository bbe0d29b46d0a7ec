// How fast jobs are captured, and when one will be finished: from what was done lately.

/** Events of one job that one worker (a VM) had, while it had it. Times in ms. */
export interface Stretch {
  readonly worker: string;
  readonly from: number;
  readonly to: number;
  readonly events: number;
}

/** A job of few events takes as long as one of none: so many tell how fast others go. */
const FEWEST_EVENTS = 100;

/**
 * Events a second of one worker while it had jobs, however many at a time; undefined without evidence.
 * Worked: one worker had 1,000 events from 0 to 4 s and 500 from 2 to 6 s: 1,500 in 6 s are 250 a second.
 */
export function rateOf(done: readonly Stretch[]): number | undefined {
  const events = done.reduce((sum, stretch) => sum + stretch.events, 0);
  const workers = Map.groupBy(done, ({ worker }) => worker);
  const busy = [...workers.values()].reduce((sum, stretches) => sum + covered(stretches), 0);
  return events < FEWEST_EVENTS || busy === 0 ? undefined : (events * 1000) / busy;
}

/** Ms in which at least one of the stretches was under way. */
function covered(stretches: readonly Stretch[]): number {
  let sum = 0;
  let until = -Infinity;
  for (const { from, to } of [...stretches].sort((a, b) => a.from - b.from)) {
    sum += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return sum;
}

/** What an estimate starts from. */
export interface Ahead {
  readonly now: number;
  /** Events not captured yet: this job's and those of all whose turn is before. */
  readonly events: number;
  /** Workers that have jobs now. */
  readonly workers: number;
  readonly lately: readonly Stretch[];
}

/** When the job is finished if all goes on as it went lately: in ms; undefined while nobody can say. */
export function estimatedEnd({ now, events, workers, lately }: Ahead): number | undefined {
  const rate = rateOf(lately);
  return rate === undefined ? undefined : now + (events * 1000) / (rate * Math.max(1, workers));
}
