import { expect } from 'chai';
import { DEFAULT_PARAMETERS } from '../../../src/decide/parameters.ts';
import { decodeEntry } from '../../../src/loop/journal.ts';
import { World } from '../../helpers/world.ts';

describe('what version 0.1.0 wrote', () => {
  it("has the policy's own parameters among the common ones, and is read as before", () => {
    const old = { ...DEFAULT_PARAMETERS, preset: 'paper-literal', nearness: 15, deltaTp: 'auto' };
    const entry = decodeEntry(JSON.stringify({ kind: 'settings', at: 0, parameters: old, history: [] }));
    expect(entry?.kind === 'settings' && entry.parameters).to.deep.equal({
      ...DEFAULT_PARAMETERS,
      policyParameters: { preset: 'paper-literal', nearness: 15, deltaTp: 'auto' },
    });
  });

  it("leaves out those of mmeliot where another policy's were in force", () => {
    const old = { ...DEFAULT_PARAMETERS, policy: 'hpa', nearness: 20, policyParameters: { target: 50 } };
    const entry = decodeEntry(JSON.stringify({ kind: 'settings', at: 0, parameters: old, history: [] }));
    expect(entry?.kind === 'settings' && entry.parameters.policyParameters).to.deep.equal({ target: 50 });
  });

  it('spreads interruptible VMs over pools whatever that cost, as it did', () => {
    const old = { ...DEFAULT_PARAMETERS, spreadPremium: undefined }; // JSON leaves it out
    const entry = decodeEntry(JSON.stringify({ kind: 'settings', at: 0, parameters: old, history: [] }));
    expect(entry?.kind === 'settings' && entry.parameters.spreadPremium).to.equal(100);
  });

  it('may be a change that was saved', async () => {
    const world = new World();
    world.saved = { entries: [], changes: { nearness: 15 } as object };
    const loop = world.loop();
    await loop.start();
    expect(loop.state().parameters.policyParameters).to.deep.equal({ nearness: 15 });
    expect(loop.state().warnings).to.deep.equal([]);
    await loop.stop();
  });
});
