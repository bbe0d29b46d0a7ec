// What a VM of two cores is worth with one service process and with two, beside two VMs of one process each, which have nothing in common:
//   node test/bench/processes.ts [rounds] [what a core is] [seconds of a measurement]
// A "core" is a part of one, to which each process is held, so that the asking side and the database have room on the same machine: else they
// take from two processes what they do not take from one, and that is measured. What could keep two processes from twice the queries of one
// is in it all the same: connections that are dealt unevenly, a process in between, the database's locks. (Not the memory's bandwidth,
// which is the machine's.) All stand all the time and are asked in turn, another one first in each round, so that what else the machine does
// meets all; of the rounds the median counts, and half of them lie within the two figures behind it.
// "Times one" says what a client gets of it. What two VMs reach at once is what this machine, database and asking side let two processes
// have: below 2 it is they that are the limit, and what a VM of two processes lacks compared with two VMs is the VM's.
// "Of a core" is what of theirs the processes used: below 1 they waited for the database or for who asks. "By CPU" is free of that: queries
// for a second of the processes' own CPU, times what they may use, over the same of one process.
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { openCpuQuota } from '../../src/act/local/cpu-quota.ts';
import { cpuTimeMs } from '../../src/act/local/process-info.ts';
import { toEnvironment } from '../../src/manager/vm-environment.ts';
import { childrenOf } from '../helpers/children.ts';
import { freshMariaDb } from '../helpers/mariadb.ts';
import { temporaryFolder } from '../helpers/mmeliot.ts';
import { until } from '../helpers/until.ts';
import { eventsDocument } from '../helpers/work-faults.ts';

/** To each process: the more requests it finds waiting at a time, the less CPU each costs. */
const CONNECTIONS = 16;
const EVENTS = 400;
const WARM_UPS = 5;
const [rounds = 30, core = 0.15, seconds = 1.5] = process.argv.slice(2).map(Number);
const quota = openCpuQuota(`mmeliot-bench-${process.pid}`, 'auto');

const PROGRAM = join(import.meta.dirname, '../../src/cli/mmeliot.js');

interface Vm {
  readonly process: ChildProcess;
  readonly base: string;
  /** Its processes that answer. */
  readonly serving: readonly number[];
  /** Kept all the time, as a gateway keeps its connections. */
  readonly agent: Agent;
}

async function startVm(url: string, processes: number, addressFile: string): Promise<Vm> {
  const env = toEnvironment({
    ...{ id: 'vm', group: 'g', secret: 's', reportEvery: 10_000, repositoryUrl: url, addressFile },
    ...{ listen: { host: '127.0.0.1', port: 0 }, epcis: { processes } },
  });
  const vm = spawn(process.execPath, [PROGRAM, 'vm'], {
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], ...env },
  });
  const { port } = await until('the VM listens', () => addressIn(addressFile), 60_000);
  const pid = vm.pid ?? 0;
  const serving = processes === 1 ? [pid] : childrenOf(pid);
  if (serving.length !== processes) throw new Error(`${processes} processes were to serve, and ${serving.length} do.`);
  const agent = new Agent({ connections: CONNECTIONS * processes, keepAliveTimeout: 60_000 });
  return { process: vm, serving, agent, base: `http://127.0.0.1:${port}` };
}

function addressIn(file: string): { readonly port: number } | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as { readonly port: number };
  } catch {
    return undefined;
  }
}

/** Queries a second of all these VMs, each of one page of events of one EPC. */
async function throughput(vms: readonly Vm[]): Promise<number> {
  const until = performance.now() + seconds * 1000;
  const answered = await Promise.all(vms.map((vm) => answers(vm, until)));
  return answered.reduce((sum, count) => sum + count) / seconds;
}

async function answers({ base, serving, agent }: Vm, until: number): Promise<number> {
  let answered = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS * serving.length }, async (_, n) => {
      for (let at = n; performance.now() < until; at++) {
        const query = `MATCH_epc=${encodeURIComponent(`urn:example:bench:${at % EVENTS}`)}`;
        const { statusCode, body } = await request(`${base}/events?${query}`, { dispatcher: agent });
        const { epcisBody } = (await body.json()) as {
          epcisBody: { queryResults: { resultsBody: { eventList: unknown[] } } };
        };
        if (statusCode !== 200 || epcisBody.queryResults.resultsBody.eventList.length !== 1)
          throw new Error(`A query was answered with ${statusCode} and something else than its event.`);
        answered += 1;
      }
    }),
  );
  return answered;
}

async function capture(base: string): Promise<void> {
  const xml = eventsDocument('bench', EVENTS);
  const headers = { 'content-type': 'text/xml' };
  const { statusCode, body } = await request(`${base}/epcis/capture`, { method: 'POST', headers, body: xml });
  if (statusCode !== 200) throw new Error(`The capture was answered with ${statusCode}: ${await body.text()}`);
  await body.dump();
}

