import { expect } from 'chai';
import { GiveWay } from '../../../epcis/service/give-way.ts';

const PIECE_MS = 5;
const PIECE = new Uint8Array(64 * 1024);

interface Around {
  readonly othersAsk: boolean;
  /** The part of the time that they use. */
  readonly others?: number;
  /** Cores that the process may use. */
  readonly cores?: number;
  /** Until the next piece has come. */
  readonly waitMs?: number;
  /** Of a core, a piece. */
  readonly pieceMs?: number;
}

/** Documents of so many pieces at once: how long all take, and what part of what may be used was their work. */
async function store(
  documents: number,
  pieces: number,
  { othersAsk, others = 0, cores = 1, waitMs = 0, pieceMs = PIECE_MS }: Around,
): Promise<{ took: number; share: number; sizes: readonly number[]; longest: number }> {
  let now = 0;
  let worked = 0;
  /** That was worked on end. */
  let atOnce = 0;
  let longest = 0;
  const sizes = new Set<number>();
  const sleepers: { until: number; wake: () => void }[] = [];
  const sleep = (ms: number) => new Promise<void>((wake) => sleepers.push({ until: now + ms, wake }));
  const used = () => others * cores * now + worked;
  const giveWay = new GiveWay(0.25, { now: () => now, used, sleep }, cores);
  now += 60_000;
  if (othersAsk) giveWay.asked();
  const start = now;
  async function* document(): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < pieces; i++) {
      if (waitMs > 0) await sleep(waitMs);
      yield PIECE;
    }
  }
  const all = Promise.all(
    Array.from({ length: documents }, async () => {
      for await (const piece of giveWay.pieces(document())) {
        const ms = (pieceMs * piece.length) / PIECE.length;
        now += ms / cores;
        worked += ms;
        sizes.add(piece.length);
        longest = Math.max(longest, (atOnce += ms));
        if (othersAsk) giveWay.asked();
      }
    }),
  );
  let isOver = false;
  void all.then(() => (isOver = true));
  for (;;) {
    await new Promise(setImmediate);
    atOnce = 0;
    if (isOver) return { took: now - start, share: worked / cores / (now - start), sizes: [...sizes], longest };
    sleepers.sort((a, b) => a.until - b.until);
    const next = sleepers.shift();
    now = Math.max(now, next?.until ?? 0);
    next?.wake();
  }
}

describe('long documents give way', () => {
  it('take no longer where nobody else asks', async () => {
    const { took, share, sizes } = await store(4, 100, { othersAsk: false });
    expect({ took, share, sizes }).to.deep.equal({ took: 4 * 100 * PIECE_MS, share: 1, sizes: [PIECE.length] });
  });

  it('have their share together while others ask, one or many of them', async () => {
    for (const documents of [1, 4]) {
      const { share } = await store(documents, 400, { othersAsk: true });
      expect(share, `${documents} documents`).to.be.within(0.22, 0.28);
    }
  });

  it('have their share of what others leave', async () => {
    for (const others of [0.2, 0.6]) {
      const { share } = await store(1, 400, { othersAsk: true, others });
      expect(share, `others use ${others}`).to.be.within(0.15 * (1 - others), 0.28 * (1 - others));
    }
  });

  it('have their share of what the process may use, where that is less than a core', async () => {
    const { share } = await store(1, 400, { othersAsk: true, cores: 0.2 });
    expect(share).to.be.within(0.22, 0.28);
  });

  it('do not rest for what others use while they wait for their clients', async () => {
    const waits = { othersAsk: true, others: 0.6, waitMs: 200 };
    const { took } = await store(1, 100, waits);
    expect(took).to.be.within(100 * 200, 100 * (200 + 2 * (PIECE_MS / 0.1)));
  });

  it('go on, however slowly, where others leave nothing', async () => {
    const { took } = await store(1, 36, { othersAsk: true, others: 1 });
    expect(took).to.be.within(10_000, 24_000);
  });

  it('wait, for a time, while the process uses nearly all that it may: it would stand still, for all', async () => {
    const pieces = (count: number): number => (count * PIECE.length) / (4 * 1024);
    const short = await store(1, 15, { othersAsk: true, others: 0.95 });
    expect(short.took).to.be.within(pieces(14) * 9, pieces(15) * 11);
    const long = await store(1, 36, { othersAsk: true, others: 0.95 });
    expect(long.took - short.took).to.be.within(pieces(20) * 59, pieces(21) * 61);
  });

  it('a short one rests never', async () => {
    expect((await store(1, 15, { othersAsk: true })).share).to.equal(1);
  });

  it('let others in after each four kilobytes, from the first ones on', async () => {
    for (const pieces of [10, 100]) {
      const { sizes, longest } = await store(1, pieces, { othersAsk: true });
      expect(sizes).to.deep.equal([4 * 1024]);
      expect(longest).to.be.at.most(PIECE_MS / 8);
    }
  });

  it('take more at once where that takes no longer, and less again where it does', async () => {
    const quick = await store(1, 100, { othersAsk: true, pieceMs: 0.3 });
    expect(Math.max(...quick.sizes)).to.equal(PIECE.length);
    const slow = await store(1, 100, { othersAsk: true, pieceMs: 3 });
    expect(Math.max(...slow.sizes)).to.equal(8 * 1024);
    expect(slow.longest).to.be.at.most(0.5);
  });

  it('take as much at once where there is little of a core: a rest costs as much there', async () => {
    const { sizes } = await store(1, 100, { othersAsk: true, pieceMs: 0.3, cores: 0.2 });
    expect(Math.max(...sizes)).to.equal(PIECE.length);
  });

  it('are short together: of many at once each rests the sooner', async () => {
    const free = async (documents: number): Promise<number> => {
      const pieces = 15;
      const { took } = await store(documents, pieces, { othersAsk: true });
      // what rests takes four times as long
      const work = documents * pieces * PIECE_MS;
      return 1 - (took - work) / (3 * work);
    };
    expect(await free(1)).to.equal(1);
    expect(await free(2)).to.be.within(0.2, 0.35);
    expect(await free(8)).to.be.within(0.05, 0.15);
    expect(await free(30)).to.be.within(0.05, 0.15);
  });
});
