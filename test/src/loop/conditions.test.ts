import { expect } from 'chai';
import { DEFAULT_PARAMETERS, type ElasticityParameters } from '../../../src/decide/parameters.ts';
import { CONDITION_NAMES, conditionsOf, type ConditionName } from '../../../src/loop/conditions.ts';
import type { Facts } from '../../../src/loop/finding.ts';
import type { GatewayVm, LoopState } from '../../../src/loop/loop-state.ts';
import type { DecisionRecord, VmObservation } from '../../../src/model.ts';
import { toyOffer, TWO_POOLS } from '../../helpers/toy-market.ts';
import { NO_TRAFFIC } from '../../helpers/world.ts';
import { ScriptedSource, vm } from '../admin/scripted-source.ts';

const AT = 1_000_000;
const CALM: LoopState = {
  bill: { rate: 0, cost: 0, saved: 0, prices: {}, isPriced: false },
  market: { offers: [], resting: [] },
  ...{ at: AT, startedAt: 0, period: 9, nextPeriodAt: AT + 4_000, parameters: DEFAULT_PARAMETERS },
  ...{ fleet: [vm('vm-1', 'ready')], energy: 1, changes: [], byHand: [], overrides: [], providerAnswered: true },
  ...{ obstacles: { putOff: [] }, problems: [], warnings: [] },
};
const gatewayVm = (id: string, state: GatewayVm['state'], note?: string): GatewayVm => ({
  ...{ id, state, inFlight: 0, limit: 8, responseTime: 0 },
  ...(note !== undefined && { note }),
});

function facts(loop: Partial<LoopState> = {}, others: Partial<Facts> = {}): Facts {
  return {
    loop: { ...CALM, ...loop },
    gatewayVms: [gatewayVm('vm-1', 'ready')],
    traffic: NO_TRAFFIC,
    queueCapacity: 1_000,
    repository: {},
    disk: { path: '/data', freeBytes: 50e9, totalBytes: 100e9 },
    ...others,
  };
}

const conditionOf = (name: ConditionName, given: Facts) => conditionsOf(given).find((one) => one.name === name);
const withParameters = (changed: Partial<ElasticityParameters>) => ({
  parameters: { ...DEFAULT_PARAMETERS, ...changed },
});

/** A last period with this decision. */
function decided(decision: Partial<DecisionRecord['decision']>, backlogAge?: number): DecisionRecord {
  const source = new ScriptedSource();
  source.play(90);
  const [record] = source.records;
  if (record === undefined) throw new Error('nothing was recorded');
  const backlog = backlogAge === undefined ? {} : { backlog: { jobs: 3, events: 30, age: backlogAge } };
  const observation = { ...record.observation, ...backlog };
  return { ...record, observation, decision: { ...record.decision, comparisons: [], ...decision } };
}

/** A last period in which vm-1's load was known from there. */
function heardFrom(source: VmObservation['source']): DecisionRecord {
  const record = decided({});
  const seen = { vm: vm('vm-1', 'ready'), cpu: [5], responseTime: [], source };
  return { ...record, observation: { ...record.observation, vms: [seen] } };
}

const atMax = {
  fleet: ['a', 'b', 'c', 'd'].map((id) => vm(id, 'ready')),
};
const MIXED = [vm('vm-1', 'ready'), { ...vm('vm-2', 'ready'), offer: toyOffer('a', 'interruptible', 0.1) }];
const at50 = { parameters: { ...DEFAULT_PARAMETERS, spotShare: 50 } };
const held = (name: string) => ({
  last: decided({ guard: { name, was: 'allocate', reason: `Held by ${name}.` } }),
});

