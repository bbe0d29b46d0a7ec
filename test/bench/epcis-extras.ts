// What compression and checks cost over a repository that bench:epcis has filled: with against without, in turns.
import { request } from 'node:http';
import { checkDocument, checkedItems } from '../../epcis/checks/checks.ts';
import { readDeclaration } from '../../epcis/checks/declaration.ts';
import type { EventRepository } from '../../epcis/service/repository.ts';
import { repositoryHistory } from '../../epcis/service/rule-history.ts';
import type { CaptureItem } from '../../epcis/service/services.ts';
import { startEpcisServer } from '../../epcis/server.ts';

const TURNS = 20;
/** One that looks for one event, and one that asks for the past of every EPC. */
const RULES = readDeclaration({
  rules: [
    { name: 'shipped', when: { bizStep: 'receiving' }, after: { bizStep: 'shipping' }, says: 'It has been shipped' },
    { name: 'ended', notAfter: { bizStep: 'destroying' }, says: 'What was destroyed is seen no more' },
  ],
}).rules;

/** Makes the items of a document be checked as `epcis.checks` has them checked. */
export function checkedBy(
  repository: EventRepository,
): (items: AsyncIterable<CaptureItem>) => AsyncIterable<CaptureItem> {
  const before = repositoryHistory(repository);
  return (items) => checkedItems(items, checkDocument({ schemas: new Map(), rules: RULES }, before));
}

/** Time and bytes of a page of 1000 events over HTTP: with gzip against without. */
export async function gzipRatios(url: string): Promise<{ readonly time: number; readonly bytes: number }> {
  const log = { error: () => {}, warn: () => {}, info: () => {} };
  const server = await startEpcisServer({ repository: { url }, port: 0, log });
  const page = `${server.address}/events?perPage=1000`;
  const sums = { identity: { ms: 0, bytes: 0 }, gzip: { ms: 0, bytes: 0 } };
  for (let turn = -2; turn < TURNS; turn += 1) {
    for (const encoding of ['identity', 'gzip'] as const) {
      const begin = performance.now();
      const bytes = await bytesOf(page, encoding);
      // the first turns only warm up
      if (turn < 0) continue;
      sums[encoding].ms += performance.now() - begin;
      sums[encoding].bytes += bytes;
    }
  }
  await server.close();
  const { gzip, identity } = sums;
  return { time: gzip.ms / identity.ms, bytes: gzip.bytes / identity.bytes };
}

function bytesOf(url: string, encoding: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers: { 'accept-encoding': encoding } }, (response) => {
      let bytes = 0;
      if (response.statusCode !== 200) reject(new Error(`${url} answers ${response.statusCode}`));
      response.on('error', reject).on('end', () => resolve(bytes));
      response.on('data', (chunk: Buffer) => (bytes += chunk.length));
    });
    sent.on('error', reject).end();
  });
}
