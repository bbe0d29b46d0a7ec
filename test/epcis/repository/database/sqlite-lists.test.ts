import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { ListsOfConnection } from '../../../../epcis/repository/database/sqlite-lists.ts';
import type { ValueList } from '../../../../epcis/repository/database/database.ts';
import { inListed } from '../../../../epcis/repository/sql/at-hand.ts';

const listOf = (list: ValueList['list']): ValueList => ({ list });

describe('lists of values that a connection to SQLite keeps', () => {
  const database = new DatabaseSync(':memory:');
  database.exec(`CREATE TABLE thing (number INTEGER, text TEXT, bytes BLOB);
    INSERT INTO thing VALUES (-9223372036854775808, 'a', x'00ff'), (7, 'b', x'01'), (NULL, NULL, NULL)`);
  const lists = new ListsOfConnection(database, 2000);
  const found = (column: string, list: ValueList): unknown[] => {
    const bound = lists.bound([list]);
    const rows = database.prepare(`SELECT text FROM thing WHERE ${inListed(column)} ORDER BY text`).all(...bound);
    return rows.map((row) => row['text']);
  };

  it('find numbers, texts and bytes, and nothing that is not in the list', () => {
    expect(found('number', listOf([-(2n ** 63n), 1n, 7n]))).to.deep.equal(['a', 'b']);
    expect(found('number', listOf([8n]))).to.deep.equal([]);
    expect(found('text', listOf(['b', 'b', "'"]))).to.deep.equal(['b']);
    expect(found('bytes', listOf([Buffer.from([0, 255]), Buffer.from([2])]))).to.deep.equal(['a']);
    expect(found('text', listOf([])), 'of none').to.deep.equal([]);
  });

  it('are one where they are the same, and two where only their texts together are', () => {
    const number = (...values: string[]): unknown => lists.bound([listOf(values)])[0];
    expect(number('x', 'y')).to.equal(number('x', 'y'));
    expect(number('x', 'y')).not.to.equal(number('x\ny'));
    expect(number('x,y')).not.to.equal(number('x', 'y'));
    expect(lists.bound([listOf([1n])])[0]).not.to.equal(number('1'));
  });

  it('come again when they were forgotten, or a transaction took them back', () => {
    const list = listOf(['a']);
    expect(found('text', list)).to.deep.equal(['a']);
    lists.forget();
    expect(found('text', list), 'forgotten').to.deep.equal(['a']);
    const fresh = listOf(['b', 'c']);
    database.exec('BEGIN');
    expect(found('text', fresh)).to.deep.equal(['b']);
    database.exec('ROLLBACK');
    lists.forget();
    expect(found('text', fresh), 'taken back').to.deep.equal(['b']);
    for (let n = 0; n < 60; n += 1) lists.bound([listOf(Array.from({ length: 100 }, (_, k) => BigInt(n * 100 + k)))]);
    const kept = Number(database.prepare('SELECT COUNT(*) AS n FROM temp.listed').get()?.['n']);
    expect(kept, 'bounded').to.be.below(2200);
    expect(found('text', list), 'one of those before').to.deep.equal(['a']);
  });
});
