import type { Database } from '../../epcis/repository/database/database.ts';
import { RepositoryError } from '../../epcis/repository/database/errors.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { reachable } from '../../epcis/repository/database/reachable.ts';
import { urlOfTenant } from '../../epcis/tenants.ts';
import type { Config } from '../config/schema.ts';
import { MmeliotError } from '../errors.ts';
import type { DataFolder } from './data-folder.ts';
import { repositoryUrls } from './repository-urls.ts';

/** The manager asks for the backlog only. */
const CONNECTIONS = 2;

/** The repository answers and has its schema, before anything is started on it. */
export function openRepository(config: Config, folder: DataFolder): Promise<Database> {
  return open(repositoryUrls(config, folder));
}

interface TenantDatabase {
  readonly tenant: string;
  readonly database: Database;
}

/** Those of tenants, whose stored work VMs that do nothing else are counted by. */
export async function openTenants(config: Config, folder: DataFolder): Promise<readonly TenantDatabase[]> {
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
