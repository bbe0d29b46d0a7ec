// A client of tenants.ts, in a thread of its own: what whoever sends the load has to do is no part of the times that are measured.
import { Agent } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import { ask } from '../helpers/gateway.ts';

export interface Asked {
  /** ms, each from when it was due. */
  readonly times: readonly number[];
  readonly lost: number;
}

const { port, key, question, everyMs } = workerData as {
  readonly port: number;
  readonly key: string;
  readonly question: string;
  readonly everyMs: number;
};
const agent = new Agent({ keepAlive: true });
const headers = { authorization: `Bearer ${key}` };

async function askFor(ms: number): Promise<Asked> {
  const end = performance.now() + ms;
  const times: number[] = [];
  let lost = 0;
  const asked: Promise<void>[] = [];
  for (let due = performance.now(); due < end; due += everyMs) {
    const early = due - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    asked.push(
      ask(port, question, { agent, headers }).then(({ status }) => {
        times.push(performance.now() - due);
        if (status !== 200) lost++;
      }),
    );
  }
  await Promise.all(asked);
  return { times, lost };
}

parentPort?.on('message', (ms: number) => void askFor(ms).then((asked) => parentPort?.postMessage(asked)));
