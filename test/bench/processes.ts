// What a VM of two cores is worth with one service process and with two:
//   node test/bench/processes.ts [rounds] [what a core is] [seconds of a measurement]
// A "core" is a part of one, to which each process is held, so that the asking side and the database have room on the same machine: else they
// take from two processes what they do not take from one, and that is measured. What could keep two processes from twice the queries of one
// is in it all the same: connections that are dealt unevenly, a process in between, the database's locks. (Not the memory's bandwidth,
// which is the machine's.) Both VMs stand all the time and are asked in turn, so that what else the machine does meets both; of the rounds
// the median counts. "Times one" says what a client gets of it. "Of a core" is what of theirs the processes used: below 1 they waited for the
// database or for who asks. "By CPU" is free of that: queries for a second of the processes' own CPU, times what they may use, over the
// same of one process.
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
const [rounds = 21, core = 0.15, seconds = 1.5] = process.argv.slice(2).map(Number);
const quota = openCpuQuota(`mmeliot-bench-${process.pid}`, 'auto');

const PROGRAM = join(import.meta.dirname, '../../src/cli/mmeliot.js');

interface Vm {
  readonly process: ChildProcess;
  readonly base: string;
  /** Its processes that answer. */
  readonly serving: readonly number[];
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
  serving.forEach((one, n) => quota.limit(`${processes}-${n}`, one, core));
  return { process: vm, serving, base: `http://127.0.0.1:${port}` };
}

function addressIn(file: string): { readonly port: number } | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as { readonly port: number };
  } catch {
    return undefined;
  }
}

/** Queries a second, each of one page of events of one EPC. */
async function throughput({ base, serving }: Vm): Promise<number> {
  const connections = CONNECTIONS * serving.length;
  const agent = new Agent({ connections });
  const until = performance.now() + seconds * 1000;
  let answered = 0;
  await Promise.all(
    Array.from({ length: connections }, async (_, n) => {
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
  await agent.close();
  return answered / seconds;
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

async function measured(vm: Vm): Promise<Measured> {
  const { serving } = vm;
  const [cpu, idle] = [cpuTime(serving), idleTime()];
  const rate = await throughput(vm);
  return { rate, cpuMs: cpuTime(serving) - cpu, idleMs: idleTime() - idle };
}

const folder = temporaryFolder();
const url = await freshMariaDb();
const print = (...cells: readonly (string | number)[]): void => {
  const widths = [9, 9, 9, 9, 12, 6, 12];
  process.stdout.write(`${cells.map((cell, n) => String(cell).padStart(widths[n] ?? 0)).join('  ')}\n`);
};
print('processes', 'queries/s', 'times one', 'of a core', 'CPU a query', 'by CPU', 'machine idle');
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
const line = (what: string | number, { rate, times, ofCore, perQuery, byCpu, idle }: Figures): void =>
  print(
    ...[what, rate.toFixed(0), times.toFixed(2), ofCore.toFixed(2), `${perQuery.toFixed(2)} ms`, byCpu.toFixed(2)],
    `${(idle * 100).toFixed(0)} %`,
  );

const one = await startVm(url, 1, join(folder.path, 'one.json'));
const two = await startVm(url, 2, join(folder.path, 'two.json'));
await capture(one.base);
// slow before they have answered for a while
for (const vm of [one, two, one, two]) await throughput(vm);
const all: Figures[] = [];
for (let round = 0; round < rounds; round++) {
  const order = round % 2 === 0 ? [one, two] : [two, one];
  const seen = new Map<Vm, Measured>();
  for (const vm of order) seen.set(vm, await measured(vm));
  const [ofOne, ofTwo] = [seen.get(one), seen.get(two)];
  if (ofOne === undefined || ofTwo === undefined) throw new Error('A VM was not measured.');
  line(1, figures(1, ofOne, ofOne));
  const both = figures(2, ofTwo, ofOne);
  line(2, both);
  all.push(both);
}
for (const what of ['times', 'byCpu'] as const) {
  const sorted = all.map((each) => each[what]).sort((a, b) => a - b);
  const [least, median, most] = [0, sorted.length >> 1, sorted.length - 1].map((at) => (sorted[at] ?? NaN).toFixed(2));
  process.stdout.write(`${what === 'times' ? 'times one' : 'by CPU'}: ${median} (${least} to ${most})\n`);
}
for (const vm of [one, two]) {
  vm.process.kill('SIGTERM');
  await new Promise((done) => vm.process.once('exit', done));
}
quota.close();
folder.remove();
process.exit(0);
