// What a VM of two cores is worth with one service process and with two:
//   node test/bench/processes.ts [seconds]
// A "core" is 0.15 of one, to which each process is held, so that the asking side and the database have room on the same machine.
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { openCpuQuota } from '../../src/act/local/cpu-quota.ts';
import { toEnvironment } from '../../src/manager/vm-environment.ts';
import { childrenOf } from '../helpers/children.ts';
import { freshMariaDb } from '../helpers/mariadb.ts';
import { temporaryFolder } from '../helpers/mmeliot.ts';
import { until } from '../helpers/until.ts';
import { eventsDocument } from '../helpers/work-faults.ts';

const CORE = 0.15;
const CONNECTIONS = 16;
const EVENTS = 400;
const seconds = Number(process.argv[2] ?? 8);
const quota = openCpuQuota('', 'signals');

const PROGRAM = join(import.meta.dirname, '../../src/cli/mmeliot.js');

async function startVm(
  url: string,
  processes: number,
  addressFile: string,
): Promise<{ vm: ChildProcess; base: string }> {
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
  serving.forEach((one, n) => quota.limit(`${processes}-${n}`, one, CORE));
  return { vm, base: `http://127.0.0.1:${port}` };
}

function addressIn(file: string): { readonly port: number } | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as { readonly port: number };
  } catch {
    return undefined;
  }
}

/** Queries a second, each of one page of events of one EPC. */
async function throughput(base: string): Promise<number> {
  const agent = new Agent({ connections: CONNECTIONS });
  const until = performance.now() + seconds * 1000;
  let answered = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async (_, n) => {
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

const folder = temporaryFolder();
const url = await freshMariaDb();
const measured: number[] = [];
process.stdout.write('processes  queries/s  times one\n');
for (const processes of [1, 2, 1, 2]) {
  const { vm, base } = await startVm(url, processes, join(folder.path, `address-${measured.length}.json`));
  if (measured.length === 0) await capture(base);
  await throughput(base); // warm
  measured.push(await throughput(base));
  const [one = 1] = measured.slice(processes === 1 ? -1 : -2);
  const cells = [processes, measured.at(-1)?.toFixed(0) ?? '', ((measured.at(-1) ?? 0) / one).toFixed(2)];
  process.stdout.write(`${cells.map((cell, n) => String(cell).padStart([9, 9, 9][n] ?? 0)).join('  ')}\n`);
  vm.kill('SIGTERM');
  await new Promise((done) => vm.once('exit', done));
  for (let n = 0; n < processes; n++) quota.release(`${processes}-${n}`);
}
quota.close();
folder.remove();
process.exit(0);
