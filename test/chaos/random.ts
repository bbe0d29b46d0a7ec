// Faults at random moments, two or three overlapping, on one system of some kind: all of it follows from a seed.
import { seeded } from '../../src/random.ts';
import {
  agentsSilent,
  cutsOneWay,
  lossyBetween,
  networkLossy,
  networkSlow,
  slowBetween,
  udpLost,
} from './faults/network.ts';
import {
  databaseFrozen,
  databaseFull,
  databaseReadOnly,
  databaseRefusesWrites,
  databaseRestarted,
  databaseSlow,
  databaseStopped,
} from './faults/database.ts';
import { gatewayDescriptors, managerDescriptors, vmDescriptors } from './faults/descriptors.ts';
import { diskFull } from './faults/disk-full.ts';
import { isGone, seconds, type Fault } from './faults/fault.ts';
import { gatewayKilled } from './faults/gateway-killed.ts';
import { gatewayStopped } from './faults/gateway-stopped.ts';
import { haproxyFrozen, haproxyKilled, haproxyTerminated } from './faults/haproxy.ts';
import { managerFrozen } from './faults/manager-frozen.ts';
import { managerKilled } from './faults/manager-killed.ts';
import { managerOlder } from './faults/manager-older.ts';
import { managerStopped } from './faults/manager-stopped.ts';
import { providerAway, providerCutsOff, providerHangs, providerLies, providerSlow } from './faults/provider.ts';
import { resized } from './faults/resized.ts';
import { supervise } from './faults/supervise.ts';
import { vmFrozen } from './faults/vm-frozen.ts';
import { vmKilled, vmTerminated } from './faults/vm-killed.ts';
import { vmOutOfMemory } from './faults/vm-out-of-memory.ts';
import { vmSlow } from './faults/vm-slow.ts';
import type { World, WorldOptions } from './faults/world.ts';

/** What a fault has to itself while it lasts: who is started again by one is not stopped by another. */
export type Part = 'vm' | 'manager' | 'gateway' | 'database' | 'provider' | 'packets' | 'rate' | 'disk' | 'size';

const FAULTS_OF: Readonly<Record<Part, readonly Fault[]>> = {
  vm: [vmKilled, vmTerminated, vmFrozen, vmSlow, vmOutOfMemory, vmDescriptors],
  manager: [managerKilled, managerFrozen, managerOlder, managerStopped, managerDescriptors],
  gateway: [gatewayKilled, gatewayStopped, gatewayDescriptors, haproxyKilled, haproxyTerminated, haproxyFrozen],
  database: [
    ...[
      databaseRestarted,
      databaseStopped,
      databaseReadOnly,
      databaseRefusesWrites,
      databaseFull,
      databaseFrozen,
      databaseSlow,
    ],
  ],
  provider: [providerAway, providerHangs, providerSlow, providerCutsOff, providerLies],
  packets: [...cutsOneWay, ...lossyBetween, networkLossy, agentsSilent, udpLost],
  rate: [...slowBetween, networkSlow],
  disk: [diskFull],
  size: [resized],
};
const PARTS = Object.keys(FAULTS_OF) as Part[];

/** These begin so long after the one before, in seconds, and the next ones when all are over. */
export type Round = readonly { readonly after: number; readonly part: Part; readonly fault: Fault }[];

export interface Schedule {
  readonly world: WorldOptions;
  /** Without end; whether the system is waited for behind it. */
  readonly rounds: () => Generator<{ readonly round: Round; readonly rest: boolean }, never>;
}

const LATEST_S = 4;
const SYSTEMS: readonly WorldOptions[] = [
  { repository: 'sqlite' },
  { repository: 'sqlite', disk: '256m' },
  { repository: 'sqlite', dataPlane: 'haproxy' },
  { repository: 'sqlite', cloud: 'opennebula' },
  { repository: 'mysql' },
  { repository: 'mysql', keepsVms: true },
  { repository: 'mysql', dataPlane: 'haproxy', keepsVms: true },
  { repository: 'mysql', cloud: 'opennebula' },
  { repository: 'mysql', gateways: 2 },
];

export function scheduleOf(seed: number): Schedule {
  const chance = seeded(seed);
  const one = <T>(of: readonly T[]): T => of[Math.floor(chance() * of.length)] as T;
  const world = one(SYSTEMS);
  const can = PARTS.map((part) => ({ part, faults: FAULTS_OF[part].filter((fault) => happensTo(fault, world)) }));
  return {
    world,
    *rounds() {
      for (;;) {
        const length = chance() < 0.5 ? 2 : 3;
        const free = can.filter(({ faults }) => faults.length > 0);
        const round = Array.from({ length }, () => {
          const [{ part, faults }] = free.splice(Math.floor(chance() * free.length), 1) as [(typeof can)[number]];
          return { after: chance() * LATEST_S, part, fault: one(faults) };
        });
        yield { round, rest: chance() < 0.5 };
      }
    },
  };
}

/** Whether that system has what the fault wants. */
const happensTo = (fault: Fault, world: WorldOptions): boolean =>
  Object.entries(fault.world ?? {}).every(([name, value]) => world[name as keyof WorldOptions] === value);

export interface RandomRun {
  readonly seed: number;
  readonly minutes: number;
  readonly tell: (what: string) => void;
}

/** All that happens within so many minutes, as one fault. */
export function atRandom({ seed, minutes, tell }: RandomRun): Fault {
  const { world, rounds } = scheduleOf(seed);
  return {
    name: `random, seed ${seed}`,
    what: `${JSON.stringify(world)} for ${minutes} min`,
    world,
    // several of those that were to do it may have ended over it
    jobMs: 300_000,
    inflict: async (system) => {
      const began = performance.now();
      const busy = new Set<Part>();
      const say = (what: string) => tell(`${((performance.now() - began) / 1000).toFixed(1)} s: ${what}`);
      const supervisor = supervise(system, busy, say);
      try {
        for (const { round, rest } of rounds()) {
          say(round.map(({ after, fault }) => `${fault.name} after ${after.toFixed(1)} s`).join(', '));
          await Promise.all(round.map((one) => happen(one, system, busy, say)));
          if (rest) await system.isWell();
          if (performance.now() - began > minutes * 60_000) break;
        }
      } finally {
        await supervisor.stop();
      }
    },
  };
}

async function happen(
  { after, part, fault }: Round[number],
  system: World,
  busy: Set<Part>,
  say: (what: string) => void,
): Promise<void> {
  await seconds(after);
  const why = fault.cannot?.();
  if (why !== undefined) return say(`${fault.name} is not tried: ${why}`);
  busy.add(part);
  try {
    await fault.inflict(system);
  } catch (error) {
    // what it was to happen to had gone, or does not begin for what else has happened: who looks after it starts it again
    if (!isGone(error)) throw error;
    say(`${fault.name}: ${(error as Error).message.split('\n', 1)[0]}`);
  } finally {
    busy.delete(part);
  }
}
