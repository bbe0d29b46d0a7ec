import type { Config } from '../config/schema.ts';
import type { DataFolder } from './data-folder.ts';

/** Where the VMs find the repository: as configured, else one SQLite file in the data folder. */
export function repositoryUrls(
  { repository }: Config,
  folder: Pick<DataFolder, 'file'>,
): { repositoryUrl: string; readUrl?: string } {
  return {
    repositoryUrl: repository.url === '' ? `sqlite://${folder.file('epcis.db')}` : repository.url,
    ...(repository.readUrl !== '' && { readUrl: repository.readUrl }),
  };
}
