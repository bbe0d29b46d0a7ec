import { expect } from 'chai';
import type { Facts } from '../../../src/loop/finding.ts';
import { toyOffer, TWO_POOLS } from '../../helpers/toy-market.ts';
import { vm } from '../admin/scripted-source.ts';
import { AT, conditionOf, decided, facts, gatewayVm, tellOf, withParameters } from './calm-facts.ts';

const atMax = {
  fleet: ['a', 'b', 'c', 'd'].map((id) => vm(id, 'ready')),
};
const MIXED = [vm('vm-1', 'ready'), { ...vm('vm-2', 'ready'), offer: toyOffer('a', 'interruptible', 0.1) }];
const held = (name: string) => ({
  last: decided({ guard: { name, was: 'allocate', reason: `Held by ${name}.` } }),
});

describe('conditions of the fleet', () => {
  tellOf([
    [
      'a VM that is kept',
      'kept',
      'note',
      /^One VM is kept aside, .* costs: 7 \(for 17 min\)\.$/,
      facts({ fleet: [vm('vm-1', 'ready'), { ...vm('7', 'kept'), since: 0 }] }),
    ],
    ['a provider without a market', 'market', 'ok', /one kind of VM/, facts()],
    [
      'VMs as the mix wants them',
      'market',
      'ok',
      /^1 of 2 VMs are interruptible\.$/,
      facts({ market: { offers: TWO_POOLS.offers, resting: [] }, fleet: MIXED, ...withParameters({ spotShare: 50 }) }),
    ],
    [
      'a VM that will be taken',
      'market',
      'note',
      /^The cloud takes vm-2\.$/,
      facts({
        market: { offers: TWO_POOLS.offers, resting: [] },
        fleet: MIXED.map((one) => (one.id === 'vm-2' ? { ...one, interruptAt: AT + 90_000 } : one)),
      }),
    ],
    [
      'VMs on demand for want of room',
      'market',
      'note',
      /^1 of 2 VMs are interruptible, and 1 more should be; .* interrupted: a\/interruptible\.$/,
      facts({
        market: { offers: TWO_POOLS.offers, resting: ['a/interruptible'] },
        ...{ fleet: MIXED, ...withParameters({ spotShare: 100 }) },
      }),
    ],
    [
      'no VM in rotation',
      'rotation',
      'error',
      /No VM takes requests; out of the rotation: vm-1 \(503\)/,
      facts({}, { gatewayVms: [gatewayVm('vm-1', 'out', '503')] }),
    ],
    [
      'one VM out of the rotation',
      'rotation',
      'warning',
      /1 of 2 VMs take requests/,
      facts({}, { gatewayVms: [gatewayVm('vm-1', 'ready'), gatewayVm('vm-2', 'out')] }),
    ],
    [
      'a first VM that boots',
      'rotation',
      'note',
      /one VM is starting/,
      facts({ startedAt: AT - 20_000, fleet: [vm('vm-1', 'pending')] }, { gatewayVms: [] }),
    ],
    ['no VM at all', 'rotation', 'error', /There is no VM/, facts({ fleet: [] }, { gatewayVms: [] })],
    [
      'a provider that is away',
      'allocation',
      'error',
      /It is away/,
      facts({ obstacles: { putOff: [], provider: 'It is away.' } }),
    ],
    [
      'a cloud without room',
      'allocation',
      'error',
      /No host has room/,
      facts({ obstacles: { putOff: ['No host has room.'] } }),
    ],
    [
      'a VM for which the cloud has no host',
      'allocation',
      'error',
      /^VM 7: No host has room/,
      facts({ obstacles: { putOff: [], stuck: 'VM 7: No host has room for it.' } }),
    ],
    [
      'saturation at max, by the guard',
      'room',
      'warning',
      /4 of at most 4 VMs are there/,
      facts({ ...atMax, ...held('bounds') }),
    ],
    [
      'saturation at max, by the policy',
      'room',
      'warning',
      /asks for more/,
      facts({
        ...atMax,
        last: decided({
          comparisons: [
            { what: 'LP', value: 90, operator: '>', bound: 70, holds: true, for: 'allocate', rule: 'high' },
            { what: 'VMs', value: 4, operator: '<', bound: 4, holds: false, for: 'allocate', rule: 'high' },
          ],
        }),
      }),
    ],
    ['max without a need for more', 'room', 'ok', /4 of at most 4/, facts({ ...atMax, last: decided({}) })],
    ['a cooldown', 'guards', 'note', /Held by cooldown/, facts(held('cooldown'))],
    [
      'changed settings',
      'settings',
      'note',
      /high is 80 \(configured: 70\); period is 2s \(configured: 1h\)[.]/,
      facts({
        overrides: [
          { name: 'high', value: 80, configured: 70 },
          { name: 'period', value: 2_000, configured: 3_600_000 },
        ],
      }),
    ],
    [
      'changed settings that are as configured',
      'settings',
      'ok',
      /those of the configuration/,
      facts({ overrides: [{ name: 'high', value: 70, configured: 70 }] }),
    ],
    ['a pause', 'paused', 'note', /no decision adds or releases a VM\.$/, facts(withParameters({ paused: true }))],
    [
      'a pause under load',
      'paused',
      'warning',
      /and the load asks for more/,
      facts({
        ...withParameters({ paused: true }),
        last: decided({ action: 'hold', guard: { name: 'paused', was: 'allocate', reason: 'Held.' } }),
      }),
    ],
    [
      'a dry run without a VM',
      'rotation',
      'error',
      /in a dry run none is added\.$/,
      facts({ fleet: [], ...withParameters({ dryRun: true }) }, { gatewayVms: [] }),
    ],
    ['a dry run', 'dry-run', 'note', /nothing is changed/, facts(withParameters({ dryRun: true }))],
    ['a loop that stands still', 'decisions', 'error', /overdue for 60 s/, facts({ nextPeriodAt: AT - 60_000 })],
    [
      'a provider that never answered',
      'decisions',
      'warning',
      /Nothing is decided/,
      facts({ providerAnswered: false }),
    ],
    ['the next decision', 'decisions', 'ok', /first decision comes in 4 s/, facts()],
  ]);

  it('say what to do of what the provider refuses, which is not to make room', () => {
    const remedy = (obstacles: Facts['loop']['obstacles']) => conditionOf('allocation', facts({ obstacles }))?.remedy;
    expect(remedy({ putOff: ['No host has room.'] })).to.match(/^Make room/);
    expect(remedy({ putOff: ['In place of vm-1: It did not come up.'], failed: true })).to.match(/raise bootDeadline/);
    expect(remedy({ putOff: ['The template has no CPU.'], refused: true })).to.match(
      /^Put right what the provider says/,
    );
  });
});
