import { expect } from 'chai';
import { createCrew, type Task } from '../../../epcis/work/crew.ts';
import { every } from '../../../epcis/work/poll.ts';
import { until } from '../../helpers/until.ts';

describe('a crew', () => {
  /** Tasks that end when the test says so, or when they are told to stop. */
  function world(size: number, tasks: number, leaseSeconds = 60, renew: () => Promise<boolean> = async () => true) {
    const running: { end: () => void; isStopped: boolean }[] = [];
    const failures: string[] = [];
    let claimed = 0;
    let most = 0;
    const claim = async (): Promise<Task | undefined> => {
      if (claimed === tasks) return undefined;
      claimed += 1;
      return { renew, run };
    };
    const run = (signal: AbortSignal): Promise<void> =>
      new Promise((done) => {
        const task = { end: () => end(), isStopped: false };
        const end = (): void => {
          running.splice(running.indexOf(task), 1);
          done();
        };
        signal.addEventListener('abort', () => {
          task.isStopped = true;
          stopped.push(String(signal.reason));
          end();
        });
        running.push(task);
        most = Math.max(most, running.length);
      });
    const stopped: string[] = [];
    const logFailure = (_: unknown, what: string): string => failures.push(what).toString();
    const crew = createCrew({ size, leaseSeconds, claim, logFailure });
    return { crew, running, stopped, failures, claimed: () => claimed, most: () => most };
  }

  it('never works on more than its size, and goes on as long as there is work', async () => {
    const { crew, running, claimed, most } = world(2, 5);
    await crew.look();
    expect(claimed()).to.equal(2);
    for (let n = 0; n < 5; n++) {
      await until('a task runs', () => running[0] !== undefined);
      running[0]?.end();
    }
    await until('all tasks were claimed', () => claimed() === 5);
    await crew.close(0);
    expect(most()).to.equal(2);
  });

  it('takes one whose turn is before that of its tasks, which then pause until it is done', async () => {
    const waiting = [{ turn: 300 }, { turn: 400 }];
    const done: number[] = [];
    const ends = new Map<number, () => void>();
    const claim = async (before = Infinity) => {
      const next = waiting.findIndex(({ turn }) => turn < before);
      const [task] = next < 0 ? [] : waiting.splice(next, 1);
      return (
        task && {
          ...task,
          renew: async () => true,
          async run(_: AbortSignal, pass: (ms: number) => Promise<void>) {
            await new Promise<void>((go) => ends.set(task.turn, go));
            await pass(Infinity);
            done.push(task.turn);
          },
        }
      );
    };
    const crew = createCrew({ size: 1, leaseSeconds: 60, claim, logFailure: () => '' });
    await crew.look();
    expect([...ends.keys()]).to.deep.equal([300]);
    waiting.push({ turn: 5 });
    await crew.look();
    expect([...ends.keys()]).to.deep.equal([300, 5]);
    ends.get(300)?.();
    ends.get(5)?.();
    await until('the one that came later goes first', () => done.length === 2);
    expect(done).to.deep.equal([5, 300]);
    await until('the last begins', () => ends.has(400));
    ends.get(400)?.();
    await crew.close(60);
    expect(done).to.deep.equal([5, 300, 400]);
  });

  it('looks again when it is woken while it looks', async () => {
    let claims = 0;
    let answer = (): void => undefined;
    const claim = (): Promise<undefined> => {
      claims += 1;
      return new Promise((done) => (answer = () => done(undefined)));
    };
    const crew = createCrew({ size: 1, leaseSeconds: 60, claim, logFailure: () => '' });
    const looking = crew.look();
    await crew.look();
    await crew.look();
    answer();
    await until('the second claim', () => claims === 2);
    answer();
    await looking;
    expect(claims).to.equal(2);
  });

  it('waits for its tasks when it closes, and claims no more', async () => {
    const { crew, running, stopped, claimed } = world(1, 2);
    await crew.look();
    const closing = crew.close(60);
    running[0]?.end();
    await closing;
    await crew.look();
    expect(claimed()).to.equal(1);
    expect(stopped).to.deep.equal([]);
  });

  it('tells a task to stop that takes too long to close', async () => {
    const { crew, stopped } = world(1, 1);
    await crew.look();
    await crew.close(0);
    expect(stopped).to.deep.equal(['Error: This VM is closing.']);
  });

  it('tells a task to stop when its lease is lost, and only then', async () => {
    const answers: (() => boolean)[] = [
      () => true,
      () => {
        throw new Error('database gone');
      },
      () => false,
    ];
    const { crew, stopped, failures } = world(1, 1, 0.03, async () => (answers.shift() ?? (() => false))());
    await crew.look();
    await until('the task is stopped', () => stopped.length > 0);
    expect(stopped).to.deep.equal(['Error: The lease ran out; another VM goes on.']);
    expect(failures).to.deep.equal(['renewing a lease']);
    await crew.close(0);
  });
});

describe('a poll', () => {
  it('never runs twice at a time, and again at once if asked meanwhile', async () => {
    let rounds = 0;
    let atATime = 0;
    let most = 0;
    let release = (): void => undefined;
    const work = async (): Promise<void> => {
      rounds += 1;
      most = Math.max(most, ++atATime);
      await new Promise<void>((done) => (release = done));
      atATime -= 1;
    };
    const poll = every(60_000, work, () => '');
    expect(rounds).to.equal(1);
    poll.now();
    poll.now();
    release();
    await until('the second round', () => rounds === 2);
    const stopping = poll.stop();
    release();
    await stopping;
    poll.now();
    expect([rounds, most]).to.deep.equal([2, 1]);
  });

  it('goes on after failures, each of which is logged', async () => {
    const failures: unknown[] = [];
    let rounds = 0;
    const work = async (): Promise<void> => {
      if (++rounds < 3) throw new Error(`no ${rounds}`);
    };
    const poll = every(1, work, (error) => failures.push(String(error)).toString());
    await until('a success', () => rounds > 3);
    await poll.stop();
    expect(failures).to.deep.equal(['Error: no 1', 'Error: no 2']);
  });
});
