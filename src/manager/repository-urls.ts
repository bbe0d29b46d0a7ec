import type { Config } from '../config/schema.ts';
import type { DataFolder } from './data-folder.ts';

/** Worked: /home/100% me/epcis.db is sqlite:///home/100%25 me/epcis.db. */
export const sqliteUrl = (file: string): string => `sqlite://${file.replaceAll('%', '%25')}`;

/** Where the VMs find the repository: as configured, else one SQLite file in the data folder. */
export function repositoryUrls(
  { repository }: Config,
  folder: Pick<DataFolder, 'file'>,
): { repositoryUrl: string; readUrl?: string } {
  return {
    repositoryUrl: repository.url === '' ? sqliteUrl(folder.file('epcis.db')) : repository.url,
    ...(repository.readUrl !== '' && { readUrl: repository.readUrl }),
  };
}
