// Drives a running EPCIS server, ours or any other, with folders of cases, and prints what passed, what failed and why.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runDocuments } from './documents.ts';
import { runFosstrak } from './fosstrak.ts';
import { runHashVectors } from './hash-vectors.ts';
import { runProcedures } from './procedures.ts';
import { table, type Result } from './report.ts';
import { findEndpoints } from './server.ts';
import type { Endpoints } from './procedures/site.ts';

const USAGE = `usage: npm run conformance -- <url> [<folder>] [options]

Without a folder: the procedures, what the standard says a server does as calls of our own.

<url>      the server, for example http://127.0.0.1:8080
<folder>   cases of one kind, or folders of them:
           fosstrak         events/, masterdata/, requests/, responses/
           hash vectors     *.hashes beside *.jsonld and *.xml
           documents        json/, xml/, invalid/

--capture <url>    EPCIS 1.x capture interface      (found below <url> by itself)
--query <url>      EPCIS 1.x SOAP query interface   (found below <url> by itself)
--callback <host>  our name for the server, to send subscription results to (127.0.0.1)

The exit status is 1 if any case failed. Use an empty repository where the server cannot tell its events from others.`;

const options = { capture: { type: 'string' }, query: { type: 'string' }, callback: { type: 'string' } } as const;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [url, folder] = positionals;
  if (url === undefined) {
    process.stderr.write(`${USAGE}\n`);
    return 2;
  }
  const endpoints = { ...(await findEndpoints(url)), ...values };
  const callback = values.callback ?? '127.0.0.1';
  if (folder === undefined) {
    const { results, calls } = await runProcedures(endpoints, callback);
    return print(results, ` (${calls} calls)`);
  }
  const results = await runFolder(endpoints, folder, callback);
  if (results.length === 0) {
    process.stderr.write(`There are no cases in ${folder}.\n\n${USAGE}\n`);
    return 2;
  }
  return print(results);
}

function print(results: readonly Result[], more = ''): number {
  process.stdout.write(`${table(results)}${more}\n`);
  return results.some(({ outcome }) => outcome === 'failed') ? 1 : 0;
}

async function runFolder(endpoints: Endpoints, folder: string, callback: string): Promise<Result[]> {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  if (names.includes('requests')) return runFosstrak(endpoints, folder, callback);
  if (names.some((name) => name.endsWith('.hashes'))) return runHashVectors(endpoints, folder);
  if (['json', 'xml', 'invalid'].some((part) => names.includes(part))) return runDocuments(endpoints, folder);
  const results: Result[] = [];
  for (const name of names.filter((each) => statSync(join(folder, each)).isDirectory()).sort()) {
    const inside = await runFolder(endpoints, join(folder, name), callback);
    results.push(...inside.map((result) => ({ ...result, name: `${name}/${result.name}` })));
  }
  return results;
}

process.exitCode = await main();
