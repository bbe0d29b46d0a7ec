import { expect } from 'chai';
import fc from 'fast-check';
import { decide } from '../../../../src/decide/index.ts';
import { DEFAULT_PARAMETERS, type ElasticityParameters } from '../../../../src/decide/parameters.ts';
import { situation, type Said } from '../../../helpers/situation.ts';

const by = (said: Said, parameters: Partial<ElasticityParameters> = {}) =>
  decide(situation(said), { ...DEFAULT_PARAMETERS, ...parameters });
const action = (said: Said, parameters: Partial<ElasticityParameters> = {}) => by(said, parameters).action;

describe('eliot', () => {
  const eliot = { policy: 'eliot' } as const;

  it('allocates above high and releases below low, strictly', () => {
    expect(action({ lp: 70.01 }, eliot)).to.equal('allocate');
    expect(action({ lp: 70 }, eliot)).to.equal('hold');
    expect(action({ lp: 30, ready: 2 }, eliot)).to.equal('hold');
    expect(action({ lp: 29.99, ready: 2 }, eliot)).to.equal('release');
  });

  it('keeps the minimum and the maximum', () => {
    expect(action({ lp: 1, ready: 1 }, eliot)).to.equal('hold');
    const held = by({ lp: 90, ready: 4 }, eliot);
    expect(held).to.include({ action: 'hold', count: 0 });
    expect(held.guard).to.include({ name: 'bounds', was: 'allocate' });
  });
});

describe('mmeliot', () => {
  it('allocates above high whatever the response time does', () => {
    expect(by({ lp: 71, deltaTp: -50 })).to.include({ action: 'allocate', count: 1, rule: 'overload' });
  });

  it('allocates between 56 and 70 when responses slow down by the target', () => {
    expect(by({ lp: 56.5, deltaTp: 20 })).to.include({ action: 'allocate', rule: 'slowing' });
    expect(action({ lp: 56, deltaTp: 20 })).to.equal('hold');
    expect(action({ lp: 60, deltaTp: 19.9 })).to.equal('hold');
    expect(action({ lp: 60 })).to.equal('hold');
  });

  it('does not allocate because responses got faster, unless told to take the paper by its words', () => {
    expect(action({ lp: 60, deltaTp: -30 })).to.equal('hold');
    expect(action({ lp: 60, deltaTp: -30 }, { policyParameters: { preset: 'paper-literal' } })).to.equal('allocate');
    expect(action({ lp: 60, deltaTp: -30 }, { policyParameters: { deltaTp: 'absolute' } })).to.equal('allocate');
  });

  it('releases below low, and below 36 when responses get faster by the target', () => {
    expect(by({ lp: 29, ready: 3 })).to.include({ action: 'release', rule: 'underload' });
    expect(by({ lp: 35, ready: 3, deltaTp: -20 })).to.include({ action: 'release', rule: 'easing' });
    expect(action({ lp: 35, ready: 3, deltaTp: -19 })).to.equal('hold');
    expect(action({ lp: 36, ready: 3, deltaTp: -20 })).to.equal('hold');
    expect(action({ lp: 35, ready: 3 })).to.equal('hold');
  });

  it('as printed, releases below 36 when the response time is stable', () => {
    const stable = { policyParameters: { releaseTrigger: 'stable' } };
    expect(action({ lp: 35, ready: 3, deltaTp: 5 }, stable)).to.equal('release');
    expect(action({ lp: 35, ready: 3, deltaTp: -25 }, stable)).to.equal('hold');
  });

  it('as printed, takes a change for one only above the target', () => {
    const literal = { preset: 'paper-literal' };
    expect(action({ lp: 60, deltaTp: 20 }, { policyParameters: literal })).to.equal('hold');
    expect(action({ lp: 60, deltaTp: 20.01 }, { policyParameters: literal })).to.equal('allocate');
    expect(action({ lp: 60, deltaTp: 20 }, { policyParameters: { ...literal, targetReached: 'at' } })).to.equal(
      'allocate',
    );
    const drop = { releaseTrigger: 'drop', targetReached: 'above' };
    expect(action({ lp: 35, ready: 3, deltaTp: -20 }, { policyParameters: drop })).to.equal('hold');
    expect(action({ lp: 35, ready: 3, deltaTp: -20.01 }, { policyParameters: drop })).to.equal('release');
  });

  it('never releases the last VM', () => {
    for (const preset of ['mmeliot', 'paper-literal'] as const)
      expect(action({ lp: 0, ready: 1, deltaTp: 0 }, { policyParameters: { preset } })).to.equal('hold');
  });

  it('lets the VM with the lowest LP go; among equals the newest', () => {
    expect(by({ lp: 10, lps: [9, 5, 12], ready: 3 }).vms).to.deep.equal(['vm-2']);
    expect(by({ lp: 10, lps: [9, 9, 12], ready: 3 }).vms).to.deep.equal(['vm-2']);
    expect(by({ lp: 10, lps: [9, 9, 9], ready: 3 }).vms).to.deep.equal(['vm-3']);
  });

  it('holds without evidence and says so', () => {
    expect(by({}).reason).to.match(/enough samples/);
  });

  it('says which numbers it compared', () => {
    const { comparisons, reason } = by({ lp: 60, deltaTp: 25 });
    expect(comparisons.find((term) => term.rule === 'slowing' && term.what === 'LP')).to.include({
      bound: 56,
      value: 60,
      holds: true,
    });
    expect(reason).to.contain('LP 60 is > 56').and.to.contain('delta TP 25 is >= 20');
  });

  it('keeps the bounds, and takes one VM a period, whatever it sees', () => {
    const said = fc.record({
      lp: fc.double({ min: 0, max: 100, noNaN: true }),
      deltaTp: fc.option(fc.double({ min: -100, max: 500, noNaN: true }), { nil: undefined }),
      ready: fc.integer({ min: 1, max: 4 }),
    });
    const presets = fc.constantFrom('mmeliot' as const, 'paper-literal' as const);
    fc.assert(
      fc.property(said, presets, (seen, preset) => {
        const { action, count } = by(seen, { policyParameters: { preset } });
        const after = seen.ready + (action === 'allocate' ? count : action === 'release' ? -count : 0);
        expect(after).to.be.within(1, 4);
        expect(count).to.equal(action === 'hold' ? 0 : 1);
      }),
    );
  });

  it('wants no fewer VMs when the load is higher', () => {
    const size = { release: -1, hold: 0, allocate: 1 };
    const lp = fc.double({ min: 0, max: 100, noNaN: true });
    const delta = fc.double({ min: -100, max: 100, noNaN: true });
    const ready = fc.integer({ min: 1, max: 4 });
    fc.assert(
      fc.property(lp, lp, delta, ready, (a, b, deltaTp, ready) => {
        const low = size[action({ lp: Math.min(a, b), deltaTp, ready })];
        const high = size[action({ lp: Math.max(a, b), deltaTp, ready })];
        expect(high).to.be.at.least(low);
      }),
    );
  });
});
