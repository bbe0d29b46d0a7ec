// The thread of benchmark-threads.ts: makes one run after the other, as it is told.
import { parentPort, workerData } from 'node:worker_threads';
import { playing } from '../compare/benchmark/scenes.ts';
import { makeRun, readRun } from './benchmark-runs.ts';
import type { Job, ThreadData, Told } from './benchmark-threads.ts';

if (parentPort === null) throw new Error('This is a thread of benchmark-threads.ts.');
const port = parentPort;
const { folder, again } = workerData as ThreadData;
const tell = (told: Told): void => port.postMessage(told);

port.on('message', ({ rates, ...run }: Job) => {
  const scene = { ...run.scene, at: playing(rates) };
  void (async () => {
    const there = (await readRun(folder, run)) ?? [];
    const known = there.filter(({ policy }) => !again.includes(policy));
    await makeRun(folder, { ...run, scene }, known, (done, of) => tell({ share: done / of, isWritten: false }));
    tell({ share: 1, isWritten: true });
  })();
});
