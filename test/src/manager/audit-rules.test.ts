import { expect } from 'chai';
import type { StoredRules } from '../../../epcis/repository/access-rules.ts';
import { auditWithRules, rulesApplied } from '../../../src/manager/audit-rules.ts';

const version = (n: number, rules: object[]): StoredRules => ({
  version: n,
  source: '',
  rules: JSON.stringify({ rules }),
  appliedAt: `2026-01-01T00:00:0${n}.000Z`,
  appliedBy: 'eva',
  appliedFrom: 'office',
});
const see = (name: string, what: string) => ({ name, for: 'everybody', see: what });
const HISTORY = [version(2, [see('a', 'nothing else'), see('c', 'x')]), version(1, [see('a', 'x'), see('b', 'x')])];

describe('the audit of rules', () => {
  it('says who applied which version, from where, and which rules it changed', () => {
    const [newest, oldest] = rulesApplied(HISTORY, 'north');
    expect(newest).to.deep.equal({
      at: '2026-01-01T00:00:02.000Z',
      who: 'eva',
      from: 'office',
      what: 'access rules apply --tenant north',
      change: { version: 2, added: ['c'], removed: ['b'], changed: ['a'] },
    });
    expect(oldest?.change).to.deep.equal({ version: 1, added: ['a', 'b'], removed: [], changed: [] });
  });

  it('stands among what was changed at the manager, by time, and is left out where a repository does not answer', async () => {
    const noted = { at: '2026-01-01T00:00:01.500Z', who: 'op', from: '::1', what: 'PATCH /api/parameters' };
    const problems: unknown[] = [];
    const log = auditWithRules(
      { note: () => undefined, latest: async () => [noted] },
      [{ history: async () => HISTORY }, { tenant: 'north', history: () => Promise.reject(new Error('away')) }],
      (error) => problems.push(error),
    );
    expect((await log.latest(10)).map(({ what }) => what)).to.deep.equal([
      'access rules apply',
      'PATCH /api/parameters',
      'access rules apply',
    ]);
    expect(await log.latest(1)).to.have.lengthOf(1);
    expect(problems).to.have.lengthOf(2);
  });
});
