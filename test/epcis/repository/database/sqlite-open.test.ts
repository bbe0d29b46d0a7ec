import { join } from 'node:path';
import { expect } from 'chai';
import { openDatabase } from '../../../../epcis/repository/database/open.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

describe('a repository file whose path SQLite does not take', () => {
  const folder = temporaryFolder();
  after(() => folder.remove());
  const ofLength = (length: number): string => {
    const [deep, last] = [join(folder.path, 'x'.repeat(200), 'y'.repeat(200)), 'z'];
    return join(deep, last.repeat(length - deep.length - 1));
  };

  it('is told with how long it may be', async () => {
    const database = await openDatabase({ url: `sqlite://${ofLength(504)}` });
    await database.run('CREATE TABLE fits (a INTEGER)');
    await database.close();
    const error = await openDatabase({ url: `sqlite://${ofLength(505)}` }).catch((refusal: unknown) => refusal);
    expect(error)
      .to.have.property('message')
      .that.matches(
        /cannot be opened: SQLite takes paths of at most 504 bytes, and this one has 505; choose a shorter one\.$/,
      );
  });
});
