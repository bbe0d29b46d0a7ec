// What conditions are told of a manager with which nothing is the matter, and how each is held against what it finds.
import { expect } from 'chai';
import { DEFAULT_PARAMETERS, type ElasticityParameters } from '../../../src/decide/parameters.ts';
import { conditionsOf, type Condition, type ConditionName } from '../../../src/loop/conditions.ts';
import type { Facts } from '../../../src/loop/finding.ts';
import type { GatewayVm, LoopState } from '../../../src/loop/loop-state.ts';
import type { DecisionRecord } from '../../../src/model.ts';
import { NO_TRAFFIC } from '../../helpers/world.ts';
import { ScriptedSource, vm } from '../admin/scripted-source.ts';

export const AT = 1_000_000;
const CALM: LoopState = {
  bill: { rate: 0, cost: 0, saved: 0, prices: {}, isPriced: false },
  market: { offers: [], resting: [] },
  ...{ at: AT, startedAt: 0, period: 9, nextPeriodAt: AT + 4_000, parameters: DEFAULT_PARAMETERS },
  ...{ fleet: [vm('vm-1', 'ready')], energy: 1, changes: [], byHand: [], overrides: [], providerAnswered: true },
  ...{ obstacles: { putOff: [] }, problems: [], warnings: [] },
};
export const gatewayVm = (id: string, state: GatewayVm['state'], note?: string): GatewayVm => ({
  ...{ id, state, inFlight: 0, limit: 8, responseTime: 0 },
  ...(note !== undefined && { note }),
});

export function facts(loop: Partial<LoopState> = {}, others: Partial<Facts> = {}): Facts {
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

export const withParameters = (changed: Partial<ElasticityParameters>) => ({
  parameters: { ...DEFAULT_PARAMETERS, ...changed },
});

/** A last period with this decision. */
export function decided(decision: Partial<DecisionRecord['decision']>, backlogAge?: number): DecisionRecord {
  const source = new ScriptedSource();
  source.play(90);
  const [record] = source.records;
  if (record === undefined) throw new Error('nothing was recorded');
  const backlog = backlogAge === undefined ? {} : { backlog: { jobs: 3, events: 30, age: backlogAge } };
  const observation = { ...record.observation, ...backlog };
  return { ...record, observation, decision: { ...record.decision, comparisons: [], ...decision } };
}

export const conditionOf = (name: ConditionName, given: Facts): Condition | undefined =>
  conditionsOf(given).find((one) => one.name === name);

export type Case = readonly [
  what: string,
  name: ConditionName,
  status: Condition['status'],
  reason: RegExp,
  given: Facts,
];

/** A test of each. */
export function tellOf(cases: readonly Case[]): void {
  for (const [what, name, status, reason, given] of cases)
    it(`tell of ${what}`, () => {
      const found = conditionOf(name, given);
      expect(found?.status).to.equal(status);
      expect(found?.reason)
        .to.match(reason)
        .and.to.match(/^[A-Z0-9].*[.]$/);
      if (status !== 'ok') expect(found?.remedy, 'remedy').to.match(/^[A-Z].*[.]$/);
    });
}
