// What the packed provider keeps, on disk: whole or as it was before. It holds the keys of workers, so only this user reads it.
import { readFile } from 'node:fs/promises';
import { MmeliotError } from '../errors.ts';
import { writeWhole } from '../files/write-whole.ts';
import type { PackingStore } from '../packing/packed-provider.ts';
import type { Node, Worker } from '../packing/state.ts';

interface Kept {
  readonly workers: readonly Worker[];
  readonly nodes: readonly Node[];
}

export const PACKING_FILE = 'packing.json';

export const openPackingFile = (path: string): PackingStore => ({
  async load() {
    try {
      const { workers, nodes } = JSON.parse(await readFile(path, 'utf8')) as Kept;
      return {
        workers: new Map(workers.map((worker) => [worker.mark, worker])),
        nodes: new Map(nodes.map((node) => [node.mark, node])),
      };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return undefined;
      const what = `What is kept of nodes in ${path} cannot be read (${code ?? 'damaged'}): put the file aside, and workers are taken over as the nodes report them.`;
      throw new MmeliotError('CONFIG_INVALID', what, { cause: error });
    }
  },
  save: ({ workers, nodes }) =>
    writeWhole(path, JSON.stringify({ workers: [...workers.values()], nodes: [...nodes.values()] } satisfies Kept), {
      ...{ durable: true, mode: 0o600 },
    }),
});
