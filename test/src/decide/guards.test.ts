import { expect } from 'chai';
import fc from 'fast-check';
import { decide } from '../../../src/decide/index.ts';
import { DEFAULT_PARAMETERS, type ElasticityParameters } from '../../../src/decide/parameters.ts';
import { past, situation, type Said } from '../../helpers/situation.ts';

const by = (said: Said, parameters: Partial<ElasticityParameters> = {}) =>
  decide(situation(said), { ...DEFAULT_PARAMETERS, ...parameters });

describe('guards', () => {
  it('hold while a VM is pending or warming, for eliot and mmeliot, and say so', () => {
    const seen = fc.record({
      lp: fc.double({ min: 0, max: 100, noNaN: true }),
      deltaTp: fc.double({ min: -100, max: 500, noNaN: true }),
      ready: fc.integer({ min: 1, max: 3 }),
      pending: fc.nat(1),
      warming: fc.nat(1),
    });
    const policies = fc.constantFrom('eliot' as const, 'mmeliot' as const);
    fc.assert(
      fc.property(seen, policies, (said, policy) => {
        fc.pre(said.pending + said.warming > 0);
        expect(by(said, { policy }).action).to.equal('hold');
      }),
    );
    expect(by({ lp: 90, pending: 1 }).guard).to.include({ name: 'pending', was: 'allocate' });
  });

  it('let a policy decide while pending when told to', () => {
    expect(by({ lp: 90, pending: 1 }, { decideWhilePending: true }).action).to.equal('allocate');
  });

  it('do not wait for a dark VM to warm up, but let nobody leave', () => {
    expect(by({ lp: 90, ready: 2, warming: 1, dark: 1 }).action).to.equal('allocate');
    const held = by({ lp: 10, ready: 2, dark: 1 });
    expect(held.guard).to.include({ name: 'dark', was: 'release' });
    expect(held.vms).to.equal(undefined);
  });

  it('hold a release that would allocate again: LP 36 on 2 VMs is 72 on one', () => {
    const literal = { policyParameters: { preset: 'paper-literal' } };
    expect(by({ lp: 35.9, ready: 2, deltaTp: 0 }, literal).action).to.equal('release');
    expect(by({ lp: 35.9, ready: 2, deltaTp: 0 }, { ...literal, noFlap: true }).guard?.name).to.equal('no-flap');
    expect(by({ lp: 29, ready: 2 }).action).to.equal('release');
    expect(by({ lp: 35.9, ready: 2, deltaTp: -30 }).guard?.name).to.equal('no-flap');
    expect(by({ lp: 35.9, ready: 3, deltaTp: -30 }).action).to.equal('release');
  });

  it('never let the no-flap guard hold an allocation', () => {
    fc.assert(
      fc.property(fc.double({ min: 70.01, max: 100, noNaN: true }), fc.integer({ min: 1, max: 3 }), (lp, ready) => {
        expect(by({ lp, ready }).action).to.equal('allocate');
      }),
    );
  });

  it('keep the cooldown after any change', () => {
    const history = past(5, (i) => (i === 2 ? { action: 'allocate', count: 1 } : {}));
    expect(by({ lp: 90, history }, { allocateCooldown: 30_000 }).action).to.equal('allocate');
    expect(by({ lp: 90, history }, { allocateCooldown: 30_001 }).guard).to.include({ name: 'cooldown' });
    expect(by({ lp: 10, ready: 2, history }, { releaseCooldown: 40_000 }).guard).to.include({ was: 'release' });
    expect(by({ lp: 10, ready: 2, history }, { allocateCooldown: 40_000 }).action).to.equal('release');
  });

  it('let the last VM that serves stay while others only boot, whatever brings the fleet down', () => {
    const lowered = by({ lp: 50, ready: 2, pending: 1, max: 1 }, { max: 1 });
    expect([lowered.action, lowered.count, lowered.vms?.length]).to.deep.equal(['release', 1, 1]);
    expect(lowered.guard).to.include({ name: 'serving', was: 'release' });
    expect(by({ lp: 50, ready: 1, pending: 1, max: 1 }, { max: 1 }).action).to.equal('hold');
    expect(by({ lp: 10, ready: 1, pending: 1 }, { decideWhilePending: true }).action).to.equal('hold');
    expect(by({ lp: 50, ready: 3, max: 1 }, { max: 1 }).count).to.equal(2);
  });

  it('bring a fleet outside of its bounds back, whatever the policy says', () => {
    expect(by({ lp: 50, ready: 1, min: 3, max: 5 }, { min: 3, max: 5 })).to.include({ action: 'allocate', count: 2 });
    const shrunk = by({ lp: 90, ready: 4, max: 2 }, { max: 2 });
    expect(shrunk).to.include({ action: 'release', count: 2 });
    expect(shrunk.vms).to.have.length(2);
    expect(shrunk.guard).to.include({ name: 'bounds' });
  });
});

describe("the paper's literal reading", () => {
  it('oscillates at a constant 71 to 72 % of one VM, where the default does not', () => {
    for (const load of [71, 71.5, 72]) {
      expect(changes(load, { policyParameters: { preset: 'paper-literal' } })).to.be.greaterThan(20);
      expect(changes(load, {})).to.equal(1);
    }
  });
});

/** How often the fleet changes in 100 periods under a constant load, `load` per cent of one VM (a full window weighs 127/128). */
function changes(load: number, parameters: Partial<ElasticityParameters>): number {
  let ready = 1;
  let changed = 0;
  for (let period = 0; period < 100; period++) {
    const { action } = by({ lp: ((load / ready) * 127) / 128, ready, deltaTp: 0 }, parameters);
    if (action !== 'hold') changed += 1;
    ready += action === 'allocate' ? 1 : action === 'release' ? -1 : 0;
  }
  return changed;
}
