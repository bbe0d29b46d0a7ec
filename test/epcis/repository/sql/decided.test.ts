import { expect } from 'chai';
import fc from 'fast-check';
import { anyHolds } from '../../../../epcis/access/rules/holds.ts';
import { keys } from '../../../../epcis/repository/keys.ts';
import { decided, givenBy } from '../../../../epcis/repository/sql/decided.ts';
import { eventsSql } from '../../../../epcis/repository/sql/event-sql.ts';
import type { Criterion } from '../../../../epcis/service/criteria.ts';
import { anyEvent, PLACES, STEPS, step } from '../../../helpers/epcis-samples.ts';

const place = (...values: string[]): Criterion => ({ kind: 'column', column: 'bizLocation', values });
const bizStep = (...values: string[]): Criterion => ({ kind: 'column', column: 'bizStep', values: values.map(step) });
const own: Criterion = { kind: 'text', name: 'owner', values: ['a'] };
const anyOf = (...of: Criterion[][]): Criterion => ({ kind: 'anyOf', of });
const noneOf = (...of: Criterion[][]): Criterion => ({ kind: 'noneOf', of });

const simple = fc.oneof(
  fc.subarray(PLACES, { minLength: 1 }).map((values) => place(...values)),
  fc.subarray(STEPS, { minLength: 1 }).map((values) => bizStep(...values)),
  fc.constantFrom('ADD', 'DELETE').map((each): Criterion => ({ kind: 'column', column: 'action', values: [each] })),
);
const { rule } = fc.letrec<{ rule: Criterion; any: Criterion }>((tie) => ({
  any: fc.oneof({ maxDepth: 2 }, simple, tie('rule')),
  rule: fc
    .record({
      kind: fc.constantFrom('anyOf' as const, 'noneOf' as const),
      of: fc.array(fc.array(tie('any'), { maxLength: 3 }), { maxLength: 3 }),
    })
    .map(({ kind, of }): Criterion => ({ kind, of })),
}));

describe('what a query decides of rules', () => {
  const left = (criterion: Criterion, ...asked: Criterion[]) => decided(criterion, givenBy(asked, keys), keys);

  it('is what is about its own columns', () => {
    expect(left(anyOf([place('a', 'b')], [own]), place('a')), 'one of the places').to.equal(true);
    expect(left(anyOf([place('a')], [own]), place('b')), 'another place').to.deep.equal(anyOf([own]));
    expect(left(anyOf([bizStep('shipping'), own]), bizStep('shipping'))).to.deep.equal(anyOf([own]));
    expect(left(anyOf([bizStep('shipping'), own]), bizStep('packing'))).to.equal(false);
    expect(left(noneOf([bizStep('shipping'), own]), bizStep('packing'))).to.equal(true);
    const below: Criterion = { kind: 'elements', column: 'bizLocation', ids: [keys.term('a')] };
    expect(left(anyOf([below]), place('a'))).to.equal(true);
    expect(left(anyOf([place('a')]), below)).to.equal(true);
  });

  it('is nothing of what may be so or so, which stays as it is', () => {
    for (const rules of [anyOf([place('a')], [own]), noneOf([own, place('a')])])
      for (const asked of [[], [own], [bizStep('shipping')], [place('a', 'b')]])
        expect(left(rules, ...asked)).to.equal(rules);
  });

  it('changes nothing of what is seen of it', () => {
    fc.assert(
      fc.property(fc.array(simple, { minLength: 1, maxLength: 3 }), rule, anyEvent, (asked, rules, event) => {
        const holds = (criteria: Criterion[]) => anyHolds([criteria], { event, hash: '' });
        const rest = left(rules, ...asked);
        const without = typeof rest === 'boolean' ? rest && holds(asked) : holds([...asked, rest]);
        expect(without).to.equal(holds([...asked, rules]));
      }),
      { numRuns: 1000, seed: 5 },
    );
  });

  it('does not stand in the statement, in none of its branches', () => {
    const many = Array.from({ length: 100 }, (_, n) => `urn:x:${n}`);
    const order = { by: 'eventTime', direction: 'DESC' } as const;
    const sql = (...criteria: Criterion[]) =>
      eventsSql({ criteria, order, limit: 30 }, { dialect: 'mysql', keys }).values.length;
    const asked = place(...many.slice(0, 10));
    expect(sql(asked, anyOf([place(...many)], [own]))).to.equal(sql(asked));
  });
});
