// How long something still takes, for who waits for it.

/** ", about 2 min left" after `done` of `of` in `spent` ms; nothing before anything is done, or where nobody knows of how many. */
export function timeLeft(spent: number, done: number, of: number | undefined): string {
  return done <= 0 || of === undefined || done >= of ? '' : `, about ${lasting((spent / done) * (of - done))} left`;
}

/** 40 s, 2 min, 1 h 20 min. */
export function lasting(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
