// What is below many places is asked for in SQL that takes SQLite, which does so in the one thread for all, little time.
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import type { Database } from '../../../../epcis/repository/database/database.ts';
import { createEventRepository } from '../../../../epcis/repository/event-repository.ts';
import { keys } from '../../../../epcis/repository/keys.ts';
import { belowSql } from '../../../../epcis/repository/sql/sql.ts';
import { gather } from '../../../../epcis/service/gather.ts';

describe('what is below elements', () => {
  const CHILDREN = 'CREATE TABLE vocabulary_child (parent INTEGER, child INTEGER, PRIMARY KEY (parent, child))';

  it('of two thousand roots is found by a few steps of SQLite for each, and each once', () => {
    const database = new DatabaseSync(':memory:');
    database.exec(`${CHILDREN}; INSERT INTO vocabulary_child VALUES (1, 2), (2, 5000), (5000, 5001), (5001, 1)`);
    const roots = Array.from({ length: 2_000 }, (_, i) => BigInt(i));
    const { sql } = belowSql(roots, { dialect: 'sqlite', keys });
    const found = database
      .prepare(sql)
      .all(...roots)
      .map(({ id }) => Number(id));
    expect(found.sort((a, b) => a - b)).to.deep.equal([...roots.map(Number), 5000, 5001]);
    const steps = database.prepare(`EXPLAIN ${sql}`).all(...roots).length;
    expect(steps).to.be.below(3 * roots.length);
    database.close();
  });

  it('is looked up beforehand for few places, and for many only by the query itself', async () => {
    let lookUps = 0;
    const database = {
      dialect: 'sqlite',
      all: async () => (lookUps++, []),
      stream: async function* () {},
    } as unknown as Database;
    const repository = createEventRepository(database, { now: () => 0 });
    const ask = async (places: number) => {
      const roots = Array.from({ length: places }, (_, i) => `urn:x:${i}`);
      const criteria = [{ kind: 'within', column: 'readPoint', roots }] as const;
      const order = { by: 'eventTime', direction: 'DESC' } as const;
      await gather(repository.events({ criteria, order, limit: 10 }));
      return lookUps;
    };
    expect(await ask(2)).to.equal(1);
    expect(await ask(1_990)).to.equal(1);
  });
});
