// One hostile client as a program: node test/chaos/play.ts NAME PORT. It loads no more than it takes to find it, since tests start dozens.
import type { Hostile } from './hostile.ts';

const FILES: readonly (() => Promise<Record<string, unknown>>)[] = [
  () => import('./hostile.ts'),
  () => import('./hostile-tls.ts'),
  () => import('./hostile-names.ts'),
  () => import('./hostile-epcis.ts'),
  () => import('./hostile-large.ts'),
  () => import('./hostile-work.ts'),
  () => import('./hostile-keys.ts'),
];

async function clientCalled(name: string): Promise<Hostile> {
  for (const load of FILES) {
    const clients = Object.values(await load())
      .filter(Array.isArray)
      .flat() as readonly Partial<Hostile>[];
    const found = clients.find((one) => one.name === name && one.play !== undefined);
    if (found !== undefined) return found as Hostile;
  }
  throw new Error(`There is no hostile client '${name}'.`);
}

const [, , name = '', port] = process.argv;
// a part goes with whoever began it
process.on('disconnect', () => process.exit());
const client = await clientCalled(name);
process.send?.(0);
await client.play(Number(port), () => false);
