import { Command } from 'commander';
import type { ShownKey } from '../admin/source.ts';
import { MmeliotError } from '../errors.ts';
import { parseDuration } from '../../epcis/domain/quantity.ts';
import { askAdmin, printJson, withAdmin, withJson, type AdminOptions } from './shared/admin-client.ts';

interface Options extends AdminOptions {
  readonly json?: true;
}

interface CreateOptions extends Options {
  readonly role: readonly string[];
  readonly group: readonly string[];
  readonly tenant?: string;
  readonly expires?: string;
  readonly rate?: string;
  readonly events?: string;
  readonly subscriptions?: string;
  readonly class?: string;
}

export const keyCommand = (): Command =>
  new Command('key')
    .description('the keys by which clients say who they are, at all gateways of a running manager (access: known)')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(revokeCommand());

const createCommand = (): Command =>
  withJson(
    withAdmin(
      new Command('create')
        .description('make a key for a client; it is shown once')
        .argument('<client>', 'name of the client, such as acme')
        .requiredOption('--role <role...>', 'what it may do: capture, query, subscribe, administer')
        .option('--group <group...>', 'groups that rules may go by', [])
        .option('--tenant <tenant>', 'the repository that it sees, where there are several')
        .option('--expires <duration>', 'good for so long, such as 90d')
        .option('--rate <number>', 'requests a second, at each gateway')
        .option('--events <number>', 'events a second that it may capture, of all VMs together')
        .option('--subscriptions <number>', 'subscriptions that it may have open')
        .option('--class <class>', 'the class that its requests wait in, such as bulk'),
    ),
  ).action(async (client: string, options: CreateOptions) => {
    const made = await askAdmin<ShownKey & { readonly key: string }>(
      options,
      '/api/keys',
      requestOf(client, options),
      'POST',
    );
    if (options.json) return printJson(made);
    process.stdout.write(`${made.key}\n`);
    process.stderr.write(
      `This is the key of ${client}, shown this once. Its client sends "Authorization: Bearer <key>"; mmeliot key revoke ${made.id} ends it.\n`,
    );
  });

function requestOf(client: string, options: CreateOptions): object {
  const { role, group, tenant, expires, rate, events, subscriptions, class: requestClass } = options;
  const lasts = expires === undefined ? undefined : parseDuration(expires);
  if (expires !== undefined && lasts === undefined)
    throw new MmeliotError('BAD_REQUEST', `--expires ${expires}: a duration such as 90d is expected.`);
  return {
    ...{ client, roles: role, groups: group, tenant, requestClass },
    ...(rate !== undefined && { requestsPerSecond: Number(rate) }),
    ...(events !== undefined && { eventsPerSecond: Number(events) }),
    ...(subscriptions !== undefined && { subscriptions: Number(subscriptions) }),
    ...(lasts !== undefined && { expiresAt: new Date(Date.now() + lasts).toISOString() }),
  };
}

const listCommand = (): Command =>
  withJson(withAdmin(new Command('list').description('the keys there are, without the keys themselves'))).action(
    async (options: Options) => {
      const keys = await askAdmin<readonly ShownKey[]>(options, '/api/keys');
      if (options.json) return printJson(keys);
      if (keys.length === 0) process.stdout.write('There are no keys: mmeliot key create makes one.\n');
      for (const key of keys) process.stdout.write(`${lineOf(key)}\n`);
    },
  );

const lineOf = ({ id, client, roles, groups, tenant, expiresAt, createdAt }: ShownKey): string =>
  [
    ...[id, client.padEnd(16), roles.join(',').padEnd(24), `since ${createdAt.slice(0, 10)}`],
    ...(expiresAt === undefined ? [] : [`until ${expiresAt.slice(0, 10)}`]),
    ...(groups.length === 0 ? [] : [`groups ${groups.join(',')}`]),
    ...(tenant === undefined ? [] : [`tenant ${tenant}`]),
  ].join('  ');

const revokeCommand = (): Command =>
  withJson(
    withAdmin(new Command('revoke').description('end a key at once').argument('<id>', 'as mmeliot key list names it')),
  ).action(async (id: string, options: Options) => {
    const ended = await askAdmin<ShownKey>(options, `/api/keys/${encodeURIComponent(id)}`, undefined, 'DELETE');
    if (options.json) return printJson(ended);
    const { client } = ended;
    process.stdout.write(`The key ${id} of ${client} is revoked.\n`);
  });
