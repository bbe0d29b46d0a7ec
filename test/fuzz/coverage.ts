// Which parts of the product's code have run, by V8's own counts: what an input reaches that none before it did.
import { Session } from 'node:inspector/promises';

export interface Coverage {
  /** The parts of the code that ran since the last call. */
  ran(): Promise<ReadonlySet<string>>;
  close(): void;
}

/** `folders`: those of the repository whose files count. */
export async function openCoverage(root: URL, folders: readonly string[]): Promise<Coverage> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const within = folders.map((folder) => new URL(`${folder}/`, root).href);
  return {
    async ran() {
      const { result } = await session.post('Profiler.takePreciseCoverage');
      const parts = new Set<string>();
      for (const { url, functions } of result) {
        if (!within.some((folder) => url.startsWith(folder))) continue;
        for (const { ranges } of functions) {
          for (const { startOffset, endOffset, count } of ranges) {
            if (count > 0) parts.add(`${url}:${startOffset}-${endOffset}`);
          }
        }
      }
      return parts;
    },
    close: () => session.disconnect(),
  };
}
