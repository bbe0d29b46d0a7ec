import { expect } from 'chai';
import fc from 'fast-check';
import { decide } from '../../../../src/decide/index.ts';
import { DEFAULT_PARAMETERS, type OwnParameters } from '../../../../src/decide/parameters.ts';
import type { Backlog } from '../../../../src/model.ts';
import { past, situation, type Said } from '../../../helpers/situation.ts';

const by = (said: Said, own: OwnParameters, min = 1, max = 20) =>
  decide(situation({ min, max, ...said }), {
    ...DEFAULT_PARAMETERS,
    ...{ min, max, policy: 'backlog' as const, policyParameters: own },
  });

const LITERAL = { by: 'literal' };
const tasks = (jobs: number): Backlog => ({ jobs, events: jobs * 100, age: 0 });
const idle = (n: number, jobs: (i: number) => number, vms = 4) =>
  past(n, (i) => ({ vms, ready: vms, backlog: tasks(jobs(i)) }));

describe('backlog, literal', () => {
  // workers (running and starting), tasks ready, workers to create: the paper's table of three queues
  for (const [workers, ready, missing] of [
    [3, 9, 6],
    [1, 2, 1],
    [2, 6, 4],
  ] as const)
    it(`creates ${missing} for ${workers} workers and ${ready} tasks, also where some of them are still starting`, () => {
      for (let pending = 0; pending < workers; pending++)
        expect(by({ ready: workers - pending, pending, backlog: tasks(ready) }, LITERAL)).to.include({
          action: 'allocate',
          count: missing,
        });
    });

  it('does nothing where they are equal', () => {
    expect(by({ ready: 3, backlog: tasks(3) }, LITERAL).action).to.equal('hold');
  });

  it('removes the surplus, once it has been there for the grace', () => {
    const said = { ready: 4, backlog: tasks(1) };
    expect(by({ ...said, history: idle(5, () => 1) }, LITERAL)).to.include({ action: 'release', count: 3 });
    expect(by({ ...said, history: idle(4, () => 1) }, LITERAL).reason).to.contain('not known yet');
    expect(by({ ...said, history: idle(5, (i) => (i === 4 ? 4 : 1)) }, LITERAL).action).to.equal('hold');
    expect(by({ ...said, history: idle(5, (i) => (i === 4 ? 3 : 1)) }, LITERAL)).to.include({ count: 1 });
    expect(by({ ...said, history: [] }, { ...LITERAL, grace: 0 })).to.include({ action: 'release', count: 3 });
  });

  it('counts a period in which nobody knew what waited as one that wanted what was there', () => {
    const history = past(5, (i) => ({ vms: 4, ready: 4, ...(i !== 2 && { backlog: tasks(1) }) }));
    expect(by({ ready: 4, backlog: tasks(1), history }, LITERAL).action).to.equal('hold');
    expect(by({ ready: 4, history }, LITERAL).reason).to.contain('does not tell');
  });

  it('counts due subscription runs as tasks', () => {
    expect(by({ ready: 1, backlog: { ...tasks(1), runs: 2 } }, LITERAL)).to.include({ action: 'allocate', count: 2 });
  });
});

describe('backlog, by time', () => {
  const waiting = { jobs: 30, events: 90_000, age: 0, rate: 500 };

  it('wants ceil(events ÷ (rate × time allowed))', () => {
    expect(by({ ready: 1, backlog: waiting }, {})).to.include({ action: 'allocate', count: 2 });
    expect(by({ ready: 1, backlog: { ...waiting, events: 90_001 } }, {})).to.include({ count: 3 });
    expect(by({ ready: 1, backlog: waiting }, { within: 30_000 })).to.include({ count: 5 });
    expect(by({ ready: 1, backlog: waiting }, { rate: 1500 }).action).to.equal('hold');
  });

  it('wants no more than there are tasks: one job is one VM at a time', () => {
    expect(by({ ready: 1, backlog: { ...waiting, jobs: 2 } }, {})).to.include({ action: 'allocate', count: 1 });
  });

  it('has one find out how fast a VM is, and keeps those that are there until then', () => {
    const unknown = { jobs: 30, events: 90_000, age: 0 };
    expect(by({ ready: 1, backlog: unknown }, {}).action).to.equal('hold');
    expect(by({ ready: 3, backlog: unknown }, {}).action).to.equal('hold');
  });
});

describe('backlog', () => {
  const seen = fc.record({
    jobs: fc.nat(30),
    events: fc.nat(200_000),
    age: fc.nat(100_000),
    runs: fc.nat(5),
    rate: fc.option(fc.double({ min: 0, max: 2000, noNaN: true }), { nil: undefined }),
  });
  const backlogs = seen.map(({ rate, ...rest }): Backlog => ({ ...rest, ...(rate !== undefined && { rate }) }));
  const own = fc.record({
    by: fc.constantFrom('literal', 'time'),
    within: fc.integer({ min: 1000, max: 600_000 }),
    grace: fc.integer({ min: 0, max: 120_000 }),
  });
  const ran = (backlog: Backlog, ready: number, history: readonly Backlog[], settings: OwnParameters) =>
    by(
      { ready, backlog, history: past(history.length, (i) => ({ vms: ready, ready, backlog: history[i] })) },
      settings,
    );
  const after = (decision: ReturnType<typeof ran>, n: number) =>
    n + { allocate: decision.count, release: -decision.count, hold: 0 }[decision.action];

  it('never has more VMs for less work, nor fewer for more', () => {
    fc.assert(
      fc.property(
        backlogs,
        fc.nat(10),
        fc.nat(50_000),
        own,
        fc.integer({ min: 1, max: 20 }),
        (less, jobs, events, p, n) => {
          const more = { ...less, jobs: less.jobs + jobs, events: less.events + events };
          expect(after(ran(more, n, [], p), n)).to.be.at.least(after(ran(less, n, [], p), n));
        },
      ),
    );
  });

  it('lets nobody leave that any period of the grace wanted', () => {
    fc.assert(
      fc.property(
        backlogs,
        fc.array(backlogs, { maxLength: 15 }),
        own,
        fc.integer({ min: 1, max: 20 }),
        (now, was, p, n) => {
          const decision = ran(now, n, was, p);
          if (decision.action !== 'release') return;
          const within = was.slice(0, Math.max(0, Math.ceil(p.grace / 10_000) - 1));
          for (const backlog of [now, ...within])
            expect(after(ran(backlog, n, [], { ...p, grace: 0 }), n)).to.be.at.most(Math.max(n, after(decision, n)));
          const highest = Math.max(
            ...[now, ...within].map((backlog) => after(ran(backlog, n, [], { ...p, grace: 0 }), n)),
          );
          expect(after(decision, n)).to.equal(Math.max(1, Math.min(n, highest)));
          expect(was.length).to.be.at.least(within.length);
        },
      ),
    );
  });

  it('keeps no VM for nothing, and one at least for something', () => {
    fc.assert(
      fc.property(backlogs, own, fc.integer({ min: 1, max: 20 }), (backlog, p, n) => {
        const wanted = after(by({ ready: n, backlog, min: 0 }, { ...p, grace: 0 }, 0), n);
        expect(wanted > 0).to.equal(backlog.jobs + (backlog.runs ?? 0) > 0);
      }),
    );
  });
});
