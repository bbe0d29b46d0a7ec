import { expect } from 'chai';
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
