import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCompanyPrefixes } from '../../../epcis/company-prefixes.ts';
import { companyPrefixes, readGs1Table } from '../../../epcis/domain/company-prefixes.ts';

const JSON_FORM =
  '{"_disclaimer":["prefix"],"GCPPrefixFormatList":{"date":"2030-01-01","entry":[{"prefix":"9521","gcpLength":7},' +
  '{"prefix":"95211411","gcpLength":8},{"gcpLength":3},{"prefix":"20","gcpLength":0},{"prefix":"953","gcpLength":9}]}}';
const XML_FORM =
  '<GCPPrefixFormatList date="2030-01-01"><entry prefix="953" gcpLength="9"/><entry prefix="95211411" gcpLength="8"/>' +
  '<entry prefix="9521" gcpLength="7"/><entry prefix="20" gcpLength="0"/></GCPPrefixFormatList>';

describe('company prefixes', () => {
  for (const [form, text] of [
    ['JSON', JSON_FORM],
    ['XML', XML_FORM],
  ] as const) {
    it(`are read from GS1's table in ${form}: the longest beginning counts`, () => {
      const lengthOf = companyPrefixes(readGs1Table(text));
      const expected: Readonly<Record<string, number | undefined>> = {
        '952114012345': 7,
        '952114112345': 8,
        '952114212345': 7,
        '952200000000': undefined,
        '953000000000': 9,
        '954000000000': undefined,
        '200000000000': undefined,
        '9521141': undefined, // seven digits or eight
        '9521140': 7,
        '952114': undefined, // too few
        '': undefined,
      };
      for (const [digits, length] of Object.entries(expected)) expect(lengthOf(digits), digits).to.equal(length);
    });
  }

  it('come with the service, for the whole world', () => {
    const lengthOf = openCompanyPrefixes('');
    const expected: Readonly<Record<string, number | undefined>> = {
      '061414107346': 7,
      '401234500001': 7,
      '952114112345': 7,
      '952000000000': 6,
      '952512345678': 11,
      '200000000000': undefined, // for use inside a company
      '999999999999': undefined,
    };
    for (const [digits, length] of Object.entries(expected)) expect(lengthOf(digits), digits).to.equal(length);
  });

  it('come from a newer table, and a file that is none is named', () => {
    const folder = mkdtempSync(join(tmpdir(), 'mmeliot-prefixes-'));
    try {
      const [table, other] = [join(folder, 'table.json'), join(folder, 'other.json')];
      writeFileSync(table, JSON_FORM);
      writeFileSync(other, '{}');
      expect(openCompanyPrefixes(table)('953000000000')).to.equal(9);
      expect(() => openCompanyPrefixes(other)).to.throw('is no table of company prefixes');
      expect(() => openCompanyPrefixes(join(folder, 'none'))).to.throw('cannot be read');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
