import { expect } from 'chai';
import { numbered } from '../../../../epcis/repository/sql/numbered.ts';
import { keys } from '../../../../epcis/repository/keys.ts';

describe('values of a statement that repeats itself', () => {
  const sqlite = { dialect: 'sqlite', keys } as const;
  const list = Array.from({ length: 150 }, (_, n) => BigInt(n));
  const branch = `x IN (${list.map(() => '?').join(', ')})`;

  it('are bound once each, at their numbers', () => {
    const { sql, values } = numbered(
      { sql: `a = ? AND ${branch} OR ${branch}`, values: ['a', ...list, ...list] },
      sqlite,
    );
    expect(values).to.deep.equal(['a', ...list]);
    const numbers = [...sql.matchAll(/\?(\d+)/g)].map(([, number]) => Number(number));
    expect(numbers.map((number) => values[number - 1])).to.deep.equal(['a', ...list, ...list]);
    expect(sql).not.to.match(/\?(?!\d)/);
  });

  it('stay as they are for MySQL', () => {
    const many = { sql: `${branch} OR ${branch}`, values: [...list, ...list] };
    expect(numbered(many, { ...sqlite, dialect: 'mysql' })).to.deep.equal(many);
  });
});
