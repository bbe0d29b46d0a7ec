// The thread of even-time.ts: it sleeps, and says when a time has come that it was told of.
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { sharedNow } from './even-time.ts';

if (parentPort === null) throw new Error('This is a thread of even-time.ts.');
const port = parentPort;
const signal = workerData as Int32Array<SharedArrayBuffer>;
const times = new Set<number>();
for (;;) {
  const heard = Atomics.load(signal, 0);
  for (let told = receiveMessageOnPort(port); told !== undefined; told = receiveMessageOnPort(port))
    times.add((told as { readonly message: number }).message);
  Atomics.wait(signal, 0, heard, Math.min(...times) - sharedNow());
  for (const at of times)
    if (at <= sharedNow()) {
      times.delete(at);
      port.postMessage(at);
    }
}
