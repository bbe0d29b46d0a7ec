import type { Database } from '../../epcis/repository/database/database.ts';
import { RepositoryError } from '../../epcis/repository/database/errors.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import type { Config } from '../config/schema.ts';
import { MmeliotError } from '../errors.ts';
import type { DataFolder } from './data-folder.ts';
import { repositoryUrls } from './repository-urls.ts';

/** The manager asks for the backlog only. */
const CONNECTIONS = 2;

/** The repository answers and has its schema, before anything is started on it. */
export async function openRepository(config: Config, folder: DataFolder): Promise<Database> {
  const { repositoryUrl: url, readUrl } = repositoryUrls(config, folder);
  try {
    const database = await openDatabase({ url, ...(readUrl !== undefined && { readUrl }), poolSize: CONNECTIONS });
    try {
      await migrate(database);
      return database;
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
