// The thread of sqlite-checkpoints.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { Handle } from './sqlite.ts';

const EVERY_MS = 500;

const { database } = new Handle(String(workerData));
// PASSIVE waits for nobody and nobody waits for it: what is still being read stays in the log until the next time
const timer = setInterval(() => database.exec('PRAGMA wal_checkpoint(PASSIVE)'), EVERY_MS);
parentPort?.once('message', () => {
  clearInterval(timer);
  database.close();
});
