// Requests at a steady rate to several servers in turn, sent when they are due whether or not earlier ones have been
// answered. The times count from when they were due, so a stall shows in all that it held up; and the servers are asked
// in the same moments, so a stall of the machine hits all of them.
import { Pool } from 'undici';

/** Returns the 99th percentile of the response times in ms of each server, asked `perSecond` times a second. */
export async function steadyLoad(
  ports: readonly number[],
  path: string,
  perSecond: number,
  durationMs: number,
): Promise<number[]> {
  const servers = ports.map((port) => ({
    pool: new Pool(`http://127.0.0.1:${port}`, { connections: 64 }),
    times: [] as number[],
  }));
  const total = Math.floor((perSecond * durationMs) / 1000) * servers.length;
  const betweenMs = 1000 / perSecond / servers.length;
  const start = performance.now();
  let sent = 0;
  let answered = 0;
  await new Promise<void>((resolve, reject) => {
    const send = (n: number) => {
      const dueAt = start + n * betweenMs;
      const server = servers[n % servers.length];
      server?.pool.dispatch(
        { path, method: 'GET' },
        {
          onRequestStart: () => {},
          onResponseStart: () => {},
          onResponseData: () => {},
          onResponseEnd: () => {
            server.times.push(performance.now() - dueAt);
            if (++answered === total) resolve();
          },
          onResponseError: (_, error) => reject(error),
        },
      );
    };
    const tick = () => {
      const due = Math.min(total, Math.floor((performance.now() - start) / betweenMs));
      while (sent < due) send(sent++);
      if (sent < total) setTimeout(tick, 1);
    };
    tick();
  });
  await Promise.all(servers.map(({ pool }) => pool.close()));
  return servers.map(({ times }) => times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? NaN);
}
