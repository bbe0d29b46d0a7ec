// Commands that open the repository themselves, while VMs serve.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Database } from '../../../epcis/repository/database/database.ts';
import { codeOf, RepositoryError } from '../../../epcis/repository/database/errors.ts';
import { migrate, schemaVersion } from '../../../epcis/repository/migrate.ts';
import { openDatabase } from '../../../epcis/repository/database/open.ts';
import { whyUnavailable } from '../../../epcis/repository/database/reachable.ts';
import { isLost } from '../../../epcis/repository/database/retry.ts';
import { parseRepositoryUrl } from '../../../epcis/repository/database/url.ts';
import { urlOfTenant } from '../../../epcis/tenants.ts';
import type { Config } from '../../config/schema.ts';
import { MmeliotError } from '../../errors.ts';
import { repositoryUrls } from '../../manager/repository-urls.ts';
import { configOf } from './options.ts';

type Options = Parameters<typeof configOf>[0] & { readonly tenant?: string };

/** `mayBeNew`: where there is no repository yet, one is made. */
export function onRepository(work: (database: Database, config: Config) => Promise<void>, mayBeNew = false) {
  return async (options: Options): Promise<void> => {
    const config = configOf(options);
    const main = repositoryUrls(config, { file: (name) => resolve(config.dataDir, name) }).repositoryUrl;
    const url = options.tenant === undefined ? main : urlOfTenant(main, options.tenant);
    try {
      const database = await open(url, mayBeNew);
      try {
        await work(database, config);
      } finally {
        await database.close();
      }
    } catch (error) {
      throw forPeople(error);
    }
  };
}

async function open(url: string, mayBeNew: boolean): Promise<Database> {
  const parsed = parseRepositoryUrl(url);
  const there = parsed.kind === 'sqlite' ? ` (${parsed.file})` : '';
  const missing = new MmeliotError(
    'BAD_REQUEST',
    `There is no repository at repository.url${there}: name the one that the VMs use, by --config or --set repository.url=<URL>.`,
  );
  // opening would make it
  if (!mayBeNew && parsed.kind === 'sqlite' && !existsSync(parsed.file)) throw missing;
  const database = await openDatabase({ url });
  try {
    if (!mayBeNew && (await schemaVersion(database)) === 0) throw missing;
    await migrate(database);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** What a person can put right, in a sentence; anything else as it is. */
export function forPeople(error: unknown): unknown {
  if (error instanceof MmeliotError) return error;
  const sentence = (code: 'CONFIG_INVALID' | 'REPOSITORY_UNREACHABLE' | 'BAD_REQUEST', message: string): MmeliotError =>
    new MmeliotError(code, message, { cause: error });
  if (error instanceof RepositoryError) {
    if (error.code === 'REPOSITORY_BACKUP') return sentence('BAD_REQUEST', error.message);
    return sentence(error.code === 'REPOSITORY_URL' ? 'CONFIG_INVALID' : 'REPOSITORY_UNREACHABLE', error.message);
  }
  if (isLost(error) && !isOfFile(error))
    return sentence(
      'REPOSITORY_UNREACHABLE',
      `The repository's database failed meanwhile (${codeOf(error)}): try again.`,
    );
  if (isOfFile(error)) {
    const todo = /^(ENOSPC|EDQUOT)$/.test(codeOf(error)) ? ': make room there, or name a file on another disk' : '';
    return sentence('BAD_REQUEST', `${error.path ?? 'The file'} cannot be used: ${error.message}${todo}.`);
  }
  if (whyUnavailable(error) !== undefined)
    return sentence(
      'REPOSITORY_UNREACHABLE',
      `The repository's database cannot go on (${(error as Error).message}): put that right and try again; what was done until then stays.`,
    );
  if (/^Z_/.test(codeOf(error))) return sentence('BAD_REQUEST', 'The backup is incomplete or not compressed by gzip.');
  return error;
}

const isOfFile = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error && OF_FILES.has(String(error.syscall));

const OF_FILES: ReadonlySet<string> = new Set(['open', 'read', 'write', 'fsync', 'close', 'rename']);
