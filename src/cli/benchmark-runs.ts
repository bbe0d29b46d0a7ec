// A benchmark's folder: what was run in it stays, so that the same command goes on where it was interrupted.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { EDITION } from '../compare/benchmark/scenes.ts';
import { foreseenOn, pointOf, type Point, type Scene } from '../compare/compare.ts';
import { contenders } from '../compare/contenders.ts';
import { writeWhole } from '../files/write-whole.ts';

export interface Run {
  readonly name: string;
  readonly seed: number;
  /** Checksum of its counts: another trace may have the same name. */
  readonly trace: string;
  readonly scene: Scene;
}

const stored = z.object({
  edition: z.literal(EDITION),
  trace: z.string().optional(),
  points: z.array(z.custom<Point>()),
});

/** What is in the folder of that run; undefined: nothing, or of another edition or trace. */
export async function readRun(folder: string, run: Omit<Run, 'scene'>): Promise<readonly Point[] | undefined> {
  const text = await readFile(fileOf(folder, run), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const { trace = run.trace, points } = stored.parse(JSON.parse(text));
    return trace === run.trace ? points : undefined;
  } catch {
    return undefined;
  }
}

/** Every policy with all its settings; those that are `known` are not run again. */
export async function makeRun(
  folder: string,
  run: Run,
  known: readonly Point[],
  tell: (done: number, of: number) => void = () => undefined,
): Promise<readonly Point[]> {
  const { scene, trace } = run;
  const all = contenders({ objectiveMs: scene.objective.ms, vm: scene.vm, max: scene.max });
  const is = ({ policy, label }: Pick<Point, 'policy' | 'label'>): string => `${policy} ${label}`;
  const found = new Map(known.map((point) => [is(point), point]));
  const missing = all.filter((contender) => !found.has(is(contender)));
  for (const [i, contender] of missing.entries()) {
    const point = pointOf(scene, contender);
    found.set(is(point), point);
    tell(i + 1, missing.length);
  }
  const ordered = [...all.flatMap((contender) => found.get(is(contender)) ?? []), ...foreseenOn(scene)];
  await writeWhole(fileOf(folder, run), `${JSON.stringify({ edition: EDITION, trace, points: ordered })}\n`);
  return ordered;
}

const fileOf = (folder: string, { name, seed }: Pick<Run, 'name' | 'seed'>): string =>
  join(folder, 'runs', `${fileNameOf(name)}-seed-${seed}.json`);

export const fileNameOf = (name: string): string => name.replaceAll(/[^\p{L}\p{N}_.]+/gu, '-');
