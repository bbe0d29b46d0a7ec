// The admin API of a running manager, as the commands use it.
import { Option, type Command } from 'commander';
import { MmeliotError } from '../../errors.ts';
import type { Config } from '../../config/schema.ts';
import type { Role } from '../../model.ts';
import { hostFromHere, hostInUrl } from '../../../epcis/domain/address.ts';
import { hasTls } from '../../settings/tls.ts';

export interface AdminOptions {
  /** Without: where the configuration says that the manager is. */
  readonly admin?: string;
  readonly token?: string;
  readonly config?: string;
}

export interface RoleOptions extends AdminOptions {
  readonly role?: Role;
}

export const withAdmin = (command: Command): Command =>
  command
    .option('--admin <url>', 'admin address of the running manager (default: as the configuration says)')
    .option(
      '--token <token>',
      'its bearer token, where it asks for one (or MMELIOT_ADMIN_TOKEN; default: admin.token of the configuration)',
    )
    .option('-c, --config <file>', 'configuration file (default: mmeliot.yaml where it exists)');

/** For what each role has of its own. */
export const withRole = (command: Command): Command =>
  command.addOption(
    new Option('--role <role>', 'whose VMs it is about, where the group has roles')
      .choices(['query', 'work'])
      .default('query'),
  );

export const withJson = (command: Command): Command =>
  command.option('--json', 'the answer as JSON, and nothing else on standard output');

export const printJson = (value: unknown): void =>
  void process.stdout.write(`${JSON.stringify(value, undefined, 2)}\n`);

/** `path` is of the API that each role has. */
export const askRole = <T>(
  { role, ...options }: RoleOptions,
  path: string,
  ...change: [change?: object, method?: 'PATCH' | 'POST' | 'DELETE']
): Promise<T> => askAdmin<T>(options, `/api${role === 'work' ? '/roles/work' : ''}${path}`, ...change);

export async function askAdmin<T>(
  options: AdminOptions,
  path: string,
  change?: object,
  method: 'GET' | 'PATCH' | 'POST' | 'DELETE' = change === undefined ? 'GET' : 'PATCH',
): Promise<T> {
  const { url, token } = await whereOf(options);
  const { request } = await import('undici');
  const answer = await request(new URL(path, url), {
    method,
    headers: {
      ...(token !== '' && { authorization: `Bearer ${token}` }),
      ...(change !== undefined && { 'content-type': 'application/json' }),
      ...(method !== 'GET' && { 'x-mmeliot-by': process.env['USER'] ?? 'mmeliot' }),
    },
    ...(change !== undefined && { body: JSON.stringify(change) }),
  }).catch((error: NodeJS.ErrnoException) => notRunning(url, error));
  const body = (await answer.body.json()) as T & { error?: { message?: string } };
  if (answer.statusCode < 300) return body;
  throw new MmeliotError('BAD_REQUEST', body.error?.message ?? `${url} answers with status ${answer.statusCode}.`);
}

/** Server-sent events, until the manager ends or `signal` does. */
export async function* adminEvents(
  options: AdminOptions,
  signal: AbortSignal,
): AsyncGenerator<{ readonly name: string; readonly data: unknown }> {
  const { url, token } = await whereOf(options);
  const { request } = await import('undici');
  const headers = token === '' ? {} : { authorization: `Bearer ${token}` };
  const answer = await request(new URL('/api/events', url), { headers, signal, bodyTimeout: 30_000 }).catch(
    (error: NodeJS.ErrnoException) => notRunning(url, error),
  );
  if (answer.statusCode !== 200)
    throw new MmeliotError('BAD_REQUEST', `${url} answers with status ${answer.statusCode}.`);
  answer.body.setEncoding('utf8');
  let text = '';
  for await (const chunk of answer.body as AsyncIterable<string>) {
    const blocks = (text + chunk).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, name = ''] = /^event: (.*)$/m.exec(block) ?? [];
      const [, data = 'null'] = /^data: (.*)$/m.exec(block) ?? [];
      yield { name, data: JSON.parse(data) as unknown };
    }
  }
}

async function whereOf({ admin, token, config }: AdminOptions): Promise<{ url: string; token: string }> {
  if (admin !== undefined && !URL.canParse(admin))
    throw new MmeliotError('BAD_REQUEST', `--admin "${admin}": a URL such as http://127.0.0.1:8081 is expected.`);
  const shown = token ?? process.env['MMELIOT_ADMIN_TOKEN'];
  if (admin === undefined || config !== undefined) {
    const { url, token: own } = await configured(config);
    return { url: admin ?? url, token: shown ?? own };
  }
  // named in full: the configuration of this folder has a say only where it is that of the same manager
  const here = shown === undefined ? await configured().catch(() => undefined) : undefined;
  const isIt = here !== undefined && new URL(here.url).origin === new URL(admin).origin;
  return { url: admin, token: shown ?? (isIt ? here.token : '') };
}

/** Where clients connect, as the configuration says. */
export const configuredGateway = async (file?: string): Promise<string> => urlOf((await configuration(file)).gateway);

async function configured(file?: string): Promise<{ readonly url: string; readonly token: string }> {
  const { admin } = await configuration(file);
  return { url: `${urlOf(admin)}/`, token: admin.token };
}

async function configuration(file?: string): Promise<Config> {
  // a VM has this file with its command, and asks nobody
  const { loadConfig } = await import('../../config/load.ts');
  return loadConfig({ env: process.env, ...(file !== undefined && { file }) });
}

const urlOf = ({ host, port, tls }: Pick<Config['gateway' | 'admin'], 'host' | 'port' | 'tls'>): string =>
  `${hasTls(tls) ? 'https' : 'http'}://${hostInUrl(hostFromHere(host))}:${port}`;

function notRunning(url: string, error: NodeJS.ErrnoException): never {
  const what = `No mmeliot answers at ${url} (${error.code ?? error.message}): start it, or name its admin page by --admin.`;
  throw new MmeliotError('NOT_RUNNING', what, { cause: error });
}
