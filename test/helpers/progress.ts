// How far a long run is, for who watches it: on stderr, so that what is printed remains a table.
import { timeLeft } from '../../src/time-left.ts';

/** Tells before each of so many steps what it is, and about how long the rest takes by those that are done. */
export function startProgress(steps: number): (what: string) => void {
  const began = performance.now();
  let done = 0;
  return (what) => {
    const left = timeLeft(performance.now() - began, done, steps);
    process.stderr.write(`[${++done}/${steps}${left}] ${what}\n`);
  };
}
