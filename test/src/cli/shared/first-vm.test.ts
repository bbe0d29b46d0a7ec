import { expect } from 'chai';
import { DEFAULT_PARAMETERS } from '../../../../src/decide/parameters.ts';
import { firstVm, tellWhile } from '../../../../src/cli/shared/first-vm.ts';
import type { Vm } from '../../../../src/model.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';

describe('the wait for a start', () => {
  const started = async (after: number, ms: number, fails = false) => {
    const clock = new FakeClock();
    const lines: string[] = [];
    const start = async (): Promise<string> => {
      await clock.sleep(after);
      if (fails) throw new Error('no database');
      return 'started';
    };
    const begun = clock.now();
    const waitsFor = () => (clock.now() - begun < 8_000 ? 'the database' : 'the provider');
    const outcome = tellWhile(start(), waitsFor, clock, (line) => lines.push(line)).catch(
      (error: unknown) => (error as Error).message,
    );
    await clock.advance(ms);
    return { lines, outcome: await outcome };
  };

  it('says every 5 s what it waits for, and nothing of a short one', async () => {
    expect(await started(4_000, 4_000)).to.deep.equal({ lines: [], outcome: 'started' });
    expect(await started(12_000, 12_000)).to.deep.equal({
      lines: ['Starting, 5 s so far: it waits for the database.', 'Starting, 10 s so far: it waits for the provider.'],
      outcome: 'started',
    });
  });

  it('counts by a clock that nobody sets', async () => {
    const clock = new FakeClock();
    const lines: string[] = [];
    const start = clock.sleep(12_000);
    const outcome = tellWhile(
      start,
      () => 'the database',
      clock,
      (line) => lines.push(line),
    );
    await clock.advance(1_000);
    clock.set(-3_600_000);
    await clock.advance(11_000);
    await outcome;
    expect(lines[1]).to.equal('Starting, 10 s so far: it waits for the database.');
  });

  it('ends with the error of a start that fails', async () => {
    expect((await started(7_000, 7_000, true)).outcome).to.equal('no database');
  });
});

describe('the wait for the first VM', () => {
  const waited = async (readyAfter: number, problems: readonly string[], ms: number) => {
    const clock = new FakeClock();
    const lines: string[] = [];
    const begun = clock.now();
    const fleet = (): readonly Vm[] => [
      { id: 'vm-1', state: clock.now() - begun >= readyAfter ? 'ready' : 'pending', since: 0 },
    ];
    const outcome = firstVm(
      () => ({ fleet: fleet(), problems, parameters: DEFAULT_PARAMETERS, providerAnswered: true }),
      clock,
      (line) => lines.push(line),
    );
    await clock.advance(ms);
    return { lines, ready: await outcome };
  };

  it('is none in a dry run, in which no VM boots', async () => {
    const parameters = { ...DEFAULT_PARAMETERS, dryRun: true };
    const state = { fleet: [], problems: [], parameters, providerAnswered: true };
    expect(
      await firstVm(
        () => state,
        new FakeClock(),
        (line) => expect.fail(line),
      ),
    ).to.equal(false);
  });

  it('is over as soon as nobody waits any more', async () => {
    const clock = new FakeClock();
    const state = { fleet: [], problems: [], parameters: DEFAULT_PARAMETERS, providerAnswered: false };
    let isOver = false;
    const outcome = firstVm(
      () => state,
      clock,
      () => undefined,
      () => isOver,
    );
    await clock.advance(1_000);
    isOver = true;
    await clock.advance(1_000);
    expect(await outcome).to.equal(false);
  });

  it('says nothing while it is short', async () => {
    expect(await waited(3_000, [], 4_000)).to.deep.equal({ lines: [], ready: true });
  });

  it('says every 5 s what is in the way, and after a minute that nothing is ready', async () => {
    const { lines, ready } = await waited(Infinity, ['No host has room.'], 61_000);
    expect(ready).to.equal(false);
    expect(lines).to.have.length.within(10, 12);
    expect(lines[0]).to.equal('Waiting for the first VM, 5 s so far: No host has room.');
  });

  it('is no longer than a minute where somebody sets the clock back', async () => {
    const clock = new FakeClock();
    const state = { fleet: [], problems: [], parameters: DEFAULT_PARAMETERS, providerAnswered: false };
    let ready: boolean | undefined;
    void firstVm(
      () => state,
      clock,
      () => undefined,
    ).then((is) => (ready = is));
    await clock.advance(1_000);
    clock.set(-3_600_000);
    await clock.advance(60_000);
    expect(ready).to.equal(false);
  });

  it('is over as soon as a VM is ready', async () => {
    const { lines, ready } = await waited(7_000, [], 8_000);
    expect(ready).to.equal(true);
    expect(lines).to.deep.equal(['Waiting for the first VM, 5 s so far: it boots.']);
  });
});
