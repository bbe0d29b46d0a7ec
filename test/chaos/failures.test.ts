import { expect } from 'chai';
import { happeningsIn, tellFailures } from './failures.ts';

describe('which requests failed', () => {
  const origin = Date.parse('2026-01-01T00:00:00Z');
  const log = [
    'clients connect to http://127.0.0.1:80/',
    '{"level":"info","time":"2026-01-01T00:00:01.000Z","vm":"vm-1","msg":"long before"}',
    '{"level":"info","time":"2026-01-01T00:00:10.000Z","vm":"vm-1","step":"drain","msg":"its requests have ended"}',
    '{"torn',
  ].join('\n');
  const happenings = happeningsIn('manager', log, origin);

  it('reads what a part says when, and nothing else', () => {
    expect(happenings.map(({ at }) => at)).to.deep.equal([1_000, 10_000]);
  });

  it('tells of each what it was, when, and what happened at that time', () => {
    const outcomes = [
      { began: 8_000, ended: 8_010, answered: true },
      { began: 9_000, ended: 11_500, answered: false, detail: 'POST events: 502 by vm-1' },
    ];
    expect(tellFailures(outcomes, happenings, 1_000)).to.deep.equal([
      'failed at 10.50 s, begun at 8.00 s: POST events: 502 by vm-1\n' +
        '  9.00 s: manager info its requests have ended vm="vm-1" step="drain"',
    ]);
  });
});
