import { expect } from 'chai';
import { decide } from '../../../src/decide/index.ts';
import { DEFAULT_PARAMETERS } from '../../../src/decide/parameters.ts';
import { explain } from '../../../src/loop/explain.ts';
import { situation, type Said } from '../../helpers/situation.ts';

const explained = (said: Said) => explain(decide(situation(said), DEFAULT_PARAMETERS));

describe('explain', () => {
  it('says what was decided and what would have to change for the other actions', () => {
    const [hold, allocate, release] = explained({ lp: 43.1, ready: 2, deltaTp: -3 });
    expect(hold).to.match(/^Hold\. No rule fires/);
    expect(allocate).to.equal(
      'To allocate: LP above 70 (it is 43.1); or LP above 56 (it is 43.1) and delta TP at least 20 (it is -3).',
    );
    expect(release).to.equal(
      'To release: LP below 30 (it is 43.1); or LP below 36 (it is 43.1) and delta TP at most -20 (it is -3).',
    );
  });

  it('does not repeat itself, and leaves out ways that ask for more than another', () => {
    const [, allocate, release] = explained({ lp: 10, ready: 1, deltaTp: -3 });
    expect(allocate).to.contain('LP above 70 (it is 10)');
    expect(release).to.equal('To release: VMs above 1 (it is 1).');
  });

  it('says at the maximum what to do', () => {
    const lines = explained({ lp: 90, ready: 4 });
    expect(lines.find((line) => line.startsWith('To allocate'))).to.equal('To allocate: a max above 4 (4 are there).');
    expect(explained({ lp: 43.1, deltaTp: -3, ready: 1, max: 1 })[1]).to.equal(
      'To allocate: LP above 70 (it is 43.1); or LP above 56 (it is 43.1) and delta TP at least 20 (it is -3); and besides a max above 1 (1 is there).',
    );
  });

  it('says of a dry run what it would do', () => {
    const [title] = explain(decide(situation({ lp: 80 }), DEFAULT_PARAMETERS), true);
    expect(title).to.match(/^Dry run: would allocate one VM[.] overload/);
  });

  it('names the guard that changed the decision', () => {
    const lines = explained({ lp: 90, pending: 1 });
    expect(lines[1]).to.equal('Without the guard pending it would have been: allocate.');
    expect(lines[2]).to.contain('a guard comes first');
  });

  it('of an allocation says only what it would take to release', () => {
    const lines = explained({ lp: 80 });
    expect(lines[0]).to.equal('Allocate one VM. overload: LP 80 is > 70, and VMs 1 is < 4.');
    expect(lines.slice(1).map((line) => line.split(':')[0])).to.deep.equal(['To release']);
  });
});
