import { expect } from 'chai';
import type { Problem } from '../../../src/loop/view.ts';
import { decisionLog, logChange, logOutcome, noteLog, problemLog } from '../../../src/manager/event-log.ts';
import { ScriptedSource } from '../admin/scripted-source.ts';

describe("the manager's log", () => {
  let lines: string[];
  const write = (level: string) => (first: unknown, second?: unknown) =>
    void lines.push(`${level} ${String(typeof first === 'string' ? first : second)}`);
  const log = { warn: write('warn'), info: write('info') };
  beforeEach(() => {
    lines = [];
  });

  it('tells problems once when they come and once when they have gone, whatever their numbers are meanwhile', () => {
    const problem = (message: string, condition?: 'disk'): Problem => ({
      ...{ since: 0, severity: 'error', message },
      ...(condition && { condition }),
    });
    const tell = problemLog(log);
    tell([problem('No host has room.')]);
    tell([problem('No host has room.'), problem('Only 0.09 GB are free.', 'disk')]);
    tell([problem('Only 0.08 GB are free.', 'disk')]);
    tell([]);
    expect(lines).to.deep.equal([
      'warn No host has room.',
      'warn Only 0.09 GB are free.',
      'info No longer: No host has room.',
      'info No longer: Only 0.08 GB are free.',
    ]);
  });

  it('tells of a condition anew when something else is the matter', () => {
    const problem = (message: string): Problem => ({ since: 0, severity: 'error', condition: 'repository', message });
    const tell = problemLog(log);
    tell([problem('The repository does not answer: ECONNREFUSED.')]);
    tell([problem('The repository does not answer: no answer within 10 s.')]);
    tell([problem('The repository is read, and takes no writes: read-only.')]);
    expect(lines).to.deep.equal([
      'warn The repository does not answer: ECONNREFUSED.',
      'warn The repository is read, and takes no writes: read-only.',
      'info No longer: The repository does not answer: no answer within 10 s.',
    ]);
  });

  it('tells what is only noted, once when it comes and once when it has gone', () => {
    const note = (name: 'guards' | 'rotation', reason: string) => ({ name, status: 'note', reason }) as const;
    const tell = noteLog(log);
    tell([note('guards', 'Held for 9 s more.'), note('rotation', 'One VM is starting.')]);
    tell([note('guards', 'Held for 4 s more.')]);
    tell([{ ...note('guards', 'No guard holds anything back.'), status: 'ok' }]);
    expect(lines).to.deep.equal(['info Held for 9 s more.', 'info No longer: Held for 4 s more.']);
  });

  it('tells decisions that change the fleet, and what a dry run would do', () => {
    const source = new ScriptedSource();
    source.play(50);
    source.play(80, { action: 'allocate' });
    const tell = decisionLog(log);
    for (const record of source.records) tell(record, false);
    for (const record of source.records) tell(record, true);
    expect(lines).to.deep.equal([
      'info Allocating one VM. LP 80 is above the high threshold of 70: one VM more.',
      'info Dry run, would allocate one VM. LP 80 is above the high threshold of 70: one VM more.',
    ]);
  });

  it('tells once what keeps an order, and not in each period that a VM is being allocated', () => {
    const source = new ScriptedSource();
    const played = (lp: number, action: 'allocate' | 'hold', message?: string) => {
      source.play(lp, { action });
      const [record] = source.records.slice(-1);
      if (record === undefined) throw new Error('nothing was played');
      return {
        ...record,
        outcome: message === undefined ? [] : [{ step: 'order', ok: false, durationMs: 0, message }],
      };
    };
    const tell = decisionLog(log);
    const full = (left: number) =>
      `Nothing new is ordered, since an earlier order is still being tried: ${left} MB left.`;
    tell(played(80, 'allocate'), false);
    for (const left of [90, 80, 70]) tell(played(80, 'allocate', full(left)), false);
    tell(played(50, 'hold'), false);
    tell(played(81, 'allocate', full(60)), false);
    for (const lp of [82, 83]) tell(played(lp, 'allocate'), true);
    for (const lp of [84, 85]) tell(played(lp, 'allocate'), false);
    const why = (lp: number) => `LP ${lp} is above the high threshold of 70: one VM more.`;
    expect(lines).to.deep.equal([
      `info Allocating one VM. ${why(80)}`,
      `info ${full(90)} ${why(80)}`,
      `info ${full(60)} ${why(81)}`,
      `info Dry run, would allocate one VM. ${why(82)}`,
      `info Allocating one VM. ${why(84)}`,
      `info Allocating one VM. ${why(85)}`,
    ]);
  });

  it('tells of a step that failed which it was, of which VM, and why', () => {
    const about = { vm: 'vm-2', durationMs: 3 };
    logOutcome(log, { ...about, step: 'allocate', ok: false, message: 'No host has room.' });
    logOutcome(log, { ...about, step: 'failed', ok: false, message: 'It failed (killed).' });
    logOutcome(log, { ...about, step: 'admit', ok: false });
    logOutcome(log, { ...about, step: 'admit', ok: true });
    logOutcome(log, { ...about, step: 'admit', ok: true }, 'work');
    logOutcome(log, { ...about, step: 'release', ok: true });
    logOutcome(log, { ...about, step: 'release', ok: true, message: 'It was gone already.' });
    logOutcome(log, { ...{ durationMs: 0, step: 'order', ok: false }, message: 'Nothing new is ordered.' });
    expect(lines).to.deep.equal([
      'warn The step allocate of VM vm-2 failed: No host has room.',
      'warn VM vm-2 failed: It failed (killed).',
      'info VM vm-2: it is ready, and the gateway sends it requests.',
      'info VM vm-2: it is ready, and does stored work.',
      'info VM vm-2: the provider accepted its release.',
      'info VM vm-2: It was gone already.',
    ]);
  });

  it('tells who changed which settings', () => {
    logChange(log, { high: 80, low: null, period: 5_000 }, 'eva');
    expect(lines).to.deep.equal([
      'info Settings changed by eva: high is 80 now, low is as configured again, period is 5s now.',
    ]);
  });
});
