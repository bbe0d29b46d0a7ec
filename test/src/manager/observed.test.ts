import { expect } from 'chai';
import type { Condition } from '../../../src/loop/conditions.ts';
import type { LoopState } from '../../../src/loop/loop-state.ts';
import { Observed } from '../../../src/manager/observed.ts';

const state = (at: number, problems: readonly string[] = []) =>
  ({ at, problems, warnings: [], byHand: [] }) as unknown as LoopState;
const disk = (status: Condition['status'], reason: string): Condition => ({
  ...{ name: 'disk', status, reason },
  remedy: 'Make room.',
});

describe('what is observed', () => {
  it('is shown with the time since which it is so, whatever the numbers in its sentence are', () => {
    const observed = new Observed();
    observed.at(state(1_000), [disk('ok', '5 GB are free.')]);
    observed.at(state(2_000), [disk('warning', 'Only 0.9 GB are free.')]);
    const { conditions, problems } = observed.at(state(3_000), [disk('warning', 'Only 0.8 GB are free.')]);
    expect(conditions[0]).to.include({ since: 2_000, reason: 'Only 0.8 GB are free.' });
    expect(problems).to.deep.equal([
      { since: 2_000, severity: 'warning', message: 'Only 0.8 GB are free. Make room.', condition: 'disk' },
    ]);
    expect(observed.at(state(4_000), [disk('ok', '5 GB are free.')]).problems).to.deep.equal([]);
  });

  it('is shown with who looks after it, until it is over', () => {
    const observed = new Observed();
    const full = disk('error', 'The disk is full.');
    const deed = { what: 'acknowledge', problem: 'disk' } as const;
    const seen = (at: number, condition: Condition) =>
      observed.at({ ...state(at), byHand: [{ at: 2_000, who: 'ada', deed }] }, [condition]).problems[0];
    expect(seen(1_000, full)?.acknowledged).to.deep.equal({ who: 'ada', at: 2_000 });
    expect(seen(3_000, disk('ok', '5 GB are free.'))).to.equal(undefined);
    expect(seen(4_000, full), 'again').to.not.have.property('acknowledged');
  });

  it('begins with errors, wherever they come from', () => {
    const { problems } = new Observed().at(state(1_000, ['VM 7 was given up.']), [disk('warning', 'Little is free.')]);
    expect(problems.map(({ severity }) => severity)).to.deep.equal(['error', 'warning']);
  });

  it('is not told twice where a condition says the same as the loop', () => {
    const { problems } = new Observed().at(state(1_000, ['It is away.', 'VM 7 was given up.']), [
      disk('error', 'It is away.'),
    ]);
    expect(problems.map(({ message }) => message)).to.deep.equal(['It is away. Make room.', 'VM 7 was given up.']);
  });
});
