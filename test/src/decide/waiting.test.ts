import { expect } from 'chai';
import { decide } from '../../../src/decide/index.ts';
import { DEFAULT_PARAMETERS, type ElasticityParameters } from '../../../src/decide/parameters.ts';
import { situation, type Said } from '../../helpers/situation.ts';

const by = (said: Said, parameters: Partial<ElasticityParameters>) =>
  decide(situation(said), { ...DEFAULT_PARAMETERS, ...parameters });

const backlog = { jobs: 3, events: 1500, age: 30_000 };

describe('limits of waiting', () => {
  it('are off unless set', () => {
    expect(by({ lp: 50, backlog, queueTime: 9_000 }, {})).to.include({ action: 'hold', rule: 'none' });
  });

  it('add a VM where the oldest capture job is unfinished for longer', () => {
    const decision = by({ lp: 50, backlog }, { longestBacklog: 29_999 });
    expect(decision).to.include({ action: 'allocate', count: 1, rule: 'backlog' });
    expect(decision.reason).to.equal('backlog: age of the backlog in ms 30000 is > 29999, and pending VMs 0 is = 0.');
    expect(by({ lp: 50, backlog }, { longestBacklog: 30_000 }).action).to.equal('hold');
  });

  it('add a VM where requests waited for longer', () => {
    expect(by({ lp: 50, queueTime: 501 }, { longestQueueTime: 500 })).to.include({ action: 'allocate', rule: 'queue' });
    expect(by({ lp: 50, queueTime: 500 }, { longestQueueTime: 500 }).action).to.equal('hold');
  });

  it('let nobody leave while work waits', () => {
    expect(by({ lp: 5, ready: 2 }, { longestBacklog: 1_000 }).action).to.equal('release');
    expect(by({ lp: 5, ready: 2, backlog }, { longestBacklog: 1_000 })).to.include({ action: 'allocate', count: 1 });
  });

  it('wait for the VM that is on its way, with policies that decide meanwhile, too', () => {
    const hpa = { policy: 'hpa', longestBacklog: 1_000 } as const;
    expect(by({ lp: 50, cpu: 50, backlog }, hpa).action).to.equal('allocate');
    const held = by({ lp: 20, cpu: 20, backlog, ready: 2, pending: 1 }, hpa);
    expect(held).to.include({ action: 'hold', rule: 'backlog' });
    expect(held.reason).to.include('pending VMs 1 is not = 0');
  });

  it('leave an allocation to the policy and go no further than the bounds', () => {
    expect(by({ lp: 90, backlog }, { longestBacklog: 1_000 }).rule).to.equal('overload');
    expect(by({ lp: 50, ready: 4, backlog }, { longestBacklog: 1_000 }).guard).to.include({ name: 'bounds' });
  });

  it('are told among the comparisons, so that an explanation and a replay have them', () => {
    const { comparisons } = by({ lp: 50 }, { longestBacklog: 1_000 });
    expect(comparisons).to.deep.include({
      what: 'age of the backlog in ms',
      value: undefined,
      operator: '>',
      bound: 1_000,
      holds: false,
      for: 'allocate',
      rule: 'backlog',
    });
  });
});
