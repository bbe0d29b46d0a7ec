// npm run check:opennebula -- --url http://one.example.org:2633/RPC2 --user scaler --template mmeliot
// Points opennebula/check.ts at a front end. The password comes from ONE_PASSWORD, or is asked for.
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { checkFrontEnd } from '../../opennebula/check.ts';
import { createClient } from '../../opennebula/client.ts';
import { createOpenNebulaProvider } from '../../opennebula/provider.ts';
import type { Address } from '../../src/model.ts';

const USAGE = `usage: npm run check:opennebula -- --url http://one.example.org:2633/RPC2 --user NAME --template NAME_OR_ID
       [--nic 0] [--port 8080] [--patience 300]
The password is read from ONE_PASSWORD or asked for. One VM is allocated and given back.
`;

const CONFIG = {
  url: { type: 'string' },
  user: { type: 'string' },
  template: { type: 'string' },
  nic: { type: 'string', default: '0' },
  port: { type: 'string', default: '8080' },
  patience: { type: 'string', default: '300' },
} as const;

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const numberOrName = (value: string): number | string => (/^\d+$/.test(value) ? Number(value) : value);

function askPassword(): Promise<string> {
  process.stdout.write('Password: ');
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  return new Promise((resolve) =>
    lines.question('', (answer) => {
      lines.close();
      print('');
      resolve(answer);
    }),
  );
}

function reach({ host, port }: Address): Promise<true | string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 3_000 });
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('timeout', () => {
      socket.destroy();
      resolve('silence, as behind a firewall');
    });
    socket.on('error', ({ code = 'an error' }: NodeJS.ErrnoException) =>
      resolve(code === 'ECONNREFUSED' ? 'the machine is there, but nothing listens on that port' : code),
    );
  });
}

async function main(): Promise<number> {
  const { url, user, template, nic, port, patience } = parseArgs({ options: CONFIG }).values;
  if (url === undefined || user === undefined || template === undefined) {
    process.stderr.write(USAGE);
    return 2;
  }
  const password = process.env['ONE_PASSWORD'] ?? (process.stdin.isTTY ? await askPassword() : '');
  const login = { url, user, password };
  const options = { template: numberOrName(template), nic: numberOrName(nic) };
  const clocks = { now: () => performance.timeOrigin + performance.now(), sleep: (ms: number) => sleep(ms) };
  const interrupt = new AbortController();
  let interruptedAt: number | undefined;
  process.on('SIGINT', () => {
    // npm passes the terminal's Ctrl-C on to a process that has it already: within a second it is the same one
    if (interruptedAt !== undefined && performance.now() - interruptedAt > 1_000) process.exit(130);
    if (interruptedAt !== undefined) return;
    interruptedAt = performance.now();
    print('Interrupted: giving back what was allocated (Ctrl-C again ends at once, and leaves it).');
    interrupt.abort();
  });
  const client = createClient(login);
  // a database of its own on the VM's disk, so that an image with mmeliot's service serves
  const context = { MMELIOT_REPOSITORY_URL: 'sqlite:///tmp/mmeliot-check.db' };
  const group = { group: 'mmeliot-check', context, port: Number(port) };
  const provider = createOpenNebulaProvider({ ...login, ...options, ...group }, clocks);
  try {
    const deps = { client, provider, ...clocks, print, reach, signal: interrupt.signal };
    return (await checkFrontEnd(deps, { ...options, patienceMs: Number(patience) * 1_000 })) ? 0 : 1;
  } finally {
    await Promise.all([client.close(), provider.close()]);
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n${USAGE}`);
  process.exitCode = 2;
}
