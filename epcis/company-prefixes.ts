// GS1's table of company prefixes: the one that comes with the service, or a newer one of the operator's.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { companyPrefixes, readChanges, readGs1Table, type CompanyPrefixes } from './domain/company-prefixes.ts';
import { readWhole, whyUnreadable } from './files/read-whole.ts';

/** GS1's list has some MB, and grows. */
const MOST_BYTES = 64 * 2 ** 20;
const SHIPPED = new URL('./data/company-prefixes.txt.gz', import.meta.url);

/** Without a file (empty): the shipped table, read when the first digital link is to be written as a URN. */
export function openCompanyPrefixes(file: string): CompanyPrefixes {
  if (file !== '') return readTable(file);
  let table: CompanyPrefixes | undefined;
  return (digits) => {
    table ??= companyPrefixes(readChanges(gunzipSync(readFileSync(SHIPPED)).toString()));
    return table(digits);
  };
}

function readTable(file: string): CompanyPrefixes {
  let text: string;
  try {
    text = readWhole(file, { mostBytes: MOST_BYTES }).toString();
  } catch (error) {
    throw new Error(`${file} with company prefixes ${whyUnreadable(error)}.`, { cause: error });
  }
  const changes = readGs1Table(text);
  if (changes.length > 0) return companyPrefixes(changes);
  throw new Error(`${file} is no table of company prefixes: GS1's gcpprefixformatlist, as JSON or XML, is expected.`);
}
