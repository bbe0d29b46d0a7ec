// Checks of what mmeliot will depend on, before it does.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { parseDuration } from '../../loadgen/cli.ts';
import { checkFrontEnd } from '../../opennebula/check.ts';
import { createClient } from '../../opennebula/client.ts';
import { createOpenNebulaProvider } from '../../opennebula/provider.ts';
import { MmeliotError } from '../errors.ts';
import type { Address } from '../model.ts';
import { loginToken } from '../manager/login-token.ts';
import { createSecrets, type Secrets } from '../secrets.ts';
import { askPassword } from './shared/ask-password.ts';
import { optionErrors, wholeNumber } from './shared/load-options.ts';
import { configOf, withConfig } from './shared/options.ts';
import { untilInterrupted } from './shared/signals.ts';

interface Options {
  readonly url?: string;
  readonly user?: string;
  readonly template?: string;
  readonly nic?: string;
  readonly port?: string;
  readonly patience: string;
}

export const checkCommand = (): Command =>
  new Command('check').description('check what mmeliot will depend on').addCommand(
    withConfig(
      new Command('opennebula').description(
        'may this user do all that mmeliot will do on that front end? Allocates one VM and gives it back',
      ),
    )
      .option('--url <url>', "the front end's XML-RPC address (default, as of the next ones: the configuration's)")
      .option('--user <name>', 'user that owns the VMs; its password is ONE_PASSWORD, the configured one, or asked for')
      .option('--template <template>', 'VM template, by id or by name')
      .option('--nic <nic>', "which NIC has the VM's address: its number, or its network's name")
      .option('--port <port>', 'port that the service listens on in a VM')
      .option('--patience <duration>', 'how long the VM may take to run, and to be gone', '5m')
      .action((options: Options & Parameters<typeof configOf>[0]) => optionErrors(() => check(options))),
  );

async function check(options: Options & Parameters<typeof configOf>[0]): Promise<void> {
  const { opennebula } = configOf(options);
  const { url, user } = { ...opennebula, ...options };
  const template = numberOrName(options.template) ?? opennebula.template;
  const nic = numberOrName(options.nic) ?? opennebula.nic;
  const port = options.port === undefined ? opennebula.port : wholeNumber('--port', options.port);
  const patienceMs = parseDuration(options.patience);
  if (user === '')
    throw new MmeliotError('BAD_REQUEST', 'Which user owns the VMs? Say it by --user, or opennebula.user.');
  const secrets = createSecrets(); // a front end may quote them
  const password = process.env['ONE_PASSWORD'] ?? configured(opennebula, secrets) ?? (await passwordOf(user));
  if (typeof password === 'string') secrets.add(password);
  const interrupt = new AbortController();
  void untilInterrupted().then(() => {
    print('Interrupted: giving back what was allocated (Ctrl-C again ends at once, and leaves it).');
    interrupt.abort();
  });
  const login = { url, user, password };
  const clocks = { now: () => performance.timeOrigin + performance.now(), sleep: (ms: number) => sleep(ms) };
  const client = createClient(login);
  // a database of its own on the VM's disk, so that an image with mmeliot's service serves
  const context = { MMELIOT_REPOSITORY_URL: 'sqlite:///tmp/mmeliot-check.db' };
  const provider = createOpenNebulaProvider(
    { ...login, template, nic, addresses: opennebula.addresses, group: 'mmeliot-check', context, port },
    clocks,
  );
  try {
    const discreetly = (line: string): void => print(secrets.hide(line));
    const deps = { client, provider, ...clocks, print: discreetly, reach, signal: interrupt.signal };
    process.exitCode = (await checkFrontEnd(deps, { template, nic, patienceMs })) ? 0 : 1;
  } finally {
    await Promise.all([client.close(), provider.close()]);
  }
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

function numberOrName(text: string | undefined): number | string | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : text;
}

/** The configured password, or what the configured file holds at each call. */
function configured(login: Parameters<typeof loginToken>[0], secrets: Secrets): string | (() => string) | undefined {
  return login.passwordFile === '' ? login.password || undefined : loginToken(login, secrets);
}

async function passwordOf(user: string): Promise<string> {
  if (process.stdin.isTTY) return askPassword();
  throw new MmeliotError('BAD_REQUEST', `What is the password of ${user}? Say it by ONE_PASSWORD in the environment.`);
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
