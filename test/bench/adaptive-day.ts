// What a simulated day of 4 VMs under `adaptive` takes of a core, without and with its tournament, beside one under React
// in the same process:
//   npm run bench:adaptive-day [-- --days 3]
// The load is a day's wave with noise from minute to minute; the whole production loop runs, on the fluid.
import { setImmediate as quiet } from 'node:timers/promises';
import type { OwnParameters } from '../../src/decide/parameters.ts';
import { createChance } from '../../src/simulate/chance.ts';
import { simulate } from '../../src/simulate/simulate.ts';
import { commandOptions } from '../helpers/command-options.ts';

const HOUR = 3_600_000;
const { values } = commandOptions({ options: { days: { type: 'string', default: '3' } } });
const days = Number(values.days);

const chance = createChance(1);
const noise = Array.from({ length: 1_440 }, () => 1 + 0.1 * chance.normal());
const at = (t: number): number =>
  (35 - 25 * Math.cos((2 * Math.PI * t) / (24 * HOUR))) * (noise[Math.floor(t / 60_000) % noise.length] ?? 1);

async function secondsOf(policy: 'adaptive' | 'react', policyParameters: OwnParameters = {}): Promise<number> {
  const before = process.cpuUsage();
  const vm = { serviceMs: 50, parallel: 1, variation: 1 };
  const load = { kind: 'open', at } as const;
  const parameters = { policy, policyParameters, max: 4 };
  await simulate({ load, duration: days * 24 * HOUR, vm, parameters, traffic: 'fluid', quiet });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6 / days;
}

await secondsOf('react'); // warm
const [react, adaptive] = [await secondsOf('react'), await secondsOf('adaptive')];
const played = await secondsOf('adaptive', { tournament: 'on' });
process.stdout.write(
  `A simulated day of 4 VMs: adaptive ${adaptive.toFixed(2)} s of CPU, with its tournament ${played.toFixed(2)} s, react ${react.toFixed(2)} s.\n`,
);
