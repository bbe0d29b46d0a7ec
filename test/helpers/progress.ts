// How far a long run is, for who watches it: on stderr, so that what is printed remains a table.
const inWords = (ms: number): string => (ms < 90_000 ? `${Math.ceil(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`);

/** Tells before each of so many steps what it is, and about how long the rest takes by those that are done. */
export function startProgress(steps: number): (what: string) => void {
  const began = performance.now();
  let done = 0;
  return (what) => {
    const each = (performance.now() - began) / done;
    const left = done === 0 ? '' : `, about ${inWords(each * (steps - done))} left`;
    process.stderr.write(`[${++done}/${steps}${left}] ${what}\n`);
  };
}
