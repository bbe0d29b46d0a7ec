import { expect } from 'chai';
import fc from 'fast-check';
import { anyHolds } from '../../../../epcis/access/rules/holds.ts';
import { merged } from '../../../../epcis/access/rules/merge.ts';
import type { Criterion } from '../../../../epcis/service/criteria.ts';
import { anyEvent, PLACES, STEPS, step } from '../../../helpers/epcis-samples.ts';

const place = (...values: string[]): Criterion => ({ kind: 'column', column: 'bizLocation', values });
const bizStep = (...values: string[]): Criterion => ({ kind: 'column', column: 'bizStep', values: values.map(step) });
const own = (...values: string[]): Criterion => ({ kind: 'text', name: 'owner', values });

describe('many rules as few conditions', () => {
  it('share what they have in common', () => {
    const both = [[bizStep('shipping'), own('a')], [bizStep('shipping'), own('b')], [place('1')], [place('2')]];
    expect(merged(both)).to.have.deep.members([[bizStep('shipping'), own('a', 'b')], [place('1', '2')]]);
    expect(merged([[{ kind: 'anyOf', of: [[place('1')], [own('a')]] }], [place('2')]])).to.have.deep.members([
      [place('1', '2')],
      [own('a')],
    ]);
    expect(merged([[]])).to.deep.equal([[]]);
  });

  it('are met by the same events', () => {
    const simple = fc.oneof(
      fc.constantFrom(...PLACES).map((each) => place(each)),
      fc.constantFrom(...STEPS).map((each) => bizStep(each)),
      fc.constantFrom('ADD', 'DELETE').map((each): Criterion => ({ kind: 'column', column: 'action', values: [each] })),
    );
    const nested = fc
      .array(fc.array(simple, { minLength: 1, maxLength: 2 }), { maxLength: 3 })
      .map((of): Criterion => ({ kind: 'anyOf', of }));
    const alternatives = fc.array(fc.array(fc.oneof(simple, nested), { maxLength: 3 }), { maxLength: 6 });
    fc.assert(
      fc.property(alternatives, anyEvent, (some, event) => {
        expect(anyHolds(merged(some), { event, hash: '' })).to.equal(anyHolds(some, { event, hash: '' }));
      }),
      { numRuns: 500, seed: 3 },
    );
  });
});
