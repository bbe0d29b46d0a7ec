// Checks of what mmeliot will depend on, before it does.
import { Command } from 'commander';
import { checkFrontEnd } from '../../opennebula/check.ts';
import { createClient } from '../../opennebula/client.ts';
import { createOpenNebulaProvider } from '../../opennebula/provider.ts';
import { MmeliotError } from '../errors.ts';
import { loginToken } from '../manager/login-token.ts';
import { createSecrets, type Secrets } from '../secrets.ts';
import { checkEc2Command } from './check-ec2.ts';
import { askPassword } from './shared/ask-password.ts';
import { CHECK_DATABASE, CHECK_GROUP, clocks, interruption, print, reach } from './shared/checking.ts';
import { durationOf, wholeNumber } from './shared/load-options.ts';
import { configOf, withConfig } from './shared/options.ts';

interface Options {
  readonly url?: string;
  readonly user?: string;
  readonly template?: string;
  readonly nic?: string;
  readonly port?: string;
  readonly patience: string;
}

export const checkCommand = (): Command =>
  new Command('check')
    .description('check what mmeliot will depend on')
    .addCommand(
      withConfig(
        new Command('opennebula').description(
          'may this user do all that mmeliot will do on that front end? Allocates one VM and gives it back',
        ),
      )
        .option('--url <url>', "the front end's XML-RPC address (default, as of the next ones: the configuration's)")
        .option(
          '--user <name>',
          'user that owns the VMs; its password is ONE_PASSWORD, the configured one, or asked for',
        )
        .option('--template <template>', 'VM template, by id or by name')
        .option('--nic <nic>', "which NIC has the VM's address: its number, or its network's name")
        .option('--port <port>', 'port that the service listens on in a VM')
        .option('--patience <duration>', 'how long the VM may take to run, and to be gone', '5m')
        .action((options: Options & Parameters<typeof configOf>[0]) => check(options)),
    )
    .addCommand(checkEc2Command());

async function check(options: Options & Parameters<typeof configOf>[0]): Promise<void> {
  const { opennebula } = configOf(options);
  const { url, user } = { ...opennebula, ...options };
  const template = numberOrName(options.template) ?? opennebula.template;
  const nic = numberOrName(options.nic) ?? opennebula.nic;
  const port = options.port === undefined ? opennebula.port : wholeNumber('--port', options.port);
  const patienceMs = durationOf('--patience', options.patience);
  if (user === '')
    throw new MmeliotError('BAD_REQUEST', 'Which user owns the VMs? Say it by --user, or opennebula.user.');
  const secrets = createSecrets(); // a front end may quote them
  const password = process.env['ONE_PASSWORD'] ?? configured(opennebula, secrets) ?? (await passwordOf(user));
  if (typeof password === 'string') secrets.add(password);
  const signal = interruption();
  const login = { url, user, password };
  const client = createClient(login);
  const context = { MMELIOT_REPOSITORY_URL: CHECK_DATABASE };
  const provider = createOpenNebulaProvider(
    { ...login, template, nic, addresses: opennebula.addresses, group: CHECK_GROUP, context, port },
    { ...clocks, learn: secrets.add },
  );
  try {
    const discreetly = (line: string): void => print(secrets.hide(line));
    const deps = { client, provider, ...clocks, print: discreetly, reach, signal };
    process.exitCode = (await checkFrontEnd(deps, { template, nic, patienceMs })) ? 0 : 1;
  } finally {
    await Promise.all([client.close(), provider.close()]);
  }
}

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
