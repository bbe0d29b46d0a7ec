import { expect } from 'chai';
import fc from 'fast-check';
import {
  checkDelivered,
  checkDeliveredInOrder,
  checkHistory,
  checkShown,
  checkStored,
  type Operation,
} from './history.ts';

const capture = (id: string, began: number, ended: number, acknowledged = true): Operation => ({
  ...{ kind: 'capture', shelf: 's', ids: [id], began, ended, acknowledged },
});
const query = (began: number, ended: number, ...pages: string[][]): Operation => ({
  ...{ kind: 'query', shelf: 's', began, ended, pages },
});
const found = (...history: Operation[]) => checkHistory(history).map(({ what }) => what);

describe('a history of captures and queries', () => {
  it('may show what is under way, or not', () => {
    expect(found(capture('a', 0, 10), query(5, 20), query(5, 20, ['a']))).to.deep.equal([]);
    expect(found(capture('a', 0, 10, false), query(20, 30), query(30, 40, ['a']))).to.deep.equal([]);
  });

  it('must show what was acknowledged before, and goes on showing what was seen', () => {
    expect(found(capture('a', 0, 10), query(11, 20))).to.deep.equal(['lost']);
    expect(found(capture('a', 0, 30), query(5, 10, ['a']), query(11, 20))).to.deep.equal(['lost']);
    expect(found(capture('a', 0, 10, false), query(11, 20, ['a']), query(21, 30))).to.deep.equal(['lost']);
  });

  it('shows nothing twice, nothing of nobody, nothing before its time', () => {
    expect(found(capture('a', 0, 10), query(11, 20, ['a'], ['a']))).to.deep.equal(['doubled']);
    expect(found(query(11, 20, ['b']))).to.deep.equal(['wrong']);
    expect(found(capture('a', 21, 30), query(11, 20, ['a']))).to.deep.equal(['wrong']);
  });

  it('may be behind where it is read from a replica, and no farther than that', () => {
    const history = [capture('a', 0, 10), query(15, 20)];
    expect(checkHistory(history, 6)).to.deep.equal([]);
    expect(checkHistory(history, 4).map(({ what }) => what)).to.deep.equal(['lost']);
    // the primary answered while the replica rested
    const back = [capture('a', 0, 30), query(5, 10, ['a']), query(15, 20)];
    expect(checkHistory(back, 6)).to.deep.equal([]);
    expect(checkHistory(back, 4).map(({ what }) => what)).to.deep.equal(['lost']);
  });

  it('keeps shelves apart', () => {
    expect(found(capture('a', 0, 10), { ...query(11, 20), shelf: 'other' })).to.deep.equal([]);
  });

  const steps = fc.array(fc.record({ kind: fc.constantFrom('begin', 'commit', 'end', 'query'), which: fc.nat(5) }), {
    maxLength: 60,
  });

  /** A repository in which each capture takes effect at one moment between its begin and its end, and queries see all at once. */
  function play(all: readonly { readonly kind: string; readonly which: number }[], pageSize: number): Operation[] {
    const history: Operation[] = [];
    const stored: string[] = [];
    const underWay = new Map<number, { id: string; began: number; committed: boolean }>();
    all.forEach(({ kind, which }, at) => {
      const one = underWay.get(which);
      if (kind === 'begin' && one === undefined) underWay.set(which, { id: `${at}`, began: at, committed: false });
      if (kind === 'commit' && one !== undefined && !one.committed) {
        one.committed = true;
        stored.push(one.id);
      }
      if (kind === 'end' && one?.committed === true) {
        underWay.delete(which);
        history.push(capture(one.id, one.began, at));
      }
      if (kind === 'query') {
        const pages = [];
        for (let i = 0; i < stored.length; i += pageSize) pages.push(stored.slice(i, i + pageSize));
        history.push(query(at - 0.4, at + 0.4, ...pages));
      }
    });
    for (const { id, began } of underWay.values()) history.push(capture(id, began, all.length, false));
    return history;
  }

  it('of a correct repository has no findings, in whatever order things happen', () => {
    fc.assert(
      fc.property(
        steps,
        fc.integer({ min: 1, max: 4 }),
        (all, pageSize) => checkHistory(play(all, pageSize)).length === 0,
      ),
    );
  });

  it('of one that forgets what was acknowledged has a finding at the next query', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 4 }), (all, pageSize) => {
        const history = play(all, pageSize);
        const last = history.filter((one) => one.kind === 'query').at(-1);
        const victim = history.find(
          (one) => one.kind === 'capture' && one.acknowledged && last !== undefined && one.ended < last.began,
        );
        if (last === undefined || victim?.kind !== 'capture') return true;
        const without = (pages: readonly (readonly string[])[]) =>
          pages.map((page) => page.filter((id) => id !== victim.ids[0]));
        const changed = history.map((one) => (one === last ? { ...last, pages: without(last.pages) } : one));
        return checkHistory(changed).some(({ what }) => what === 'lost');
      }),
    );
  });
});

