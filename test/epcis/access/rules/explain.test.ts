import { expect } from 'chai';
import { Difference, everyoneIn } from '../../../../epcis/access/rules/compare.ts';
import { effectsOf, explain } from '../../../../epcis/access/rules/explain.ts';
import { readRules } from '../../../../epcis/access/rules/read.ts';

const RULES = readRules({
  rules: [
    { name: 'own', for: 'client:acme', see: { epc: 'urn:x:1' }, hide: ['ilmd'] },
    { name: 'all', for: 'group:g', see: 'everything' },
    { name: 'pilot', for: 'everybody', deny: { EQ_action: 'ADD' } },
    { name: 'country', for: { issuer: 'i', claims: { country: ['pt', 'es'] } }, see: 'everything' },
  ],
});

describe('explaining a decision', () => {
  const acme = { client: 'acme', groups: [], roles: [] };
  const effects = effectsOf(RULES, acme, 0);

  it('goes by the rules that are about the client', () => {
    expect(effects.map(({ rule, does }) => `${does} ${rule.name}`)).to.deep.equal([
      'see own',
      'hide own',
      'deny pilot',
    ]);
  });

  it('says first what was decided, and by which rule', () => {
    const first = (marks: boolean[]): string | undefined => explain(effects, marks, 'acme')[0];
    expect(first([true, true, false])).to.equal('acme gets it by "own", without ilmd ("own").');
    expect(first([true, true, true])).to.equal('acme does not get it: denied by "pilot".');
    expect(first([false, false, false])).to.equal('acme does not get it: no rule lets it see this event.');
    expect(explain(effects, [true, true, false], 'acme').slice(1)).to.deep.equal([
      '  meets  see   own',
      '  meets  hide  own',
      '         deny  pilot',
    ]);
  });
});

describe('trying rules', () => {
  it('asks for everyone whom the rules name, and for one whom none names', () => {
    expect(everyoneIn(RULES).map(({ client }) => client)).to.deep.equal([
      'acme',
      'one of the group g',
      'anybody else',
      'one with i, country pt',
    ]);
  });

  it('counts what each would gain and lose, with examples', () => {
    const difference = new Difference();
    const marks = [
      [true, true, false, false, true, true],
      [true, true, true, false, true, true],
      [true, true, true, false, false, true], // one field instead of another
      [true, false, false, false],
      [false, true, false, false],
      [false, false, true, false],
    ];
    for (const [n, each] of marks.entries()) difference.add(`e${n}`, each);
    expect({ ...difference }).to.deep.equal({
      before: 4,
      after: 4,
      otherwise: 2,
      gains: 1,
      gained: ['e4'],
      losses: 1,
      lost: ['e3'],
    });
  });
});
