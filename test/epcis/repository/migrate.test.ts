import { expect } from 'chai';
import type { Database } from '../../../epcis/repository/database/database.ts';
import { migrate } from '../../../epcis/repository/migrate.ts';

describe('a schema that cannot be made', () => {
  const failed = async (error: Error): Promise<Error> => {
    const refuse = (): Promise<never> => Promise.reject(error);
    const database = { dialect: 'mysql', all: async () => [], run: refuse, transaction: refuse };
    return migrate(database as unknown as Database).then(
      () => expect.fail('it was made'),
      (why: Error) => why,
    );
  };

  it('is told in a sentence where the disk is full, or nothing is written', async () => {
    const full = await failed(Object.assign(new Error('database or disk is full'), { errcode: 13 }));
    expect([full.name, full.message]).to.deep.equal([
      'RepositoryError',
      "The repository's schema cannot be made or brought up to date: database or disk is full.",
    ]);
    const readOnly = Object.assign(new Error('The server is running with --read-only.'), {
      code: 'ER_OPTION_PREVENTS_STATEMENT',
    });
    expect((await failed(readOnly)).message).to.include('up to date: The server is running with --read-only.');
  });

  it('is a defect where a statement is wrong', async () => {
    const wrong = new Error('near "TABEL": syntax error');
    expect(await failed(wrong)).to.equal(wrong);
  });
});
