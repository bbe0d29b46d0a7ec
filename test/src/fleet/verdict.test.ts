import { expect } from 'chai';
import { mixed } from '../../../src/fleet/verdict.ts';
import { fleetSettings } from '../../../src/fleet/settings.ts';
import type { Decision, Vm } from '../../../src/model.ts';
import { defaultsOf } from '../../../src/settings/declaration.ts';

describe('who leaves', () => {
  const settings = defaultsOf(fleetSettings);
  const vm = (id: string, node?: string): Vm => ({ id, state: 'ready', since: 0, ...(node !== undefined && { node }) });
  const release = (count: number, ...vms: readonly string[]): Decision => ({
    ...{ action: 'release', count, rule: 'r', reason: 'Idle.', comparisons: [], vms },
  });
  const left = (decision: Decision, fleet: readonly Vm[], more = {}) =>
    mixed(decision, { fleet, forecast: { vms: [] }, market: { offers: [], resting: [] } }, { ...settings, ...more })
      .vms;

  it('are those with whom a machine can be given back, where several VMs are on one', () => {
    const fleet = [vm('a', 'full'), vm('b', 'full'), vm('c', 'full'), vm('d', 'half'), vm('e', 'half'), vm('f', 'one')];
    expect(left(release(1, 'a'), fleet)).to.deep.equal(['f']);
    expect(left(release(3, 'a'), fleet)).to.have.members(['d', 'e', 'f']);
    expect(left(release(1, 'a'), fleet, { protected: ['f'] })).to.deep.equal(['d']);
    expect(left(release(2, 'c', 'b'), fleet.slice(0, 3))).to.deep.equal(['c', 'b']);
  });

  it('are those that the policy chose, where each has a machine of its own', () => {
    expect(left(release(1, 'b'), [vm('a'), vm('b')])).to.deep.equal(['b']);
  });
});
