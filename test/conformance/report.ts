// What a run found, as a table.

export interface Result {
  readonly name: string;
  /** `noted`: nothing the server could have done wrong, but worth knowing. */
  readonly outcome: 'passed' | 'failed' | 'noted';
  readonly why?: string;
}

/** Runs one case; whatever it throws is why it failed. */
export async function check(name: string, run: () => Promise<string | undefined | void>): Promise<Result> {
  try {
    const note = await run();
    return typeof note === 'string' ? { name, outcome: 'noted', why: note } : { name, outcome: 'passed' };
  } catch (error) {
    return { name, outcome: 'failed', why: error instanceof Error ? error.message : String(error) };
  }
}

export function table(results: readonly Result[]): string {
  const width = Math.max(4, ...results.map(({ name }) => name.length));
  const rows = results.map(({ name, outcome, why = '' }) =>
    `${name.padEnd(width)}  ${outcome}  ${oneLine(why)}`.trimEnd(),
  );
  const count = (outcome: Result['outcome']) => results.filter((result) => result.outcome === outcome).length;
  const sum = `${count('passed')} passed, ${count('failed')} failed, ${count('noted')} noted`;
  return [`${'case'.padEnd(width)}  outcome  why`, ...rows, '', sum].join('\n');
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 400 ? `${line.slice(0, 400)} …` : line;
}
