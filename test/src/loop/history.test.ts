import { expect } from 'chai';
import { History } from '../../../src/loop/history.ts';
import type { DecisionRecord } from '../../../src/model.ts';
import { ScriptedSource, vm } from '../admin/scripted-source.ts';

/** Periods of a fleet of so many VMs. */
function records(count: number, vms = 1): readonly DecisionRecord[] {
  const source = new ScriptedSource();
  source.fleet = Array.from({ length: vms }, (_, i) => vm(`vm-${i}`, 'ready'));
  for (let i = 0; i < count; i++) source.play(50);
  return source.records;
}

describe('history', () => {
  it('gives the newest periods first, and the outcome of steps with the period that asked for them', () => {
    const history = new History(records(3));
    const outcome = { step: 'allocate', vm: 'vm-2', ok: true, durationMs: 1200 };
    history.addOutcome(2, outcome);
    history.addOutcome(99, outcome);
    expect(history.newest(2).map(({ period }) => period)).to.deep.equal([3, 2]);
    expect(history.newest(10).map((record) => record.outcome.length)).to.deep.equal([0, 1, 0]);
    expect(history.last?.period).to.equal(3);
  });

  it('keeps a day of periods, and fewer of a large fleet', () => {
    expect(new History(records(8_700)).newest(10_000)).to.have.length(8_640);
    expect(new History(records(20, 10), 55).newest(100)).to.have.length(5);
    expect(new History(records(3, 10), 5).newest(100), 'the last one stays').to.have.length(1);
  });
});
