import { expect } from 'chai';
import fc from 'fast-check';
import { DEFAULT_PARAMETERS, type ElasticityParameters } from '../../../../src/decide/parameters.ts';
import { evaluate, remember } from '../../../../src/loop/evaluate.ts';
import type { Observation, PeriodSummary, Vm } from '../../../../src/model.ts';
import { recordIn } from '../../../../src/decide/adaptive/track-record.ts';
import type { Memory } from '../../../../src/decide/adaptive/memory.ts';

const EVERY = 10_000;
const YEAR = 365 * 24 * 3_600_000;
const START = 1_704_067_200_000;
const parameters: ElasticityParameters = {
  ...DEFAULT_PARAMETERS,
  ...{ policy: 'adaptive', max: 8, period: EVERY, policyParameters: { tournament: 'on' } },
};

const VMS: readonly Vm[] = ['a', 'b', 'c'].map((id) => ({ id, state: 'ready', since: 0, bootTime: 60_000 }));

const seen = (at: number, rate: number): Observation => ({
  at,
  vms: VMS.map((vm) => ({ vm, cpu: [Math.min(100, (100 * rate) / 60)], responseTime: [60], source: 'agent' })),
  traffic: {
    ...{ arrivalRate: rate, arrivals: Array.from({ length: 10 }, () => rate), throughput: Math.min(60, rate) },
    ...{ inFlight: 2, queued: 0, queueTime: 0, responseTime: 60, lost: 0 },
  },
});

/** So many periods more; the newest first. */
function lived(
  count: number,
  { from, history = [] }: { readonly from: number; readonly history?: readonly PeriodSummary[] },
): readonly PeriodSummary[] {
  for (let i = 1; i <= count; i++) {
    const { summary, decision } = evaluate(seen(from + i * EVERY, 30 + 10 * Math.sin(i / 9)), history, parameters);
    expect(decision.reason).not.to.match(/NaN|undefined|Infinity/);
    const wanted =
      summary.vms + (decision.action === 'release' ? -1 : decision.action === 'allocate' ? 1 : 0) * decision.count;
    expect(wanted).to.be.within(parameters.min, parameters.max);
    history = remember(history, summary, parameters);
  }
  return history;
}

/** What a truncated file, a hand, an older or a newer version may leave in the place of any part of it. */
function spoiled(value: unknown, at: number, by: unknown): unknown {
  let left = at;
  const walk = (part: unknown): unknown => {
    if (left-- === 0) return by;
    if (Array.isArray(part)) return part.slice(0, 40).map(walk);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, own]) => [name, walk(own)]));
  };
  return walk(value);
}

describe('adaptive after a restart', function () {
  this.timeout(60_000);
  const before = lived(90, { from: START });
  const [newest] = before;

  it('decides whatever the journal has in the place of what was learned, and learns on', () => {
    const wrong = fc.constantFrom<unknown>(undefined, null, [], {}, 'x', -1, 1e308, [null], [[]], { version: 4 });
    fc.assert(
      fc.property(fc.nat(400), wrong, (at, by) => {
        const { of: learned } = JSON.parse(JSON.stringify({ of: spoiled(newest?.learned, at, by) })) as {
          of?: unknown;
        };
        const past = [{ ...(newest as PeriodSummary), learned }, ...before.slice(1)];
        const [after] = lived(12, { from: newest?.at ?? 0, history: past });
        const text = JSON.stringify(after?.learned);
        expect(
          recordIn(after).losses.every((loss) => Number.isFinite(loss)),
          text,
        ).to.equal(true);
        const { levels } = after?.learned as Memory;
        expect(
          levels.every((level) => Number.isFinite(level)),
          text,
        ).to.equal(true);
      }),
      { numRuns: 150 },
    );
  });

  it('learns on where its past lies in the future, since the clock was wrong, and does not keep that for ever', () => {
    for (const ahead of [1, 30_000, 3_600_000, YEAR]) {
      const from = (newest?.at ?? 0) - ahead;
      const after = lived(90, { from, history: before });
      const memory = after[0]?.learned as Memory;
      expect(memory.at, `${ahead} ms`).to.equal(from + 90 * EVERY);
      expect(recordIn(after[0]).expected.every(({ due }) => due <= from + 100 * EVERY)).to.equal(true);
      expect(after.length).to.be.at.most(ahead === YEAR ? 90 : 180);
    }
  });
});
