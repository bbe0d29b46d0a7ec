// What machines a fleet takes that carry several VMs each: without moving anybody, and with it, against machines that were always full.
import type { ElasticityParameters } from '../decide/parameters.ts';
import { measure } from '../simulate/measures.ts';
import { simulate } from '../simulate/simulate.ts';
import type { PackingOutcome } from '../simulate/simulated-packing.ts';
import type { Scene } from './compare.ts';
import { markdownTable } from './markdown-table.ts';

export interface PackingRun {
  readonly name: 'a machine each' | 'packed' | 'packed, consolidated';
  readonly violationsPercent: number;
  readonly vmHours: number;
  readonly packing?: PackingOutcome;
}

const VARIANTS = [
  { name: 'a machine each' },
  { name: 'packed', moves: false },
  { name: 'packed, consolidated', moves: true },
] as const;

export async function comparePacking(
  scene: Scene,
  perNode: number,
  parameters: Partial<ElasticityParameters>,
  quiet: () => Promise<unknown>,
): Promise<readonly PackingRun[]> {
  const { at, duration, skip, bootMs, objective, vm, max, seed } = scene;
  const runs: PackingRun[] = [];
  for (const variant of VARIANTS) {
    const {
      timeline,
      packing,
      parameters: used,
    } = await simulate({
      load: { kind: 'open', at },
      ...{ duration, bootMs, objective, vm, seed, quiet },
      traffic: 'fluid',
      parameters: { max, ...parameters },
      ...('moves' in variant && { packing: { perNode, moves: variant.moves } }),
    });
    const { violationsPercent, vmHours } = measure(
      timeline.filter((period) => period.at >= skip),
      used.high,
    );
    runs.push({ name: variant.name, violationsPercent, vmHours, ...(packing && { packing }) });
  }
  return runs;
}

export interface PackedScene {
  readonly scene: Scene;
  readonly runs: readonly PackingRun[];
}

/** The bound is that of the run without moves: what is moved is there twice for a while, and no more work for that. */
export function packingMarkdown(perNode: number, scenes: readonly PackedScene[]): string {
  const rows = scenes.flatMap(({ scene, runs }) => {
    const { boundHours = 0, wholeHours = 0 } = runs.find(({ packing }) => packing !== undefined)?.packing ?? {};
    const times = (hours: number, of: number): string => (hours / of).toFixed(3);
    return runs.map(({ name, violationsPercent, vmHours, packing }) => [
      ...[scene.name, `${scene.bootMs / 1000} s`, name, vmHours.toFixed(1), violationsPercent.toFixed(3)],
      ...(packing === undefined
        ? ['', '', '', '']
        : [
            packing.nodeHours.toFixed(2),
            times(packing.nodeHours, boundHours),
            times(packing.nodeHours, wholeHours),
            String(packing.moves),
          ]),
    ]);
  });
  const bounds = [`÷ (VM-hours ÷ ${perNode})`, '÷ whole nodes'];
  const head = ['load', 'boot', 'VMs', 'VM-hours', 'violations %', 'node-hours', ...bounds, 'moves'];
  return `${markdownTable(head, rows, [0, 1, 2])}\n`;
}
