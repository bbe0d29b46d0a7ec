// What operators and researchers hand over, and what they are given: prices, access rules, exports as CSV.
import { parse } from 'yaml';
import { rightsOf } from '../../epcis/access/rules/rights.ts';
import { RulesError } from '../../epcis/access/rules/document.ts';
import { readRules } from '../../epcis/access/rules/read.ts';
import { csvHeading, csvRow } from '../../epcis/bindings/delivery/csv.ts';
import { writeEvent } from '../../epcis/bindings/write.ts';
import { EpcisException } from '../../epcis/domain/exceptions.ts';
import { MmeliotError } from '../../src/errors.ts';
import { parsePriceTraces } from '../../src/simulate/price-trace.ts';
import { json2, objectJson, readAll, RECORD_TIME } from '../helpers/epcis-documents.ts';
import { orRefused, same } from './doors.ts';
import type { Target } from './fuzz.ts';

const PRICES = [
  'time,price\n2015-03-11T16:54:38Z,0.0081\n2015-03-11T18:00:00+02:00,$0.01\n',
  'AvailabilityZone;InstanceType;ProductDescription;SpotPrice;Timestamp\nus-east-1a;m3.medium;Linux/UNIX;0.0081;2015-03-11 16:54:38 UTC\nus-east-1b;m3.medium;Linux/UNIX (Amazon VPC);0.01;1426092878\n',
  '{"SpotPriceHistory":[{"Timestamp":"2015-03-11T16:54:38.000Z","ProductDescription":"Linux/UNIX","InstanceType":"m3.medium","SpotPrice":"0.0081","AvailabilityZone":"us-east-1a"}]}',
  'SPOTPRICEHISTORY\tus-east-1a\tm3.medium\tLinux/UNIX\t0.0081\t2015-03-11T16:54:38+00:00\n',
];

const RULES = [
  'rules:\n  - name: partner sees\n    for: [client:a, group:b]\n    see: { EQ_bizStep: [shipping], GE_eventTime: now-30d }\n',
  'rules:\n  - name: hide\n    for: everybody\n    hide: [readPoint, ilmd]\n    where: { epc: ["urn:epc:id:sgtin:0614141.*"] }\n  - name: token\n    for: { issuer: "https://i.example.org", claims: { role: buyer } }\n    masterData: everything\n',
  'rules:\n  - { name: no, for: client:a, deny: everything }\n  - { name: captures, for: "group:b", capture: everything }\n',
];

const CLIENTS = [
  { client: 'a', groups: [], roles: [] },
  { client: 'x', groups: ['b'], roles: [], issuer: 'https://i.example.org', claims: { role: ['buyer'] } },
];

/** The cells of a row, read as RFC 4180 has it. */
function cellsOf(row: string): readonly string[] {
  const cells: string[] = [];
  let rest = row;
  for (;;) {
    const [whole = '', quoted, plain = ''] = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(?=,|$)/.exec(rest) ?? [undefined];
    cells.push(quoted?.replaceAll('""', '"') ?? plain);
    rest = rest.slice(whole.length);
    if (rest === '') return cells;
    if (!rest.startsWith(',')) throw new Error(`no row of cells, from ${JSON.stringify(rest)} on`);
    rest = rest.slice(1);
  }
}

export const HANDED_OVER: readonly Target[] = [
  {
    name: 'prices',
    unhurried: true,
    samples: PRICES,
    words: ['price', 'time,', ';', '\t', '"', '0.01', '1e-9', '-1', 'us-east-1a', '[', '}', 'Linux/UNIX', '9999-12-31'],
    async take(input) {
      const read = (): ReturnType<typeof parsePriceTraces> =>
        parsePriceTraces([{ name: 'm1.small-us-west-2b.csv', text: input.toString() }]);
      for (const { pool, points } of (await orRefused(MmeliotError, read)) ?? []) {
        if (!/^.+\/.+$/s.test(pool) || points.length === 0)
          throw new Error(`the pool ${pool}: ${points.length} prices`);
        for (const [i, { at, price }] of points.entries())
          if (!(Number.isFinite(at) && Number.isFinite(price) && price > 0 && at > (points[i - 1]?.at ?? -Infinity)))
            throw new Error(`${price} at ${at} after ${points[i - 1]?.at}`);
      }
    },
  },
  {
    name: 'access-rules',
    unhurried: true,
    samples: RULES,
    words: [
      'MATCH_epc:',
      'see:',
      'deny:',
      'hide:',
      'where:',
      'everybody',
      'everything',
      'now-1d',
      'client:',
      '*',
      '[',
      '- ',
      '{}',
    ],
    async take(input) {
      let document: unknown;
      try {
        document = parse(input.toString(), { maxAliasCount: 10, logLevel: 'error' });
      } catch {
        return; // no YAML
      }
      const rules = await orRefused(RulesError, () => readRules(document));
      for (const client of rules === undefined ? [] : CLIENTS) {
        const rights = rightsOf(rules ?? [], client, 1_900_000_000_000);
        same(rights, rightsOf(rules ?? [], client, 1_900_000_000_000), `the rights of ${client.client}`);
      }
    },
  },
  {
    name: 'csv',
    samples: [
      json2(objectJson()),
      json2(
        objectJson({
          'x:note': 'a "quoted", one\r\nof two lines',
          bizStep: 'shipping',
          'x:other': { 'x:a': [1, ','] },
        }),
        '{"x":"https://x.example.org/"}',
      ),
    ],
    words: ['"', '\\"', ',', '\\r\\n', '=1+1', '"x:y"', '\\u0000', '"bizTransactionList"', '[', '}'],
    async take(input) {
      const columns = csvHeading().trimEnd().split(',').length;
      for (const item of (await orRefused(EpcisException, () => readAll(input, 'json'))) ?? []) {
        if (item.kind !== 'event') continue;
        const { event, hash, source } = item.captured;
        const text = writeEvent({ event, hash, source, recordTime: RECORD_TIME }, { form: 'json', version: '2.0' });
        same(cellsOf(csvRow(text)).length, columns, `the cells of ${text}`);
      }
    },
  },
];
