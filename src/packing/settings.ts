// The settings of packing: how large a worker is, and when machines are given back.
import type { Declarations, Values } from '../settings/declaration.ts';
import type { Role } from '../model.ts';
import type { WorkerSize } from './placement.ts';

const DAY = 86_400_000;

const size = (of: string, otherwise: string) =>
  ({
    cpu: {
      type: 'number',
      default: 0,
      min: 0,
      max: 1_024,
      unit: 'cores',
      doc: `cores that ${of} may use; 0: ${otherwise}`,
    },
    memory: { type: 'size', default: 0, doc: `memory that ${of} may use; 0: as much as its node has` },
  }) as const satisfies Declarations;

export const packingSettings = {
  worker: size('a worker', 'no packing, each VM has a machine of its own'),
  work: size('a worker of the role work', 'the same as every worker, memory as well'),
  consolidate: {
    type: 'flag',
    default: true,
    doc: 'the emptiest node is drained and given back when its workers fit elsewhere and moving them costs less than it does; false: only nodes that carry nothing',
  },
  nodeDeadline: {
    type: 'duration',
    default: 300_000,
    min: 1_000,
    max: DAY,
    doc: 'a node that has not answered by then is given back',
  },
  rotateKeys: {
    type: 'duration',
    default: DAY,
    min: 1_000,
    max: 3_650 * DAY,
    doc: 'how often workers and nodes get new keys: those that workers sign with, and the one that orders to nodes are signed with',
  },
} as const;

export interface PackingSettings {
  readonly worker: Values<typeof packingSettings.worker>;
  readonly work: Values<typeof packingSettings.work>;
  readonly consolidate: boolean;
  readonly nodeDeadline: number;
  readonly rotateKeys: number;
}

export const isPacked = ({ worker }: Pick<PackingSettings, 'worker'>): boolean => worker.cpu > 0;

export function sizeOf({ worker, work }: Pick<PackingSettings, 'worker' | 'work'>, role: Role | undefined): WorkerSize {
  const { cpu, memory } = role === 'work' && work.cpu > 0 ? work : worker;
  return { cpu, memoryBytes: memory };
}
