// What one hostile client costs the others: node test/chaos/clients.ts [--seconds 2] [--compare 2] [--rounds 3] [--plane builtin|haproxy] [--client NAME]...
//   [--repository mysql]: the VMs that serve EPCIS are over MariaDB; the status is 1 where a promise was not kept
//   [--http2]: HAProxy speaks HTTP/2 (gateway.http2), as it does not by default
//   --seconds: how long it plays against the gateway; --compare: how long what that is compared with takes (default: as long)
// Gateway, VM and hostile client are processes of their own; the others ask from here: alone; beside the same client playing against a
// server that is not on their way, which is what its use of the machine costs them; and beside it playing against the gateway.
import { commandOptions } from '../helpers/command-options.ts';
import { startMariaDb } from '../helpers/mariadb.ts';
import { startProgress } from '../helpers/progress.ts';
import { CLIENTS, plays, type Plane } from './hostile-all.ts';
import type { Hostile } from './hostile.ts';
import { median } from './measure.ts';
import { MOST_MB, Stage, type Phase, type StageOptions } from './stage.ts';

interface Outcome {
  readonly client: string;
  readonly asked: number;
  readonly lost: number;
  /** ms at the 95th percentile, median of the rounds: alone; beside the client elsewhere; beside it at the gateway. */
  readonly alone: number;
  readonly elsewhere: number;
  readonly beside: number;
  /** Parts of a processor that the gateway (and its HAProxy) takes, alone and beside it; and what the client takes. */
  readonly gatewayAlone: number;
  readonly gatewayBeside: number;
  readonly clientTakes: number;
  /** What the VM takes, alone and beside it. */
  readonly vmAlone: number;
  readonly vmBeside: number;
  /** MB more than before, at most: of the gateway (and its HAProxy), of the VM. */
  readonly gatewayMb: number;
  readonly vmMb: number;
}

interface Playing extends Pick<StageOptions, 'plane' | 'repository' | 'http2' | 'also'> {
  readonly seconds: number;
  readonly compareSeconds: number;
  readonly rounds: number;
}

/** Plays one hostile client for so long, so often; asks all the while. */
async function playAgainst(
  client: Hostile,
  { seconds, compareSeconds, rounds, ...options }: Playing,
): Promise<Outcome> {
  const tried = `${options.plane}_${client.name}`.replace(/\W+/g, '_');
  const repository = options.repository && ((name: string) => options.repository?.(`${tried}_${name}`) ?? '');
  const stage = await Stage.open({ ...options, repository, like: client });
  try {
    const phase = async (forSeconds: number, where: 'nowhere' | 'elsewhere' | 'here') => {
      await stage.calm();
      return stage.play(client, forSeconds * 1000, where);
    };
    const all: [Phase, Phase, Phase][] = [];
    for (let i = 0; i < rounds; i++) {
      const [alone, away] = [await phase(compareSeconds, 'nowhere'), await phase(compareSeconds, 'elsewhere')];
      all.push([alone, away, await phase(seconds, 'here')]);
    }
    const of = (which: 0 | 1 | 2, what: keyof Phase) => median(all.map((round) => round[which][what]));
    const sum = (what: keyof Phase) => all.reduce((total, round) => total + round[2][what], 0);
    return {
      client: client.name,
      asked: sum('asked'),
      lost: sum('lost'),
      alone: of(0, 'p95'),
      elsewhere: of(1, 'p95'),
      beside: of(2, 'p95'),
      gatewayAlone: of(0, 'gateway'),
      gatewayBeside: of(2, 'gateway'),
      clientTakes: of(2, 'client'),
      vmAlone: of(0, 'vm'),
      vmBeside: of(2, 'vm'),
      gatewayMb: Math.max(...all.map((round) => round[2].gatewayMb)),
      vmMb: Math.max(...all.map((round) => round[2].vmMb)),
    };
  } finally {
    await stage.close();
  }
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const HEAD = [
  'client',
  'asked',
  'lost',
  'alone',
  'elsewhere',
  'beside',
  '× alone',
  '× elsewhere',
  'gateway CPU',
  'VM CPU',
  'its CPU',
];
const GROWN = ['gateway MB', 'VM MB', 'not kept'];

async function main(): Promise<void> {
  const { values } = commandOptions({
    options: {
      seconds: { type: 'string', default: '2' },
      compare: { type: 'string' },
      rounds: { type: 'string', default: '3' },
      plane: { type: 'string' },
      client: { type: 'string', multiple: true },
      repository: { type: 'string' },
      http2: { type: 'boolean', default: false },
    },
  });
  const planes = (['builtin', 'haproxy'] as const).filter((plane) =>
    [undefined, plane].includes(values.plane as Plane),
  );
  const clients = CLIENTS.filter(({ name }) => values.client === undefined || values.client.includes(name));
  const toPlay = (plane: Plane) => clients.filter((client) => plays(plane, client));
  const database = values.repository === 'mysql' ? await startMariaDb() : undefined;
  const repository = database && ((name: string) => database.url(name));
  const progress = startProgress(planes.flatMap(toPlay).length);
  for (const plane of planes) {
    print(
      `\n${plane}: p95 of the others in ms: alone, beside the client elsewhere, beside it here; CPU in parts of a processor\n`,
    );
    print(`| ${[...HEAD, ...GROWN].join(' | ')} |`);
    print(`|${' --- |'.repeat(HEAD.length + GROWN.length)}`);
    for (const client of toPlay(plane)) {
      progress(`${plane}: ${client.name}`);
      const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];
      const compareSeconds = Number(values.compare ?? values.seconds);
      const also = database === undefined ? [] : [database.pid()];
      const { http2 } = values;
      const one = await playAgainst(client, { plane, seconds, compareSeconds, rounds, repository, also, http2 });
      const broken = notKept(one);
      print(`| ${one.client} | ${cellsOf(one).join(' | ')} | ${broken.join(', ')} |`);
      if (broken.length > 0) process.exitCode = 1;
    }
  }
  await database?.stop();
}

/** The p95 of others is to be twice what it is beside the same client elsewhere at most; what is within some ms is no matter. */
const NO_MATTER_MS = 10;

function notKept({ lost, elsewhere, beside, gatewayMb, vmMb }: Outcome): string[] {
  return [
    ...(lost > 0 ? ['lost'] : []),
    ...(beside > 2 * elsewhere && beside - elsewhere > NO_MATTER_MS ? ['p95'] : []),
    ...(Math.max(gatewayMb, vmMb) > MOST_MB ? ['memory'] : []),
  ];
}

function cellsOf(one: Outcome): (string | number)[] {
  const { asked, lost, alone, elsewhere, beside } = one;
  const times = [alone, elsewhere, beside, beside / alone, beside / elsewhere].map((value) => value.toFixed(1));
  const part = (before: number, during: number): string => `${before.toFixed(2)} → ${during.toFixed(2)}`;
  const cpu = [part(one.gatewayAlone, one.gatewayBeside), part(one.vmAlone, one.vmBeside)];
  return [asked, lost, ...times, ...cpu, one.clientTakes.toFixed(2), one.gatewayMb, one.vmMb];
}

await main();
