// node test/bench/tenants.ts [--seconds 10] [--repository mysql] [--plane haproxy] [--clients 48] [--per-vm 4] [--only clients|bulk] [--rounds 3]: what one tenant's bulk load, and another's many clients, cost a third.
// A whole system by its own commands, three tenants;
// north asks twenty times a second, alone; while south, held to 500 events a second, captures over eight connections; and while it does so as
// fast as it can. What counts is the ratio of north's p95; all share the processors of this machine with who asks. So the same load is sent
// to a second system, with VMs and a repository of its own, as well: what that costs north no turns of tenants can save. Beside it, how much
// of south's was captured, while north asked and (what that costs) while nobody did. East's clients, a key each, ask what north asks, each as soon as
// it is answered, and are of the same class: then slots and places in the queue are what both want.
import { Agent } from 'node:http';
import { writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { commandOptions } from '../helpers/command-options.ts';
import { ask } from '../helpers/gateway.ts';
import { freshMariaDb } from '../helpers/mariadb.ts';
import { startProgram, temporaryFolder } from '../helpers/mmeliot.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { urlOfTenant } from '../../epcis/tenants.ts';
import { until } from '../helpers/until.ts';
import type { Asked } from './tenants-asker.ts';

const EVERY_MS = 50;
const LOADERS = 8;
/** Documents: more than are taken. */
const MOST_A_SECOND = 80;
const DOCUMENT = 500;
const SEEDED = 2_000;

const { values } = commandOptions({
  options: {
    seconds: { type: 'string', default: '10' },
    repository: { type: 'string', default: 'sqlite' },
    plane: { type: 'string', default: 'builtin' },
    clients: { type: 'string', default: '48' },
    'per-vm': { type: 'string', default: 'auto' },
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '1' },
  },
});
const seconds = Number(values.seconds);
const clients = Number(values.clients);
const url = values.repository === 'mysql' ? await freshMariaDb() : undefined;
const folder = temporaryFolder();
const configOf = (name: string, repository: string | undefined) => {
  const path = join(folder.path, `${name}.yaml`);
  writeFileSync(
    path,
    `access: known
dataDir: ${join(folder.path, name)}
gateway: { port: 0, dataPlane: ${values.plane}, perVm: ${values['per-vm']} }
admin: { port: 0 }
collector: { port: 0 }
epcis: { tenants: [north, south, east] }
${repository === undefined ? '' : `repository: { url: '${repository}' }`}
identity: { tenantTerms: [{ name: south, requestClass: bulk }] }
local: { cpu: 0.5 }
elasticity: { min: 2, max: 2, period: 2s }
`,
  );
  return path;
};
const config = configOf('data', url);
const rules = join(folder.path, 'rules.yaml');
writeFileSync(
  rules,
  'rules:\n  - { name: see, for: everybody, see: everything }\n  - { name: capture, for: everybody, capture: everything }\n',
);

const event = (n: number) => ({
  type: 'ObjectEvent',
  eventTime: new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString(),
  eventTimeZoneOffset: '+00:00',
  action: 'OBSERVE',
  bizStep: 'shipping',
  epcList: [`urn:epc:id:sgtin:0614141.107346.${n}`],
});
const documentOf = (from: number) =>
  JSON.stringify({
    ...{ '@context': [], type: 'EPCISDocument', schemaVersion: '2.0', creationDate: '2026-01-01T00:00:00Z' },
    epcisBody: { eventList: Array.from({ length: DOCUMENT }, (_, n) => event(from + n)) },
  });

