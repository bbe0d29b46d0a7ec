import { execFileSync } from 'node:child_process';
import { seconds, type Fault } from './fault.ts';
import type { World } from './world.ts';

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

export const networkCutOneWay: Fault = {
  name: 'network-cut-one-way',
  what: 'what the gateway answers its manager does not arrive for 5 s; what the manager says does',
  cannot,
  inflict: ({ controlPort }: World) => drop(5, ['-p', 'tcp', '--sport', String(controlPort)]),
};

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
