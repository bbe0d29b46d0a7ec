import { expect } from 'chai';
import fc from 'fast-check';
import { AdmissionQueue } from '../../../../src/balance/core/admission-queue.ts';
import type { Place, Ticket } from '../../../../src/balance/core/admission-queue.ts';

interface Item extends Place {
  readonly id: number;
}

/** Where a request waits of which no more is said. */
const at = (level: number, arrivedAt: number, more: Partial<Place> = {}): Place => ({
  ...{ level, arrivedAt, deadline: Infinity, sender: 'a', tenant: '', pinned: false },
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
      tenant: fc.constantFrom('', '', 'north'),
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
        const waitingOf = (level: number, tenant: string, sender?: string) =>
          [...waiting.values()].filter(
            (other) =>
              other.level === level && other.tenant === tenant && (sender === undefined || other.sender === sender),
          ).length;
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
              tenant: one.tenant,
              pinned: one.level === 1,
              arrivedAt: now,
              deadline: now + one.wait,
            };
            const { ticket, displaced } = queue.offer(item, item);
            if (displaced !== undefined) {
              expect(displaced.level).to.equal(Math.max(...[...waiting.values()].map((other) => other.level)));
              if (displaced.level === item.level) {
                const within = displaced.tenant === item.tenant;
                expect(
                  waitingOf(item.level, displaced.tenant, within ? displaced.sender : undefined),
                ).to.be.greaterThan(waitingOf(item.level, item.tenant, within ? item.sender : undefined) + 1);
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
                  other.level === item.level &&
                  other.tenant === item.tenant &&
                  other.sender === item.sender &&
                  other.arrivedAt < item.arrivedAt,
              );
              expect(older, 'older ones of its class, tenant and sender').to.deep.equal([]);
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

  it('gives tenants turns whoever has how many clients, and within a tenant its clients', () => {
    const queue = new AdmissionQueue<string>({ levels: 2, capacity: 20, promoteAfterMs: 1_000 });
    for (let i = 0; i < 6; i++) queue.offer(`south ${i}`, at(0, i, { tenant: 'south', sender: `s${i % 3}` }));
    queue.offer('north 0', at(0, 6, { tenant: 'north', sender: 'n' }));
    queue.offer('north 1', at(0, 7, { tenant: 'north', sender: 'n' }));
    queue.offer('less important', at(1, 0, { tenant: 'east', sender: 'e' }));
    const order = Array.from({ length: 7 }, () => queue.take(10, () => true));
    expect(order).to.deep.equal(['south 0', 'north 0', 'south 1', 'north 1', 'south 2', 'south 3', 'south 4']);
  });

  it('serves tenants that wait equally often, within one, whatever else is waiting', () => {
    const tenants = fc.array(fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 6 }), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(tenants, fc.boolean(), (clientsOf, arriveMixed) => {
        const queue = new AdmissionQueue<number>({ levels: 1, capacity: 1e6, promoteAfterMs: 1e6 });
        const left = clientsOf.map((clients) => clients.reduce((sum, waiting) => sum + waiting, 0));
        const all = clientsOf.flatMap((clients, tenant) =>
          clients.flatMap((waiting, sender) => Array.from({ length: waiting }, () => ({ tenant, sender }))),
        );
        if (arriveMixed) all.sort((a, b) => a.sender - b.sender);
        for (const { tenant, sender } of all)
          queue.offer(tenant, at(0, 0, { tenant: `${tenant}`, sender: `${sender}` }));
        const served = clientsOf.map(() => 0);
        for (let one = queue.take(1, () => true); one !== undefined; one = queue.take(1, () => true)) {
          served[one] = (served[one] ?? 0) + 1;
          left[one] = (left[one] ?? 0) - 1;
          const stillThere = served.filter((_, tenant) => (left[tenant] ?? 0) > 0);
          if (stillThere.length > 0) expect(Math.max(...served)).to.be.at.least(Math.max(...stillThere));
          expect(Math.max(...stillThere, 0) - Math.min(...stillThere, Infinity)).to.be.at.most(1);
        }
        expect(left.every((waiting) => waiting === 0)).to.equal(true);
      }),
    );
  });

  it('shares the places of a full queue among the tenants, however many clients each has', () => {
    const queue = new AdmissionQueue<string>({ levels: 1, capacity: 4, promoteAfterMs: 1_000 });
    for (let i = 0; i < 4; i++) queue.offer(`south ${i}`, at(0, i, { tenant: 'south', sender: `s${i}` }));
    const north = (now: number, sender: string) => queue.offer(`north ${now}`, at(0, now, { tenant: 'north', sender }));
    // the newest of south's clients go; then both tenants have two, and of north's own clients one has more than the other
    const turnedAway = [north(5, 'n'), north(6, 'n'), north(7, 'n'), north(8, 'm')].map((one) => one.displaced?.item);
    expect(turnedAway).to.deep.equal(['south 3', 'south 2', undefined, 'north 6']);
    queue.offer('third', at(0, 9, { tenant: 'south', sender: 's9' }));
    expect(queue.size).to.equal(4);
    expect(queue.offer('south more', at(0, 9, { tenant: 'south', sender: 's9' })).ticket).to.equal(undefined);
  });
});
