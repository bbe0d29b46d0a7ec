import { expect } from 'chai';
import fc from 'fast-check';
import { AdmissionQueue } from '../../../../src/balance/core/admission-queue.ts';
import type { Ticket } from '../../../../src/balance/core/admission-queue.ts';

interface Item {
  readonly id: number;
  readonly level: number;
  readonly pinned: boolean;
  readonly arrivedAt: number;
  readonly deadline: number;
}

const LEVELS = 4;
const PROMOTE = 50;

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('offer' as const),
      level: fc.nat(LEVELS - 1),
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
              pinned: one.level === 1,
              arrivedAt: now,
              deadline: now + one.wait,
            };
            const { ticket, displaced } = queue.offer(item, item.level, now, item.deadline, item.pinned);
            if (displaced !== undefined) {
              expect(displaced.level).to.be.greaterThan(item.level);
              expect(displaced.level).to.equal(Math.max(...[...waiting.values()].map((other) => other.level)));
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
                (other) => other.level === item.level && other.arrivedAt < item.arrivedAt,
              );
              expect(older, 'older ones of its class').to.deep.equal([]);
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
            const { id, level, deadline, pinned } = taken;
            waiting.set(id, queue.putBack(taken, level, taken.arrivedAt, deadline, pinned));
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
      fc.property(fc.integer({ min: 1, max: LEVELS - 1 }), fc.boolean(), (level, pinnedStream) => {
        const queue = new AdmissionQueue<string>({ levels: LEVELS, capacity: 1e6, promoteAfterMs: PROMOTE });
        queue.offer('humble', level, 0, Infinity);
        // one served a ms, one more important arrives each ms: there is always one of them waiting
        for (let now = 0; now <= PROMOTE * LEVELS + 1; now++) {
          queue.offer('important', 0, now, Infinity, pinnedStream);
          if (queue.take(now, () => true) === 'humble') return true;
        }
        return false;
      }),
    );
  });

  it('serves by importance, then by time, with promotions', () => {
    const queue = new AdmissionQueue<string>({ levels: 3, capacity: 10, promoteAfterMs: 100 });
    queue.offer('bulk', 2, 0, Infinity);
    queue.offer('capture', 1, 10, Infinity);
    queue.offer('query', 0, 150, Infinity);
    // at 205 bulk is on level 0 since 200, capture (since 110) and query (since 150) too
    const order = [205, 205, 205].map((now) => queue.take(now, () => true));
    expect(order).to.deep.equal(['capture', 'query', 'bulk']);
  });

  it('places pinned requests first', () => {
    const queue = new AdmissionQueue<string>({ levels: 2, capacity: 10, promoteAfterMs: 1_000 });
    queue.offer('query', 0, 0, Infinity);
    queue.offer('pinned bulk', 1, 5, Infinity, true);
    expect(queue.take(10, () => true)).to.equal('pinned bulk');
  });

  it('does not let a request that nobody can take hold up the others', () => {
    const queue = new AdmissionQueue<string>({ levels: 2, capacity: 10, promoteAfterMs: 1_000 });
    queue.offer('pinned to a busy VM', 0, 0, Infinity, true);
    queue.offer('anywhere', 1, 5, Infinity);
    expect(queue.take(10, (item) => item === 'anywhere')).to.equal('anywhere');
    expect(queue.size).to.equal(1);
  });

  it('gives a request that comes back its old place', () => {
    const queue = new AdmissionQueue<string>({ levels: 1, capacity: 2, promoteAfterMs: 1_000 });
    queue.offer('second', 0, 20, Infinity);
    queue.offer('third', 0, 30, Infinity);
    queue.putBack('first', 0, 10, Infinity);
    expect(queue.oldest()).to.equal(10);
    expect([1, 2, 3].map(() => queue.take(40, () => true))).to.deep.equal(['first', 'second', 'third']);
  });
});
