// What a VM of two cores is worth with one service process and with two:
//   node test/bench/processes.ts [seconds] [what a core is]
// A "core" is 0.3 of one, to which each process is held, so that the asking side and the database have room on the same machine: "times one"
// says what a client gets of it. "Of a core" is what of theirs the processes used: below 1 they waited for the database or for who asks.
// "By CPU" is free of that: queries for a second of the processes' own CPU, times what they may use, over the same of one process.
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
const [seconds = 8, core = 0.3] = process.argv.slice(2).map(Number);
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
let one: Measured | undefined;
for (const [n, processes] of [1, 2, 1, 2].entries()) {
  const vm = await startVm(url, processes, join(folder.path, `address-${n}.json`));
  if (n === 0) await capture(vm.base);
  await throughput(vm); // warm
  const seen = await measured(vm);
  if (processes === 1) one = seen;
  const of = one ?? seen;
  const perCpu = ({ rate, cpuMs }: Measured): number => rate / cpuMs;
  print(
    ...[processes, seen.rate.toFixed(0), (seen.rate / of.rate).toFixed(2)],
    (seen.cpuMs / (processes * core * seconds * 1000)).toFixed(2),
    `${(seen.cpuMs / (seen.rate * seconds)).toFixed(2)} ms`,
    ((processes * perCpu(seen)) / perCpu(of)).toFixed(2),
    `${((seen.idleMs / (seconds * 1000 * cpus().length)) * 100).toFixed(0)} %`,
  );
  vm.process.kill('SIGTERM');
  await new Promise((done) => vm.process.once('exit', done));
  for (let at = 0; at < processes; at++) quota.release(`${processes}-${at}`);
}
quota.close();
folder.remove();
process.exit(0);