interface Measured {
  readonly rate: number;
  /** Core-ms that the VM's processes used, and that the machine had left. */
  readonly cpuMs: number;
  readonly idleMs: number;
}

const idleTime = (): number => cpus().reduce((sum, { times }) => sum + times.idle, 0);
const cpuTime = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + (cpuTimeMs(pid) ?? 0), 0);

async function measured(vms: readonly Vm[]): Promise<Measured> {
  const serving = vms.flatMap((vm) => vm.serving);
  const [cpu, idle] = [cpuTime(serving), idleTime()];
  const rate = await throughput(vms);
  return { rate, cpuMs: cpuTime(serving) - cpu, idleMs: idleTime() - idle };
}

const folder = temporaryFolder();
const url = await freshMariaDb();
const print = (...cells: readonly (string | number)[]): void => {
  const widths = [13, 9, 9, 9, 12, 6, 12];
  process.stdout.write(`${cells.map((cell, n) => String(cell).padStart(widths[n] ?? 0)).join('  ')}\n`);
};
const figures = (processes: number, seen: Measured, of: Measured) => {
  const perCpu = ({ rate, cpuMs }: Measured): number => rate / cpuMs;
  return {
    rate: seen.rate,
    times: seen.rate / of.rate,
    ofCore: seen.cpuMs / (processes * core * seconds * 1000),
    perQuery: seen.cpuMs / (seen.rate * seconds),
    byCpu: (processes * perCpu(seen)) / perCpu(of),
    idle: seen.idleMs / (seconds * 1000 * cpus().length),
  };
};
type Figures = ReturnType<typeof figures>;
const line = (what: string, { rate, times, ofCore, perQuery, byCpu, idle }: Figures): void =>
  print(
    ...[what, rate.toFixed(0), times.toFixed(2), ofCore.toFixed(2), `${perQuery.toFixed(2)} ms`, byCpu.toFixed(2)],
    `${(idle * 100).toFixed(0)} %`,
  );

const vms = [
  await startVm(url, 1, join(folder.path, 'one.json')),
  await startVm(url, 1, join(folder.path, 'another.json')),
  await startVm(url, 2, join(folder.path, 'two.json')),
] as const;
const [one, another, two] = vms;
const asked = { one: [one], 'two processes': [two], 'two VMs': [one, another] } as const;
type Asked = keyof typeof asked;
const names = Object.keys(asked) as readonly Asked[];
await capture(one.base);
// slow before they have answered for a while, and that would be long while they are held
for (let n = 0; n < WARM_UPS; n++) for (const vm of vms) await throughput([vm]);
for (const vm of vms) for (const one of vm.serving) quota.limit(String(one), one, core);
for (const name of names) await throughput(asked[name]);
print('asked', 'queries/s', 'times one', 'of a core', 'CPU a query', 'by CPU', 'machine idle');
const all: Record<Asked, Figures>[] = [];
for (let round = 0; round < rounds; round++) {
  const seen = {} as Record<Asked, Measured>;
  for (let n = 0; n < names.length; n++) {
    const name = names[(round + n) % names.length] ?? 'one';
    seen[name] = await measured(asked[name]);
  }
  const found = {
    one: figures(1, seen.one, seen.one),
    'two processes': figures(2, seen['two processes'], seen.one),
    'two VMs': figures(2, seen['two VMs'], seen.one),
  };
  for (const name of names) line(name, found[name]);
  all.push(found);
}
const summary = (what: string, of: (round: Record<Asked, Figures>) => number): void => {
  const sorted = all.map(of).sort((a, b) => a - b);
  const [low, median, high] = [0.25, 0.5, 0.75].map((part) =>
    (sorted[Math.floor(part * sorted.length)] ?? NaN).toFixed(2),
  );
  process.stdout.write(`${what}: ${median} (${low} to ${high})\n`);
};
summary('two processes, times one', (round) => round['two processes'].times);
summary('two processes, by CPU', (round) => round['two processes'].byCpu);
summary('two VMs, times one', (round) => round['two VMs'].times);
summary('two VMs, by CPU', (round) => round['two VMs'].byCpu);
summary('two processes, times two VMs', (round) => round['two processes'].rate / round['two VMs'].rate);
summary('two processes, times two VMs by CPU', (round) => round['two processes'].byCpu / round['two VMs'].byCpu);
for (const vm of vms) {
  await vm.agent.close();
  vm.process.kill('SIGTERM');
  await new Promise((done) => vm.process.once('exit', done));
}
quota.close();
folder.remove();
process.exit(0);