describe('what is there at the end', () => {
  const history = [capture('a', 0, 1), capture('b', 0, 1, false)];
  const stored = (...ids: string[]) => new Map(ids.map((id) => [id, 1]));

  it('is all that was acknowledged, once, and perhaps what nobody knows of', () => {
    expect(checkStored(history, stored('a'))).to.deep.equal([]);
    expect(checkStored(history, stored('a', 'b'))).to.deep.equal([]);
    expect(checkStored(history, stored('b')).map(({ what }) => what)).to.deep.equal(['lost']);
    expect(checkStored(history, new Map([['a', 2]])).map(({ what }) => what)).to.deep.equal(['doubled']);
    expect(checkStored(history, stored('a', 'c')).map(({ what }) => what)).to.deep.equal(['wrong']);
  });

  it('is shown by each door, and nothing else', () => {
    const shown = (...ids: string[]) => checkShown('REST', ['a', 'b'], ids).map(({ what }) => what);
    expect(shown('b', 'a')).to.deep.equal([]);
    expect(shown('a')).to.deep.equal(['lost']);
    expect(shown('a', 'b', 'a')).to.deep.equal(['doubled']);
    expect(shown('a', 'b', 'c')).to.deep.equal(['wrong']);
  });

  it('has been delivered, once, or again under its old key', () => {
    const page = (key: string, ...ids: string[]) => ({ key, ids });
    expect(checkDelivered(['a', 'b'], [page('1', 'a'), page('1', 'a'), page('2', 'b')])).to.deep.equal([]);
    expect(checkDelivered(['a', 'b'], [page('1', 'a')]).map(({ what }) => what)).to.deep.equal(['lost']);
    expect(checkDelivered(['a'], [page('1', 'a'), page('2', 'a')]).map(({ what }) => what)).to.deep.equal(['doubled']);
  });

  it('has been delivered in the order of captures, where one was acknowledged before another began', () => {
    const page = (key: string, ...ids: string[]) => ({ key, ids });
    const first = [capture('a', 0, 1), capture('b', 2, 4), capture('c', 3, 5), capture('d', 6, 7)];
    const late = (...ids: string[]) =>
      checkDeliveredInOrder(
        first,
        ids.map((id, n) => page(String(n), id)),
      ).map(({ what }) => what);
    expect(late('a', 'b', 'c', 'd')).to.deep.equal([]);
    expect(late('a', 'c', 'b', 'd')).to.deep.equal([]);
    expect(late('b', 'a', 'c', 'd')).to.deep.equal(['wrong']);
    expect(late('a', 'd', 'c', 'b')).to.deep.equal(['wrong']);
    const again = [page('1', 'a'), page('2', 'b'), page('1', 'a'), page('3', 'c', 'd')];
    expect(checkDeliveredInOrder(first, again)).to.deep.equal([]);
    expect(
      checkDeliveredInOrder([capture('a', 0, 1, false), capture('b', 2, 3)], [page('1', 'b'), page('2', 'a')]),
    ).to.deep.equal([]);
  });
});
