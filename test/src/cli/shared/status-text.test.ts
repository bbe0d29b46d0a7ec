import { expect } from 'chai';
import { statusText } from '../../../../src/cli/shared/status-text.ts';
import { periodView } from '../../../../src/loop/view.ts';
import { ScriptedSource } from '../../admin/scripted-source.ts';

describe('mmeliot status', () => {
  it('says conditions, what to do, other problems and the last events, and fits a terminal', () => {
    const source = new ScriptedSource();
    source.play(80, { action: 'allocate', failed: 'No host has room.' });
    source.play(50);
    const { now } = source;
    source.conditions = [
      { name: 'repository', status: 'ok', reason: 'The repository answers.', since: now - 90_000 },
      { name: 'room', status: 'warning', reason: 'The fleet is saturated.', remedy: 'Raise max.', since: now - 5_000 },
    ];
    source.problems = [{ since: now, severity: 'error', message: 'VM 7 was given up.' }];
    const text = statusText(source.view(), source.decisions(10).map(periodView));
    expect(text).to.match(/^ {2}policy {3}mmeliot, every 10 s, 1 to 4 VMs$/m);
    expect(text).to.match(/^ {2}repository {2}ok {7}1 min {2}The repository answers\.$/m);
    expect(text).to.match(/^What to do\n {2}room {2}Raise max\.$/m);
    expect(text).to.match(/^Other problems\n {2}0 s {2}VM 7 was given up\.$/m);
    expect(text).to.match(
      /^Last events\n {2}10 s ago {2}failed {6}allocate of vm-2: No host has room\.\n {2}10 s ago {2}allocate 1 /m,
    );
    expect(text).to.contain('Hold. ');
  });

  it('says of a dry run what would have been done', () => {
    const source = new ScriptedSource();
    source.play(80, { action: 'allocate' });
    const [record] = source.decisions(1);
    if (record === undefined) throw new Error('nothing was played');
    const outcome = [{ step: 'order', ok: true, durationMs: 0, message: 'Nothing was changed: dryRun is on.' }];
    const again = periodView({ ...record, outcome });
    const text = statusText(source.view(), [again, again, again]);
    const [, events = ''] = /^Last events\n([^]*?)\n\n/m.exec(text) ?? [];
    expect(events, 'once')
      .to.match(/^ {2}0 s ago {2}would allocate 1 .*$/)
      .and.to.not.include('\n');
  });
});
