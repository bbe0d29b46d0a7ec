// What the packed provider keeps, on disk: whole or as it was before. It holds the keys of workers, so only this user reads it.
import { readFile } from 'node:fs/promises';
import { MmeliotError } from '../errors.ts';
import { writeWhole } from '../files/write-whole.ts';
import type { PackingStore } from '../packing/packed-provider.ts';
import { carriedOver, type Node, type Worker } from '../packing/state.ts';
import { bootOfMachine, steady } from './steady-clock.ts';

interface Kept {
  /** By whose clock. Absent: as an earlier version kept it, by one that may be set. */
  readonly boot?: string;
  readonly workers: readonly Worker[];
  readonly nodes: readonly Node[];
}

export const PACKING_FILE = 'packing.json';

export const openPackingFile = (path: string, boot = bootOfMachine(), now = steady): PackingStore => ({
  async load() {
    try {
      const kept = JSON.parse(await readFile(path, 'utf8')) as Kept;
      const state = {
        workers: new Map(kept.workers.map((worker) => [worker.mark, worker])),
        nodes: new Map(kept.nodes.map((node) => [node.mark, node])),
      };
      return boot !== undefined && kept.boot === boot ? state : carriedOver(state, now());
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return undefined;
      const what = `What is kept of nodes in ${path} cannot be read (${code ?? 'damaged'}): put the file aside, and workers are taken over as the nodes report them.`;
      throw new MmeliotError('CONFIG_INVALID', what, { cause: error });
    }
  },
  save: ({ workers, nodes }) =>
    writeWhole(
      path,
      JSON.stringify({
        ...(boot !== undefined && { boot }),
        ...{ workers: [...workers.values()], nodes: [...nodes.values()] },
      } satisfies Kept),
      { durable: true, mode: 0o600 },
    ),
});
