import { expect } from 'chai';
import { obstaclesOf, problemsOf } from '../../../src/loop/problems.ts';

const CALM = {
  now: 1_000_000,
  entries: [],
  provided: [],
  foreign: [],
  failures: [],
  listProblem: undefined,
  saveProblem: undefined,
};

describe('problems', () => {
  it('are none while all is well', () => {
    const running = { id: '7', state: 'running', createdAt: 0 } as const;
    expect(problemsOf({ ...CALM, provided: [running] })).to.deep.equal([]);
  });

  it('tell what the provider says of a VM before it has failed', () => {
    const waiting = { id: '7', state: 'pending', createdAt: 0, note: 'No host has room for it.' } as const;
    const leaving = { id: '8', state: 'releasing', createdAt: 0, note: 'It is stuck in EPILOG.' } as const;
    expect(problemsOf({ ...CALM, provided: [waiting, leaving] })).to.deep.equal([
      'VM 7: No host has room for it.',
      'VM 8: It is stuck in EPILOG.',
    ]);
    expect(obstaclesOf({ ...CALM, provided: [leaving, waiting] }).stuck).to.equal('VM 7: No host has room for it.');
    expect(obstaclesOf({ ...CALM, provided: [leaving] })).to.not.have.property('stuck');
    expect(problemsOf({ ...CALM, provided: [{ ...waiting, note: 'No host' }] })).to.deep.equal(['VM 7: No host.']);
  });

  it('tell of a VM that was given up, for ten minutes', () => {
    const failures = [{ at: 1_000_000, vm: '7', why: 'It did not boot.' }];
    expect(problemsOf({ ...CALM, failures })).to.deep.equal(['VM 7 was given up. It did not boot.']);
    expect(problemsOf({ ...CALM, failures, now: 1_600_000 })).to.deep.equal([]);
  });

  it('tell of a provider that does not answer and of a state that is not saved', () => {
    const found = problemsOf({ ...CALM, listProblem: 'It is away.', saveProblem: 'The disk is full.' });
    expect(found).to.have.length(2);
  });
});
