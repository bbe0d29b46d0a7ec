import { execFileSync, spawnSync } from 'node:child_process';
import { seconds, type Fault } from './fault.ts';
import type { Relay } from './relay.ts';
import type { World, WorldOptions } from './world.ts';

/** Set in a network of its own (`run.ts` goes into one), where rules of packets hurt nobody else. */
export const OWN_NETWORK = 'CHAOS_OWN_NETWORK';

const cannot = (): string | undefined => {
  if (process.env[OWN_NETWORK] === undefined) return 'there is no network of its own to do it in';
  const missing = ['iptables', 'tc'].find((command) => spawnSync(command, ['-V']).error !== undefined);
  return missing && `${missing} is not installed (test/setup.sh installs it)`;
};

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
  // its agent goes on to report
  cutOneWay('gateway', 'one-vm', '--dport', (world) => world.vmPorts().slice(0, 1)),
  cutOneWay('clients', 'gateway', '--dport', (world) => [world.clientPort]),
  cutOneWay('gateway', 'clients', '--sport', (world) => [world.clientPort]),
  cutOneWay('vms', 'database', '--dport', database, { repository: 'mysql' }),
  cutOneWay('database', 'vms', '--sport', database, { repository: 'mysql' }),
];

interface Pair {
  readonly name: string;
  /** Where the one of the two that is asked listens. */
  readonly portsOf: (world: World) => number[];
  readonly world?: WorldOptions;
}

const PAIRS: readonly Pair[] = [
  { name: 'clients-gateway', portsOf: (world) => [world.clientPort] },
  { name: 'gateway-vms', portsOf: vms },
  { name: 'manager-gateway', portsOf: control },
  { name: 'vms-database', portsOf: database, world: { repository: 'mysql' } },
];

export const lossyBetween: readonly Fault[] = PAIRS.map(({ name, portsOf, world = {} }) => ({
  name: `lossy-${name}`,
  what: 'between these two one packet of twenty is lost, either way, for 5 s',
  ...{ world, cannot },
  inflict: (system) =>
    drop(
      5,
      ...portsOf(system).flatMap((port) =>
        ['--dport', '--sport'].map((side) => ['-p', 'tcp', side, String(port), ...sometimes(0.05)]),
      ),
    ),
}));

export const slowBetween: readonly Fault[] = PAIRS.map(({ name, portsOf, world = {} }) => ({
  name: `slow-${name}`,
  what: 'these two have 512 kbit/s for what they say to each other for 5 s',
  ...{ world, cannot },
  inflict: (system) => slow(portsOf(system), '512kbit'),
}));

async function slow(ports: readonly number[], rate: string): Promise<void> {
  const tc = (what: string, rest: string) => execFileSync('tc', [what, 'add', 'dev', 'lo', ...rest.split(' ')]);
  // what no rule names is not held up
  tc('qdisc', 'root handle 1: htb default 0');
  try {
    tc('class', `parent 1: classid 1:1 htb rate ${rate} burst 16kb`);
    for (const port of ports)
      for (const side of ['dport', 'sport'])
        tc('filter', `parent 1: protocol ip prio 1 u32 match ip ${side} ${port} 0xffff flowid 1:1`);
    await seconds(5);
  } finally {
    execFileSync('tc', ['qdisc', 'del', 'dev', 'lo', 'root']);
  }
}

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