const started = async (of: string) => {
  const program = startProgram(['up', '--config', of]);
  const [, gateway = '', admin = ''] = await program.says(
    /clients connect to\s+(\S+)[^]*operator looks at\s+(\S+)[^]*Ctrl-C/,
  );
  return { stop: () => program.stop(), port: Number(new URL(gateway).port), admin };
};
const program = await started(config);
let second: Awaited<ReturnType<typeof started>> | undefined;
try {
  const { port, admin } = program;
  const run = async (...args: string[]) => {
    const { status, output } = await startProgram(args).ended();
    if (status !== 0) throw new Error(output);
    return output;
  };
  const keyAt = async (at: string, tenant: string, ...more: string[]) => {
    const role = ['--role', 'capture', 'query', '--tenant', tenant];
    return /mm_\S+/.exec(await run('key', 'create', tenant, ...role, ...more, '--admin', at))?.[0] ?? '';
  };
  const keyOf = (tenant: string, ...more: string[]) => keyAt(admin, tenant, ...more);
  for (const tenant of ['north', 'south', 'east'])
    await run('access', 'rules', 'apply', rules, '--tenant', tenant, '--config', config);
  const [north, south, held] = [await keyOf('north'), await keyOf('south'), await keyOf('south', '--events', '500')];
  const east: string[] = [];
  for (let i = 0; i < clients; i++) east.push(await keyOf('east'));

  const agent = new Agent({ keepAlive: true });
  const post = (key: string, document: string | Buffer, to = port) =>
    ask(
      to,
      '/capture',
      { method: 'POST', agent, headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' } },
      document,
    );
  await until('the rules are in force', async () => (await post(north, documentOf(0))).status === 202);
  for (let from = DOCUMENT; from < SEEDED; from += DOCUMENT) await post(north, documentOf(from));

  for (let from = 0; from < SEEDED; from += DOCUMENT) await post(east[0] ?? '', documentOf(from));
  const QUESTION = '/events?EQ_bizStep=shipping&perPage=20';
  const askAll = async (end: number) => {
    let [answered, refused] = [0, 0];
    await Promise.all(
      east.map(async (key) => {
        while (performance.now() < end) {
          const { status } = await ask(port, QUESTION, { agent, headers: { authorization: `Bearer ${key}` } });
          if (status === 200) answered++;
          else refused++;
        }
      }),
    );
    return `${Math.round(answered / seconds)} answers/s to east's ${clients} clients, ${refused} refused`;
  };

  let captured = SEEDED;
  let takenOfSouth = 0;
  /** Made before they are sent: who makes them has no time for the answers that are measured. */
  const documents = () =>
    Array.from({ length: seconds * MOST_A_SECOND }, () => Buffer.from(documentOf((captured += DOCUMENT))));
  const load = async (key: string, all: Buffer[], end: number, to: number) => {
    let [taken, refused] = [0, 0];
    const one = async () => {
      while (performance.now() < end) {
        const document = all.pop();
        if (document === undefined) return;
        const { status, headers } = await post(key, document, to);
        if (status === 202) {
          taken++;
          if (to === port) takenOfSouth += DOCUMENT;
        } else {
          refused++;
          const wait = Math.min(end - performance.now(), Number(headers['retry-after'] ?? 1) * 1000);
          await new Promise((resolve) => setTimeout(resolve, Math.max(0, wait)));
        }
      }
    };
    await Promise.all(Array.from({ length: LOADERS }, one));
    return `${Math.round((taken * DOCUMENT) / seconds)} events/s taken, ${refused} documents refused`;
  };
  const southern = await openDatabase({
    url: urlOfTenant(url ?? `sqlite://${join(folder.path, 'data', 'epcis.db')}`, 'south'),
  });
  const eventsOfSouth = async () => Number((await southern.all('SELECT COUNT(*) AS n FROM event'))[0]?.['n']);
  const thread = new Worker(new URL('./tenants-asker.ts', import.meta.url), {
    workerData: { port, key: north, question: QUESTION, everyMs: EVERY_MS },
  });
  thread.unref();
  const asked = async (ms: number): Promise<Asked> => {
    thread.ref();
    const answer = once(thread, 'message') as Promise<[Asked]>;
    thread.postMessage(ms);
    const [all] = await answer;
    thread.unref();
    return all;
  };
  const phase = async (name: string, key?: string, { asking = true, crowd = false, to = port } = {}) => {
    const before = await eventsOfSouth();
    const all = key === undefined ? [] : documents();
    const end = performance.now() + seconds * 1000;
    const loading = key !== undefined ? load(key, all, end, to) : crowd ? askAll(end) : Promise.resolve('');
    const { times, lost } = asking ? await asked(end - performance.now()) : { times: [], lost: 0 };
    const taken = await loading;
    const captured = Math.round((await eventsOfSouth()) - before) / seconds;
    const sorted = times.toSorted((a, b) => a - b);
    const [median = 0, p95 = 0] = [0.5, 0.95].map((part) => sorted[Math.floor(sorted.length * part)]);
    const asker = asking
      ? `north: median ${median.toFixed(1)}, p95 ${p95.toFixed(1)} ms, ${lost} of ${times.length} lost`
      : '';
    const bulk = key === undefined || to !== port ? taken : `${taken}, ${Math.round(captured)} captured`;
    process.stdout.write(`${name.padEnd(34)} ${asker.padEnd(56)} ${bulk}\n`);
    return { median, p95, captured };
  };
  /** South's load, sent to a system of its own that is there for it. */
  const elsewhere = async () => {
    const its = configOf('second', url === undefined ? undefined : await freshMariaDb());
    second = await started(its);
    await run('access', 'rules', 'apply', rules, '--tenant', 'south', '--config', its);
    const { port: to, stop } = second;
    const key = await keyAt(second.admin, 'south');
    await until('its rules are in force', async () => (await post(key, documentOf(0), to)).status === 202);
    const measured = await phase('beside the same on another system', key, { to });
    second = undefined;
    await stop();
    return measured;
  };
  await phase('(warming up)');
  if (values.only === 'bulk') {
    // in turn, so that who else uses the machine disturbs both
    const ratios: string[] = [];
    for (let round = 0; round < Number(values.rounds); round++) {
      const alone = await phase('north alone');
      const beside = await phase('beside south, as fast as it can', south);
      await until('what was taken is captured', async () => (await eventsOfSouth()) === takenOfSouth, 300_000);
      const other = await elsewhere();
      ratios.push(`${(beside.p95 / alone.p95).toFixed(2)} (${(other.p95 / alone.p95).toFixed(2)})`);
    }
    process.stdout.write(`p95 beside / alone (beside another system / alone): ${ratios.join(', ')}\n`);
  }
  const alone = values.only === 'bulk' ? undefined : await phase('north alone');
  if (alone !== undefined) {
    const crowded = await phase(`beside east's ${clients} clients`, undefined, { crowd: true });
    process.stdout.write(
      `beside / alone, with east's clients: p95 ${(crowded.p95 / alone.p95).toFixed(2)}, median ${(crowded.median / alone.median).toFixed(2)}\n`,
    );
  }
  if (alone !== undefined && values.only !== 'clients') {
    // in this order: what was taken of a bulk load is captured for a while after it
    const bounded = await phase('beside south, 500 events a second', held);
    const beside = await phase('beside south, as fast as it can', south);
    const unasked = await phase('south, and nobody asks', south, { asking: false });
    await until('what was taken is captured', async () => (await eventsOfSouth()) === takenOfSouth, 300_000);
    const other = await elsewhere();
    process.stdout.write(
      `p95 beside / alone: ${(beside.p95 / alone.p95).toFixed(2)}; beside another system: ${(other.p95 / alone.p95).toFixed(2)}; with south held to a rate: ${(bounded.p95 / alone.p95).toFixed(2)}; captured meanwhile / while nobody asks: ${(beside.captured / unasked.captured).toFixed(2)}\n`,
    );
  }
  await southern.close();
} finally {
  await second?.stop();
  await program.stop();
  folder.remove();
}
