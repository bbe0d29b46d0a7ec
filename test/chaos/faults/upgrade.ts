import type { Fault } from './fault.ts';
import type { World } from './world.ts';

let from: string | undefined;

/** The commit that is upgraded from. */
export function upgradeFrom(commit: string): void {
  from = commit;
}

/** Each part after the other, as docs/operating.md has it: the gateways, the manager, then the VMs by its manager's commands. */
async function roll(world: World, release: 'this' | 'before'): Promise<void> {
  world.use(release);
  world.gateway.child.kill('SIGTERM');
  await world.gateway.ended();
  await world.startGateway();
  await world.secondGateway?.stop();
  await world.startSecondGateway();
  world.manager.child.kill('SIGTERM');
  await world.manager.ended();
  await world.startManager();
  await world.isWell();
  await world.replaceVms();
}

const rolled = (name: string, what: string, ...releases: readonly ('this' | 'before')[]): Fault => ({
  name,
  what,
  get world() {
    return { repository: 'mysql', gateways: 2, ...(from === undefined ? {} : { from }) } as const;
  },
  cannot: () => (from === undefined ? 'say from which version: --from GIT-REF' : undefined),
  inflict: async (world) => {
    for (const release of releases) await roll(world, release);
  },
});

const UP =
  'gateways, manager and VMs of the version before are replaced one by one by this one, which changes the schema';

export const upgrades: readonly Fault[] = [
  rolled('upgrade', UP, 'this'),
  rolled('upgrade-and-back', `${UP}, and then this one's by those`, 'this', 'before'),
];
