import { expect } from 'chai';
import { Alone } from '../../../epcis/work/alone.ts';

const ONE_SECOND = 1000;

/** A clock that goes on when somebody sleeps. */
class Clock {
  at = 0;
  readonly now = (): number => this.at;
  readonly sleep = async (ms: number): Promise<void> => {
    const until = this.at + ms;
    await new Promise(setImmediate);
    this.at = Math.max(this.at, until);
  };
}

const never = new AbortController().signal;

describe('long documents of a repository with one writer', () => {
  it('are captured one at a time, and others get in between two of them', async () => {
    const clock = new Clock();
    const alone = new Alone(clock);
    const spans: { from: number; to: number }[] = [];
    const work = async (): Promise<void> => {
      const from = clock.at;
      for (let n = 0; n < 5; n++) await clock.sleep(200);
      spans.push({ from, to: clock.at });
    };
    await Promise.all([1, 2, 3].map(() => alone.run(async () => true, never, work)));
    expect(spans).to.have.length(3);
    for (const [n, { from }] of spans.entries()) expect(from - (spans[n - 1]?.to ?? 0)).to.be.at.least(30);
  });

  it('wait while something more important does, however short the time in which nothing did', async () => {
    const clock = new Clock();
    const answers = [false, false, true, false, false, true, true];
    let asked = 0;
    const isNext = async (): Promise<boolean> => answers[asked++] ?? true;
    await new Alone(clock).run(isNext, never, async () => undefined);
    expect(asked).to.equal(answers.length);
  });

  it('go on after a minute, whoever is before them', async () => {
    const clock = new Clock();
    await new Alone(clock).run(
      async () => false,
      never,
      async () => undefined,
    );
    expect(clock.at).to.be.within(60 * ONE_SECOND, 61 * ONE_SECOND);
  });

  it('let the next one in when one fails', async () => {
    const alone = new Alone(new Clock());
    const failing = alone.run(
      async () => true,
      never,
      () => Promise.reject(new Error('no space left')),
    );
    expect(await failing.catch((error: unknown) => String(error))).to.equal('Error: no space left');
    expect(
      await alone.run(
        async () => true,
        never,
        async () => 'captured',
      ),
    ).to.equal('captured');
  });

  it('are given up where the VM closes meanwhile', async () => {
    const closing = new AbortController();
    const waiting = new Alone(new Clock()).run(
      async () => {
        closing.abort(new Error('This VM is closing.'));
        return false;
      },
      closing.signal,
      async () => 'captured',
    );
    expect(await waiting.catch((error: unknown) => String(error))).to.equal('Error: This VM is closing.');
  });
});
