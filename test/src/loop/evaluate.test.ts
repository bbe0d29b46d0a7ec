import { expect } from 'chai';
import { servingOf } from '../../../src/decide/common/series.ts';
import { DEFAULT_PARAMETERS } from '../../../src/decide/parameters.ts';
import { evaluate } from '../../../src/loop/evaluate.ts';
import type { OwnParameters } from '../../../src/decide/common/settings.ts';
import type { PeriodSummary } from '../../../src/model.ts';
import { NO_TRAFFIC } from '../../helpers/world.ts';

describe('a steady response time', () => {
  const steady = {
    vm: { id: 'vm-1', state: 'ready' as const, since: 0 },
    cpu: [50, 50],
    responseTime: Array<number>(7).fill(128),
    source: 'agent' as const,
  };
  /** TP and delta TP of four periods. */
  function periods(policyParameters: OwnParameters) {
    const parameters = { ...DEFAULT_PARAMETERS, policyParameters };
    let history: readonly PeriodSummary[] = [];
    for (const i of [1, 2, 3, 4]) {
      const observation = { at: i * parameters.period, vms: [steady], traffic: NO_TRAFFIC };
      history = [evaluate(observation, history, parameters).summary, ...history];
    }
    return history.toReversed().map(({ tp, deltaTp }) => [tp, deltaTp]);
  }

  it('is a steady TP; with Algorithm 2 as printed one that grows for ever, ever more slowly', () => {
    expect(periods({})).to.deep.equal([
      [127, undefined],
      [127, 0],
      [127, 0],
      [127, 0],
    ]);
    const literal = periods({ preset: 'paper-literal' });
    expect(literal.map(([tp]) => tp)).to.deep.equal([127, 254, 381, 508]);
    expect(literal.map(([, deltaTp]) => deltaTp && Math.round(deltaTp))).to.deep.equal([undefined, 100, 50, 33]);
    expect(periods({ preset: 'paper-literal', timeSum: 'fresh' }).at(-1)).to.deep.equal([127, 0]);
  });
});

describe('a fleet of which some will be taken', () => {
  it('shares its load among all that serve, though only those count that stay', () => {
    const ready = { state: 'ready' as const, since: 0 };
    const seen = (vm: object, id: string) => ({
      vm: { id, ...ready, ...vm },
      cpu: Array<number>(10).fill(40),
      responseTime: Array<number>(10).fill(100),
      source: 'agent' as const,
    });
    const vms = [seen({}, 'vm-1'), seen({ interruptAt: 120_000 }, 'vm-2'), seen({ relieves: 'vm-1' }, 'vm-3')];
    const observation = { at: 10_000, vms, traffic: NO_TRAFFIC };
    const { summary } = evaluate(observation, [], DEFAULT_PARAMETERS);
    expect(summary).to.include({ vms: 1, ready: 1, serving: 3 });
    expect((summary.cpu ?? 0) * servingOf(summary)).to.equal(3 * 40);
    const alone = evaluate({ ...observation, vms: vms.slice(0, 1) }, [], DEFAULT_PARAMETERS);
    expect(alone.summary).not.to.have.property('serving');
  });
});
