import { expect } from 'chai';
import fc from 'fast-check';
import { AdmissionQueue } from '../../../../src/balance/core/admission-queue.ts';
import type { Place, Ticket } from '../../../../src/balance/core/admission-queue.ts';

interface Item extends Place {
  readonly id: number;
}

/** Where a request waits of which no more is said. */
const at = (level: number, arrivedAt: number, more: Partial<Place> = {}): Place => ({
  ...{ level, arrivedAt, deadline: Infinity, sender: 'a', pinned: false },
  ...more,
});

const LEVELS = 4;
const PROMOTE = 50;

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('offer' as const),
      level: fc.nat(LEVELS - 1),
      sender: fc.constantFrom('a', 'a', 'a', 'b', 'c'),
      wait: fc.integer({ min: 1, max: 400 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('take' as const), only: fc.option(fc.nat(LEVELS - 1)) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), which: fc.nat(100) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('expire' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('giveBack' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 60 }) }) },
);

describe('admission queue', () => {
  it('never loses and never duplicates, keeps its bound, and is first in, first out in each class', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), fc.integer({ min: 1, max: 12 }), (steps, capacity) => {
        const queue = new AdmissionQueue<Item>({ levels: LEVELS, capacity, promoteAfterMs: PROMOTE });
        const waiting = new Map<number, Ticket<Item>>();
        const gone: number[] = [];
        let offered = 0;
        let taken: Item | undefined;
        let now = 0;
        const waitingOf = (sender: string, level: number) =>
          [...waiting.values()].filter((other) => other.sender === sender && other.level === level).length;
        const leave = (item: Item) => {
          expect(waiting.delete(item.id), `${item.id} was waiting`).to.equal(true);
          gone.push(item.id);
        };
        for (const one of steps) {
          if (one.kind === 'wait') now += one.ms;
          if (one.kind === 'offer') {
            const item = {
              id: offered++,
              level: one.level,
              sender: one.sender,
              pinned: one.level === 1,
              arrivedAt: now,
              deadline: now + one.wait,
            };
            const { ticket, displaced } = queue.offer(item, item);
            if (displaced !== undefined) {
              expect(displaced.level).to.equal(Math.max(...[...waiting.values()].map((other) => other.level)));
              if (displaced.level === item.level) {
                expect(waitingOf(displaced.sender, item.level)).to.be.greaterThan(
                  waitingOf(item.sender, item.level) + 1,
                );
              } else expect(displaced.level).to.be.greaterThan(item.level);
              leave(displaced.item);
            }
            if (ticket !== undefined) waiting.set(item.id, ticket);
            else {
              expect([...waiting.values()].every((other) => other.level <= item.level)).to.equal(true);
              gone.push(item.id);
            }
            expect(queue.size).to.be.at.most(capacity);
          }
          if (one.kind === 'take') {
            const item = queue.take(now, (candidate) => one.only === null || candidate.level === one.only);
            if (item !== undefined) {
              const older = [...waiting.values()].filter(
                (other) =>
                  other.level === item.level && other.sender === item.sender && other.arrivedAt < item.arrivedAt,
              );
              expect(older, 'older ones of its class and sender').to.deep.equal([]);
              leave(item);
              taken = item;
            } else {
              expect([...waiting.values()].some((other) => one.only === null || other.level === one.only)).to.equal(
                false,
              );
            }
          }
          if (one.kind === 'cancel') {
            const ticket = [...waiting.values()][one.which % Math.max(1, waiting.size)];
            if (ticket !== undefined && queue.remove(ticket)) {
              leave(ticket.item);
              expect(queue.remove(ticket), 'a second time').to.equal(false);
            }
          }
          if (one.kind === 'expire') {
            for (const item of queue.expire(now)) {
              expect(item.deadline).to.be.at.most(now);
              leave(item);
            }
            expect([...waiting.values()].every((other) => other.deadline > now)).to.equal(true);
          }
          if (one.kind === 'giveBack' && taken !== undefined && queue.size < capacity) {
            gone.splice(gone.indexOf(taken.id), 1);
            waiting.set(taken.id, queue.putBack(taken, taken));
            taken = undefined;
          }
          expect(queue.size).to.equal(waiting.size);
          for (let level = 0; level < LEVELS; level++) {
            expect(queue.sizeOf(level)).to.equal([...waiting.values()].filter((other) => other.level === level).length);
          }
        }
        for (let item = queue.take(now, () => true); item !== undefined; item = queue.take(now, () => true))
          leave(item);
        expect(waiting.size).to.equal(0);
        expect([...gone].sort((a, b) => a - b)).to.deep.equal(Array.from({ length: offered }, (_, i) => i));
      }),
      { numRuns: 300 },
    );
  });

  it('never starves: under a stream of important requests each waits a bounded time', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: LEVELS - 1 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 9 }),
        (level, pinnedStream, senders) => {
          const queue = new AdmissionQueue<string>({ levels: LEVELS, capacity: 1e6, promoteAfterMs: PROMOTE });
          queue.offer('humble', at(level, 0));
          // one served a ms, one more important arrives each ms: there is always one of them waiting
          for (let now = 0; now <= PROMOTE * LEVELS + 1; now++) {
            queue.offer('important', at(0, now, { pinned: pinnedStream, sender: `${now % senders}` }));
            if (queue.take(now, () => true) === 'humble') return true;
          }
          return false;
        },
      ),
    );
  });

  it('serves by importance, then by time, with promotions', () => {
    const queue = new AdmissionQueue<string>({ levels: 3, capacity: 10, promoteAfterMs: 100 });
    queue.offer('bulk', at(2, 0));
    queue.offer('capture', at(1, 10));
    queue.offer('query', at(0, 150));
    // at 205 bulk is on level 0 since 200, capture (since 110) and query (since 150) too
    const order = [205, 205, 205].map((now) => queue.take(now, () => true));
    expect(order).to.deep.equal(['capture', 'query', 'bulk']);
  });

  it('places pinned requests first', () => {
    const queue = new AdmissionQueue<string>({ levels: 2, capacity: 10, promoteAfterMs: 1_000 });
    queue.offer('query', at(0, 0));
    queue.offer('pinned bulk', at(1, 5, { pinned: true }));
    expect(queue.take(10, () => true)).to.equal('pinned bulk');
  });

  it('does not let a request that nobody can take hold up the others', () => {
    const queue = new AdmissionQueue<string>({ levels: 2, capacity: 10, promoteAfterMs: 1_000 });
    queue.offer('pinned to a busy VM', at(0, 0, { pinned: true }));
    queue.offer('anywhere', at(1, 5));
    expect(queue.take(10, (item) => item === 'anywhere')).to.equal('anywhere');
    expect(queue.size).to.equal(1);
  });

  it('gives a request that comes back its old place', () => {
    const queue = new AdmissionQueue<string>({ levels: 1, capacity: 2, promoteAfterMs: 1_000 });
    queue.offer('second', at(0, 20));
    queue.offer('third', at(0, 30));
    queue.putBack('first', at(0, 10));
    expect(queue.oldest()).to.equal(10);
    expect([1, 2, 3].map(() => queue.take(40, () => true))).to.deep.equal(['first', 'second', 'third']);
  });

  it('serves senders in turns, whoever of them has how many waiting', () => {
    const queue = new AdmissionQueue<string>({ levels: 2, capacity: 10, promoteAfterMs: 1_000 });
    for (let i = 0; i < 5; i++) queue.offer(`many ${i}`, at(0, i));
    queue.offer('one', at(0, 5, { sender: 'b' }));
    queue.offer('less important', at(1, 0, { sender: 'c' }));
    const order = Array.from({ length: 4 }, () => queue.take(10, () => true));
    expect(order).to.deep.equal(['many 0', 'one', 'many 1', 'many 2']);
  });

  it('passes a sender over whose requests nobody may take now', () => {
    const queue = new AdmissionQueue<string>({ levels: 1, capacity: 10, promoteAfterMs: 1_000 });
    queue.offer('of one who has enough', at(0, 0));
    queue.offer('another', at(0, 5, { sender: 'b' }));
    expect(queue.take(10, (item) => item === 'another')).to.equal('another');
  });

  it('shares the places of a full queue among the senders', () => {
    const queue = new AdmissionQueue<string>({ levels: 1, capacity: 4, promoteAfterMs: 1_000 });
    for (let i = 0; i < 4; i++) queue.offer(`many ${i}`, at(0, i));
    const turnedAway = [5, 6, 7].map((now) => queue.offer('other', at(0, now, { sender: 'b' })).displaced?.item);
    expect(turnedAway).to.deep.equal(['many 3', 'many 2', undefined]);
    expect(queue.offer('many more', at(0, 8)).ticket).to.equal(undefined);
  });
});
