import { expect } from 'chai';
import { parseRepositoryUrl } from '../../../epcis/repository/database/url.ts';
import { sqliteUrl } from '../../../src/manager/repository-urls.ts';

describe('the URL of a SQLite file', () => {
  for (const file of ['/var/lib/epcis.db', '/home/a b/epcis.db', '/home/100% me/epcis.db', '/home/%41/ü?#&;/epcis.db'])
    it(`finds ${file} again`, () => {
      expect(parseRepositoryUrl(sqliteUrl(file))).to.deep.equal({ kind: 'sqlite', file });
    });
});
