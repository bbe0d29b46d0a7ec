import { expect } from 'chai';
import { EvenTime, saysNoEvenly, sharedNow } from '../../../epcis/access/even-time.ts';
import { EpcisException } from '../../../epcis/domain/exceptions.ts';

const STEP_MS = 5;

function work(ms: number): void {
  for (const from = sharedNow(); sharedNow() - from < ms;);
}

describe('the time of an answer of nothing', () => {
  let even: EvenTime;
  beforeEach(() => (even = new EvenTime()));
  afterEach(() => even.close());

  it('is never earlier than the next step from the question, however long it took', async () => {
    for (const ms of [0, 1.3, 4.9, 5.2]) {
      const begun = sharedNow();
      const ended = even.begin();
      work(ms);
      const done = sharedNow();
      await ended();
      expect(sharedNow() - begun).to.be.at.least(STEP_MS * Math.ceil((done - begun) / STEP_MS));
    }
  });

  it('is each question’s own, of many at once', async () => {
    const begun = sharedNow();
    const took = await Promise.all(
      Array.from({ length: 100 }, async (_, n) => {
        work(0.01);
        const from = sharedNow();
        await even.begin()();
        return { n, ms: sharedNow() - from };
      }),
    );
    expect(took.length).to.equal(100);
    for (const { n, ms } of took) expect(ms, `question ${n}, after ${sharedNow() - begun} ms`).to.be.at.least(STEP_MS);
  });

  it('keeps nobody waiting for a thread that has ended, and starts another', async () => {
    const waiting = even.begin()();
    await even.close();
    await waiting;
    const begun = sharedNow();
    await even.begin()();
    expect(sharedNow() - begun).to.be.at.least(STEP_MS);
  });

  it('is waited for by a service only where there is none of what it was asked for', async () => {
    let waited = 0;
    const service = {
      get: async (id: string) => {
        if (id === 'mine') return 'it';
        throw new EpcisException(id === 'bad' ? 'ValidationException' : 'NoSuchResourceException', 'There is none.');
      },
    };
    const { jobs } = saysNoEvenly({ jobs: service }, () => async () => void waited++);
    const outcome = (id: string) => jobs.get(id).catch((error: Error) => error.message);
    expect([await outcome('mine'), waited]).to.deep.equal(['it', 0]);
    expect([await outcome('bad'), waited]).to.deep.equal(['There is none.', 0]);
    expect([await outcome('theirs'), waited]).to.deep.equal(['There is none.', 1]);
  });
});
