import { expect } from 'chai';
import { DEFAULT_PARAMETERS } from '../../../src/decide/parameters.ts';
import { bound } from '../../../src/loop/history.ts';
import { recall } from '../../../src/loop/recall.ts';
import { ScriptedSource } from '../admin/scripted-source.ts';

describe('the bounds of a period', () => {
  const [record] = (() => {
    const source = new ScriptedSource();
    source.play(50);
    return source.records.map(({ bounds: _, ...bare }) => bare);
  })();
  if (record === undefined) throw new Error('no period was played');

  it('are those of the settings of its time, also after a restart', () => {
    const settings = (parameters: typeof DEFAULT_PARAMETERS) =>
      ({ kind: 'settings', at: 0, parameters, history: [] }) as const;
    const { records } = recall(
      [
        settings({ ...DEFAULT_PARAMETERS, high: 80, max: 5 }),
        { kind: 'period', record },
        settings({ ...DEFAULT_PARAMETERS, high: 60, max: 9 }),
        { kind: 'period', record: { ...record, period: 2 } },
      ],
      DEFAULT_PARAMETERS,
    );
    const seen = records.map(({ bounds }) => [
      bounds?.max,
      bounds?.thresholds.find(({ name }) => name === 'high')?.value,
    ]);
    expect(seen).to.deep.equal([
      [5, 80],
      [9, 60],
    ]);
  });

  it('have no thresholds where the policy has none', () => {
    const { bounds } = bound(record, { ...DEFAULT_PARAMETERS, policy: 'hpa', policyParameters: {} });
    expect(bounds).to.deep.equal({ min: DEFAULT_PARAMETERS.min, max: DEFAULT_PARAMETERS.max, thresholds: [] });
  });
});
