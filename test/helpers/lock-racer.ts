// Opens a data folder again and again, each time at the same moment as others in other threads do.
import { parentPort, workerData } from 'node:worker_threads';
import { openDataFolder } from '../../src/manager/data-folder.ts';

const { path, gate } = workerData as { readonly path: string; readonly gate: SharedArrayBuffer };
const round = new Int32Array(gate);

parentPort?.postMessage('ready');
for (let last = 0; ; last++) {
  Atomics.wait(round, 0, last);
  if (Atomics.load(round, 0) < 0) break;
  parentPort?.postMessage(tried());
}

function tried(): string {
  try {
    openDataFolder(path);
    return 'opened';
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}
