// An input of twice the length may take about twice the time: grows each sample at some place, and looks at the processor's time.
import { seeded } from '../../src/random.ts';
import type { Finding, Target } from './fuzz.ts';

/** Bytes; what is noise takes less time than this. */
const SHORT = 8_000;
const LONG = 64_000;
const NOTICED_MS = 150;
/** Of eight times the length: 8 is linear, 64 quadratic. */
const MOST = 24;

/** `places`: how many to try. The first input that takes too much, and how much. */
export async function growth(target: Target, seed: number, places: number): Promise<Finding | undefined> {
  const random = seeded(seed);
  for (let n = 0; n < places; n++) {
    const sample = Buffer.from(target.samples[n % target.samples.length] as string);
    const from = Math.floor(random() * (sample.length + 1));
    const to = Math.min(sample.length, from + 1 + Math.floor(random() ** 3 * 80));
    const word = target.words[Math.floor(random() * target.words.length)] ?? ' ';
    const piece = random() < 0.5 && to > from ? sample.subarray(from, to) : Buffer.from(random() < 0.8 ? word : ' ');
    if (piece.length === 0) continue;
    const grown = (length: number): Buffer =>
      Buffer.concat([sample.subarray(0, from), Buffer.alloc(length, piece), sample.subarray(from)]);
    const long = grown(LONG);
    const ms = await cpuOf(target, long);
    if (ms < NOTICED_MS) continue;
    // the least of three, which no collector of garbage is in
    const least = async (input: Buffer): Promise<number> =>
      Math.min(await cpuOf(target, input), await cpuOf(target, input), await cpuOf(target, input));
    const [short, again] = [await least(grown(SHORT)), await least(long)];
    if (again < NOTICED_MS || again < MOST * Math.max(short, 1)) continue;
    const why = `${SHORT} more bytes take ${short.toFixed(1)} ms of the processor, ${LONG} take ${again.toFixed()}: ${JSON.stringify(piece.toString('latin1'))} at ${from}`;
    return { input: grown(200), why };
  }
  return undefined;
}

async function cpuOf(target: Target, input: Buffer): Promise<number> {
  const since = process.cpuUsage();
  await target.take(input);
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}
