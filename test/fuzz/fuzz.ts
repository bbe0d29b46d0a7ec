// Gives a target one input after the other: its samples, and what mutations make of them and of whatever reached new code.
import { seeded } from '../../src/random.ts';
import type { Coverage } from './coverage.ts';
import { mutate } from './mutate.ts';

export interface Target {
  readonly name: string;
  readonly samples: readonly (string | Buffer)[];
  /** What its grammar is made of. */
  readonly words: readonly string[];
  /** Read from an operator's own file: it may take its time. */
  readonly unhurried?: true;
  /** Fails when the product does what it must not: any error but the ones it refuses input by, a broken promise. */
  take(input: Buffer): unknown;
}

export interface Finding {
  readonly input: Buffer;
  readonly why: unknown;
}

export interface Fuzzed {
  readonly inputs: number;
  /** Samples, and inputs that reached new code. */
  readonly kept: readonly Buffer[];
  /** Parts of the code that they reach, as V8 counts. */
  readonly parts: number;
  readonly finding?: Finding;
}

export interface Bounds {
  readonly seed: number;
  /** Asked before each batch. */
  readonly enough: (inputs: number) => boolean;
  readonly coverage?: Coverage;
  /** An input that takes more of the processor is a finding: by the clock, one that others' programs hold up would be. */
  readonly longestMs?: number;
  /** What an earlier run kept. */
  readonly earlier?: readonly Buffer[];
}

const BATCH = 50;

/** Ends with the first finding. */
export async function fuzz(
  target: Target,
  { seed, enough, coverage, longestMs = Infinity, earlier = [] }: Bounds,
): Promise<Fuzzed> {
  const random = seeded(seed);
  const kept: Buffer[] = [...target.samples.map((sample) => Buffer.from(sample as string)), ...earlier];
  let batch = [...kept];
  const seen = new Set<string>();
  let inputs = 0;
  while (inputs === 0 || !enough(inputs)) {
    for (const input of batch) {
      inputs++;
      const finding = await tryOne(target, input, target.unhurried ? Infinity : longestMs);
      if (finding !== undefined) return { inputs, kept, parts: seen.size, finding };
    }
    if (coverage !== undefined) kept.push(...(await reachedNew(target, batch, coverage, seen)));
    batch = Array.from({ length: BATCH }, () => mutate(kept, target.words, random));
  }
  return { inputs, kept, parts: seen.size };
}

/** Those of a batch that reach what none before it did: where there are any, each is tried again by itself. */
async function reachedNew(
  target: Target,
  batch: readonly Buffer[],
  coverage: Coverage,
  seen: Set<string>,
): Promise<Buffer[]> {
  const fresh = new Set([...(await coverage.ran())].filter((part) => !seen.has(part)));
  if (fresh.size === 0) return [];
  const found: Buffer[] = [];
  for (const input of batch) {
    await target.take(input);
    const own = [...(await coverage.ran())].filter((part) => fresh.has(part));
    if (own.length === 0) continue;
    found.push(input);
    for (const part of own) {
      seen.add(part);
      fresh.delete(part);
    }
    if (fresh.size === 0) break;
  }
  // what ran once only, when something was first needed
  for (const part of fresh) seen.add(part);
  return found;
}

async function tryOne(target: Target, input: Buffer, longestMs: number): Promise<Finding | undefined> {
  const since = process.cpuUsage();
  try {
    await target.take(input);
  } catch (why) {
    return { input, why };
  }
  const { user, system } = process.cpuUsage(since);
  const ms = (user + system) / 1_000;
  return ms > longestMs ? { input, why: new Error(`it took ${ms.toFixed()} ms of the processor`) } : undefined;
}
