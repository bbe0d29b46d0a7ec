import { repositorySettings } from './options.ts';
import type { OpenDatabase } from './database.ts';
import { RepositoryError } from './errors.ts';
import { parseRepositoryUrl } from './url.ts';

export interface DatabaseOptions {
  /** `sqlite:///path/file.db`, `sqlite:relative.db` or `mysql://user:password@host:port/database`. */
  readonly url: string;
  /** MySQL only: where queries of events may read, e.g. a replica or a proxy before several. Default: `url`. */
  readonly readUrl?: string;
  /**
   * MySQL only: connections of this process, half of them for queries. By default 8: ten VMs stay well under MariaDB's own
   * limit of 151.
   */
  readonly poolSize?: number;
}

/** Opens the database, whose driver alone is loaded; rejects with a RepositoryError whose message is one sentence for the operator. */
export async function openDatabase({
  url,
  readUrl,
  poolSize = repositorySettings.poolSize.default,
}: DatabaseOptions): Promise<OpenDatabase> {
  const parsed = parseRepositoryUrl(url);
  const read = readUrl === undefined ? undefined : parseRepositoryUrl(readUrl);
  if (parsed.kind === 'sqlite') {
    if (read) throw new RepositoryError('REPOSITORY_URL', 'A SQLite repository has no read URL: leave it out.');
    return (await import('./sqlite.ts')).openSqlite(parsed.file);
  }
  if (read?.kind === 'sqlite')
    throw new RepositoryError('REPOSITORY_URL', 'The read URL must be of the same kind as the repository URL.');
  return (await import('./mysql.ts')).openMysql(parsed, read, poolSize);
}
