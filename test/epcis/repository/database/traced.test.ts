import { expect } from 'chai';
import { kindOf } from '../../../../epcis/repository/database/traced.ts';

describe('what is told of a statement', () => {
  it('is its kind and its table, and nothing that was written into it', () => {
    for (const [sql, operation, table] of [
      ['SELECT payload FROM event e WHERE e.id = ?', 'SELECT', 'event'],
      ['  insert into capture_job (id) VALUES (?)', 'INSERT', 'capture_job'],
      ['UPDATE capture_job SET state = 2', 'UPDATE', 'capture_job'],
      ['DELETE FROM capture_job_chunk WHERE job_id = ?', 'DELETE', 'capture_job_chunk'],
      ['WITH RECURSIVE part AS (SELECT id FROM event) SELECT * FROM part', 'SELECT', 'event'],
      ['(SELECT 1) UNION (SELECT 2)', 'SELECT', undefined],
      ['', 'statement', undefined],
    ] as const)
      expect(kindOf(sql), sql).to.deep.equal({ operation, ...(table && { table }) });
  });
});
