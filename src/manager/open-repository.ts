import type { Database } from '../../epcis/repository/database/database.ts';
import { RepositoryError } from '../../epcis/repository/database/errors.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { reachable } from '../../epcis/repository/database/reachable.ts';
import { urlOfTenant } from '../../epcis/tenants.ts';
import type { Config } from '../config/schema.ts';
import { MmeliotError } from '../errors.ts';
import type { Closing } from './closing.ts';
import type { DataFolder } from './data-folder.ts';
import { repositoryUrls } from './repository-urls.ts';

/** The manager asks for the backlog only. */
const CONNECTIONS = 2;

interface TenantDatabase {
  readonly tenant: string;
  readonly database: Database;
}

export interface Databases {
  readonly repository: Database;
  /** The repository, and those of tenants, whose stored work VMs that do nothing else are counted by. */
  readonly all: readonly { readonly tenant?: string; readonly database: Database }[];
}

/** They answer and have their schema, before anything is started on them. */
export async function openDatabases(config: Config, folder: DataFolder, closing: Closing): Promise<Databases> {
  const repository = await open(repositoryUrls(config, folder));
  closing.add(() => repository.close());
  const tenants = await openTenants(config, folder);
  for (const { database } of tenants) closing.add(() => database.close());
  return { repository, all: [{ database: repository }, ...tenants] };
}

async function openTenants(config: Config, folder: DataFolder): Promise<readonly TenantDatabase[]> {
  const { repositoryUrl } = repositoryUrls(config, folder);
  const opened: TenantDatabase[] = [];
  try {
    for (const tenant of config.epcis.tenants)
      opened.push({ tenant, database: await open({ repositoryUrl: urlOfTenant(repositoryUrl, tenant) }) });
    return opened;
  } catch (error) {
    for (const { database } of opened) await database.close();
    throw error;
  }
}

async function open({ repositoryUrl: url, readUrl }: ReturnType<typeof repositoryUrls>): Promise<Database> {
  try {
    const database = await openDatabase({ url, ...(readUrl !== undefined && { readUrl }), poolSize: CONNECTIONS });
    try {
      await migrate(database);
      // what went away, and came back, is seen as VMs see it; the conditions tell it
      return reachable(database, () => undefined);
    } catch (error) {
      await database.close();
      throw error;
    }
  } catch (error) {
    if (!(error instanceof RepositoryError)) throw error;
    const code = error.code === 'REPOSITORY_URL' ? 'CONFIG_INVALID' : 'REPOSITORY_UNREACHABLE';
    throw new MmeliotError(code, `repository.url: ${error.message}`, { cause: error });
  }
}
