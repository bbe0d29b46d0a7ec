// Requests at a steady rate, sent when they are due whether or not earlier ones have been answered; the times count from
// when they were due, so a stall shows in all that it held up.
import { Pool } from 'undici';

/** Returns the 99th percentile of the response times in ms. */
export async function steadyLoad(port: number, path: string, perSecond: number, durationMs: number): Promise<number> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 64 });
  const times: number[] = [];
  const total = Math.floor((perSecond * durationMs) / 1000);
  const start = performance.now();
  let sent = 0;
  await new Promise<void>((resolve, reject) => {
    const tick = () => {
      const due = Math.min(total, Math.floor(((performance.now() - start) * perSecond) / 1000));
      for (; sent < due; sent++) {
        const dueAt = start + (sent * 1000) / perSecond;
        pool.dispatch(
          { path, method: 'GET' },
          {
            onRequestStart: () => {},
            onResponseStart: () => {},
            onResponseData: () => {},
            onResponseEnd: () => {
              times.push(performance.now() - dueAt);
              if (times.length === total) resolve();
            },
            onResponseError: (_, error) => reject(error),
          },
        );
      }
      if (sent < total) setTimeout(tick, 1);
    };
    tick();
  });
  await pool.close();
  times.sort((a, b) => a - b);
  return times[Math.floor(times.length * 0.99)] ?? NaN;
}
