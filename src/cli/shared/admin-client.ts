// The admin API of a running manager, as the commands use it.
import type { Command } from 'commander';
import { request } from 'undici';
import { MmeliotError } from '../../errors.ts';

export interface AdminOptions {
  readonly admin: string;
  readonly token?: string;
}

export const withAdmin = (command: Command): Command =>
  command
    .option('--admin <url>', 'admin address of the running manager', 'http://127.0.0.1:8081')
    .option('--token <token>', 'its bearer token, where it asks for one (or MMELIOT_ADMIN_TOKEN)');

export async function askAdmin<T>(
  options: AdminOptions,
  path: string,
  change?: object,
  method: 'GET' | 'PATCH' | 'POST' | 'DELETE' = change === undefined ? 'GET' : 'PATCH',
): Promise<T> {
  if (!URL.canParse(options.admin)) {
    throw new MmeliotError(
      'BAD_REQUEST',
      `--admin "${options.admin}": a URL such as http://127.0.0.1:8081 is expected.`,
    );
  }
  const token = options.token ?? process.env['MMELIOT_ADMIN_TOKEN'];
  const answer = await request(new URL(path, options.admin), {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(change !== undefined && { 'content-type': 'application/json' }),
      ...(method !== 'GET' && { 'x-mmeliot-by': process.env['USER'] ?? 'mmeliot' }),
    },
    ...(change !== undefined && { body: JSON.stringify(change) }),
  }).catch((error: NodeJS.ErrnoException) => {
    const what = `No mmeliot answers at ${options.admin} (${error.code ?? error.message}): start it, or name its admin page by --admin.`;
    throw new MmeliotError('NOT_RUNNING', what, { cause: error });
  });
  const body = (await answer.body.json()) as T & { error?: { message?: string } };
  if (answer.statusCode === 200 || answer.statusCode === 201) return body;
  throw new MmeliotError(
    'BAD_REQUEST',
    body.error?.message ?? `${options.admin} answers with status ${answer.statusCode}.`,
  );
}
