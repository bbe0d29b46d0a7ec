import { execFileSync } from 'node:child_process';
import { seconds, type Fault } from './fault.ts';
import type { Relay } from './relay.ts';
import type { World, WorldOptions } from './world.ts';

/** Set in a network of its own (`run.ts` goes into one), where rules of packets hurt nobody else. */
export const OWN_NETWORK = 'CHAOS_OWN_NETWORK';

const cannot = (): string | undefined =>
  process.env[OWN_NETWORK] === undefined ? 'there is no network of its own to do it in' : undefined;

/** For so long packets that these matches fit do not arrive. */
async function drop(forSeconds: number, ...rules: readonly string[][]): Promise<void> {
  const iptables = (what: '-A' | '-D') => {
    for (const rule of rules) execFileSync('iptables', [what, 'INPUT', ...rule, '-j', 'DROP']);
  };
  iptables('-A');
  try {
    await seconds(forSeconds);
  } finally {
    iptables('-D');
  }
}

const sometimes = (part: number) => ['-m', 'statistic', '--mode', 'random', '--probability', String(part)];

export const networkLossy: Fault = {
  name: 'network-lossy',
  what: 'one packet of fifty is lost between any two parts for 5 s',
  cannot,
  inflict: () => drop(5, ['-p', 'tcp', ...sometimes(0.02)], ['-p', 'udp', ...sometimes(0.02)]),
};

/** What `from` says to `to`, who listens there, or answers it, does not arrive for 5 s; what is said the other way does. */
const cutOneWay = (
  from: string,
  to: string,
  side: '--dport' | '--sport',
  portsOf: (world: World) => number[],
  world: WorldOptions = {},
): Fault => ({
  name: `cut-${from}-to-${to}`,
  what: `what ${from} says does not reach ${to} for 5 s; what is said the other way does`,
  ...{ world, cannot },
  inflict: (system) => drop(5, ...portsOf(system).map((port) => ['-p', 'tcp', side, String(port)])),
});

const [vms, control, database] = [
  (world: World) => world.vmPorts(),
  (world: World) => [world.controlPort],
  (world: World) => [world.databaseServer.port],
];

export const cutsOneWay: readonly Fault[] = [
  cutOneWay('gateway', 'manager', '--sport', control),
  cutOneWay('manager', 'gateway', '--dport', control),
  cutOneWay('gateway', 'vms', '--dport', vms),
  cutOneWay('vms', 'gateway', '--sport', vms),
  cutOneWay('clients', 'gateway', '--dport', (world) => [world.clientPort]),
  cutOneWay('vms', 'database', '--dport', database, { repository: 'mysql' }),
  cutOneWay('database', 'vms', '--sport', database, { repository: 'mysql' }),
];

export const networkSlow: Fault = {
  name: 'network-slow',
  what: 'all parts together have 2 Mbit/s for 5 s',
  cannot,
  inflict: async () => {
    const tc = (...args: string[]) => execFileSync('tc', ['qdisc', ...args]);
    tc('add', 'dev', 'lo', 'root', 'tbf', 'rate', '2mbit', 'burst', '64kb', 'latency', '400ms');
    try {
      await seconds(5);
    } finally {
      tc('del', 'dev', 'lo', 'root');
    }
  },
};

export const agentsSilent: Fault = {
  name: 'agents-silent',
  what: 'no load report arrives for 10 s, while the VMs live',
  cannot,
  inflict: ({ collectorPort }: World) => drop(10, ['-p', 'udp', '--dport', String(collectorPort)]),
};

export const udpLost: Fault = {
  name: 'udp-lost',
  what: 'every other load report is lost for 10 s',
  cannot,
  inflict: ({ collectorPort }: World) => drop(10, ['-p', 'udp', '--dport', String(collectorPort), ...sometimes(0.5)]),
};

export const udpMixed: Fault = {
  name: 'udp-mixed',
  what: 'each load report comes twice, up to 3 s late, and after later ones, for 10 s',
  world: { reports: 'relayed' },
  cannot,
  inflict: ({ reports }) => later(reports, 3_000, 10),
};

export const databaseFar: Fault = {
  name: 'database-far',
  what: 'what VMs and database say to each other is 50 ms later, either way, for 5 s',
  world: { repository: 'mysql behind a relay' },
  inflict: async ({ repository: { relay } }) => relay && later(relay, 50, 5),
};

async function later(relay: Relay, ms: number, forSeconds: number): Promise<void> {
  relay.delayMs = ms;
  try {
    await seconds(forSeconds);
  } finally {
    relay.delayMs = 0;
  }
}