describe('conditions', () => {
  it('are all there, and well or not known, while nothing is the matter', () => {
    const found = conditionsOf(facts());
    expect(found.map(({ name }) => name)).to.have.members(CONDITION_NAMES);
    expect(found.filter(({ status }) => status !== 'ok').map(({ name }) => name)).to.deep.equal(['backlog']);
  });

  it('begin with the worst', () => {
    const full = { path: '/data', freeBytes: 1, totalBytes: 1e12 };
    const found = conditionsOf(facts({ fleet: [{ ...vm('7', 'kept'), since: 0 }] }, { disk: full }));
    const [first, ...others] = found.map(({ status }) => status);
    expect(first).to.equal('error');
    expect(others.slice(others.indexOf('note')).every((status) => ['note', 'ok'].includes(status))).to.equal(true);
    expect(others.at(-1)).to.equal('ok');
  });

  const cases: readonly (readonly [what: string, ConditionName, string, RegExp, Facts])[] = [
    [
      'a VM whose reports are signed with another secret, while the cloud tells its load',
      'reports',
      'error',
      /^The load reports of vm-1 are refused: they are signed with another secret/,
      facts({ last: heardFrom('provider') }, { refused: new Map([['vm-1', AT - 5_000]]) }),
    ],
    [
      'reports in the name of a VM that is heard itself',
      'reports',
      'ok',
      /^No VM's load reports/,
      facts({ last: heardFrom('agent') }, { refused: new Map([['vm-1', AT - 5_000]]) }),
    ],
    [
      'a VM that is kept',
      'kept',
      'note',
      /^One VM is kept aside, .* costs: 7 \(for 17 min\)\.$/,
      facts({ fleet: [vm('vm-1', 'ready'), { ...vm('7', 'kept'), since: 0 }] }),
    ],
    [
      'connections beyond the limits',
      'refusals',
      'note',
      /^40 requests and connections were refused in the last 5 s, before they counted\.$/,
      facts({}, { traffic: { ...NO_TRAFFIC, refused: 40, arrivalRate: 100, span: 5_000 } }),
    ],
    [
      'a stranger now and then',
      'refusals',
      'ok',
      /^Hardly any/,
      facts({}, { traffic: { ...NO_TRAFFIC, refused: 4, arrivalRate: 100, span: 5_000 } }),
    ],
    ['a provider without a market', 'market', 'ok', /one kind of VM/, facts()],
    [
      'VMs as the mix wants them',
      'market',
      'ok',
      /^1 of 2 VMs are interruptible\.$/,
      facts({ market: { offers: TWO_POOLS.offers, resting: [] }, fleet: MIXED, ...at50 }),
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
        ...{ fleet: MIXED, parameters: { ...DEFAULT_PARAMETERS, spotShare: 100 } },
      }),
    ],
    [
      'a database that is down',
      'repository',
      'error',
      /does not answer: ECONNREFUSED/,
      facts({}, { repository: { why: 'ECONNREFUSED' } }),
    ],
    [
      'a database that takes no writes',
      'repository',
      'error',
      /is read, and takes no writes: it runs with --read-only/,
      facts({}, { repository: { unwritable: 'it runs with --read-only' } }),
    ],
    [
      'a repository with a part of a backup',
      'repository',
      'warning',
      /holds a part of a backup: that is being restored, or its restore was broken off/,
      facts({}, { repository: { isPart: true } }),
    ],
    [
      'a replica that is a little behind',
      'repository',
      'ok',
      /its replica, which queries read from, is 4 s behind/,
      facts({}, { repository: { replica: { lag: 4_000 } } }),
    ],
    [
      'a replica that is far behind',
      'repository',
      'warning',
      /Queries read from a replica that is 40 s behind/,
      facts({}, { repository: { replica: { lag: 40_000 } } }),
    ],
    [
      'a replica that does not answer',
      'repository',
      'warning',
      /and not its replica, so queries read from the primary: ECONNREFUSED/,
      facts({}, { repository: { replica: { why: 'ECONNREFUSED' } } }),
    ],
    [
      'a database that only VMs find without room',
      'repository',
      'error',
      /answered the manager when it was last asked, and 3 requests in the last 20 s found it away, without room/,
      facts({}, { traffic: { ...NO_TRAFFIC, causes: { repository: 3, timeout: 1 }, span: 20_000 } }),
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
    [
      'an old backlog',
      'backlog',
      'warning',
      /the oldest for 90 s, and longestBacklog is 60 s/,
      facts({ ...withParameters({ longestBacklog: 60_000 }), last: decided({}, 90_000) }),
    ],
    ['a backlog without a limit', 'backlog', 'ok', /3 jobs/, facts({ last: decided({}, 90_000) })],
    [
      'a queue that is nearly full',
      'queue',
      'warning',
      /900 of at most 1000/,
      facts({}, { traffic: { ...NO_TRAFFIC, queued: 900 } }),
    ],
    [
      'requests that wait too long',
      'queue',
      'warning',
      /wait 2.5 s/,
      facts(withParameters({ longestQueueTime: 1_000 }), { traffic: { ...NO_TRAFFIC, queueTime: 2_500 } }),
    ],
    [
      'a disk that is nearly full',
      'disk',
      'warning',
      /Only 0.5 GB/,
      facts({}, { disk: { path: '/data', freeBytes: 5e8, totalBytes: 1e11 } }),
    ],
    [
      'a data folder that somebody has removed',
      'disk',
      'error',
      /^The data folder \/data is not there any more: /,
      facts({}, { disk: { path: '/data', isGone: true } }),
    ],
    [
      'a disk that is full',
      'disk',
      'error',
      /Only 5 MB/,
      facts({}, { disk: { path: '/data', freeBytes: 5e6, totalBytes: 1e11 } }),
    ],
    [
      'a state that is not saved',
      'disk',
      'error',
      /can't be saved/,
      facts({ obstacles: { putOff: [], save: "It can't be saved." } }),
    ],
    [
      'a file with a secret that is everybody’s to read',
      'secrets',
      'warning',
      /^Every user of this machine can read \/etc\/mmeliot\/tls\.key, and secrets stand there\.$/,
      facts({}, { exposed: ['/etc/mmeliot/tls.key'] }),
    ],
    [
      'clocks apart',
      'clocks',
      'warning',
      /clock of vm-1 is 90 s behind/,
      facts({}, { apart: { vm: 'vm-1', ms: -90_000, at: AT } }),
    ],
    [
      'clocks that were apart',
      'clocks',
      'ok',
      /time of this machine/,
      facts({}, { apart: { vm: 'vm-1', ms: -90_000, at: AT - 300_000 } }),
    ],
    [
      'a gateway that does not answer',
      'gateways',
      'error',
      /^The gateway at http:\/\/a:8083 does not answer \(ECONNREFUSED\)\.$/,
      facts({}, { gateways: ['The gateway at http://a:8083 does not answer (ECONNREFUSED).'] }),
    ],
    [
      'several gateways with a problem',
      'gateways',
      'error',
      /^The first is away \(2 more\)\.$/,
      facts({}, { gateways: ['The first is away.', 'The second is.', 'The third is.'] }),
    ],
    ['gateways that answer', 'gateways', 'ok', /does what it is told/, facts({}, { gateways: [] })],
    [
      'a node that is of no use',
      'nodes',
      'warning',
      /^Node vm-2: compare the clocks\.$/,
      facts({}, { nodes: [{ id: 'vm-1' }, { id: 'vm-2', note: 'compare the clocks.' }] }),
    ],
    [
      'nodes that do what they are told',
      'nodes',
      'ok',
      /do what they are told/,
      facts({}, { nodes: [{ id: 'vm-1' }] }),
    ],
    ['a loop that stands still', 'decisions', 'error', /overdue for 60 s/, facts({ nextPeriodAt: AT - 60_000 })],
    [
      'a provider that never answered',
      'decisions',
      'warning',
      /Nothing is decided/,
      facts({ providerAnswered: false }),
    ],
    ['the next decision', 'decisions', 'ok', /first decision comes in 4 s/, facts()],
  ];
  for (const [what, name, status, words, given] of cases)
    it(`tell of ${what}`, () => {
      const found = conditionOf(name, given);
      expect(found?.status).to.equal(status);
      expect(found?.reason)
        .to.match(words)
        .and.to.match(/^[A-Z0-9].*[.]$/);
      if (status !== 'ok') expect(found?.remedy, 'remedy').to.match(/^[A-Z].*[.]$/);
    });

  it('say what to do of what the provider refuses, which is not to make room', () => {
    const remedy = (obstacles: Facts['loop']['obstacles']) => conditionOf('allocation', facts({ obstacles }))?.remedy;
    expect(remedy({ putOff: ['No host has room.'] })).to.match(/^Make room/);
    expect(remedy({ putOff: ['In place of vm-1: It did not come up.'], failed: true })).to.match(/raise bootDeadline/);
    expect(remedy({ putOff: ['The template has no CPU.'], refused: true })).to.match(
      /^Put right what the provider says/,
    );
  });
});
