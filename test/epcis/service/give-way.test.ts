import { expect } from 'chai';
import { GiveWay } from '../../../epcis/service/give-way.ts';

const PIECE_MS = 5;
const PIECE = new Uint8Array(600_000);

interface Around {
  readonly othersAsk: boolean;
  /** The part of the time that they use. */
  readonly others?: number;
  /** Cores that the process may use. */
  readonly cores?: number;
  /** Until the next piece has come. */
  readonly waitMs?: number;
}

/** Documents of so many pieces at once, each piece 5 ms of a core: how long all take, and what part of what may be used was their work. */
async function store(
  documents: number,
  pieces: number,
  { othersAsk, others = 0, cores = 1, waitMs = 0 }: Around,
): Promise<{ took: number; share: number }> {
  let now = 0;
  let worked = 0;
  const sleepers: { until: number; wake: () => void }[] = [];
  const sleep = (ms: number) => new Promise<void>((wake) => sleepers.push({ until: now + ms, wake }));
  const used = () => others * now + worked / cores;
  const giveWay = new GiveWay(0.25, { now: () => now, used, sleep });
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
        now += piece === PIECE ? PIECE_MS / cores : 0;
        worked += PIECE_MS;
        if (othersAsk) giveWay.asked();
      }
    }),
  );
  let isOver = false;
  void all.then(() => (isOver = true));
  for (;;) {
    await new Promise(setImmediate);
    if (isOver) return { took: now - start, share: worked / cores / (now - start) };
    sleepers.sort((a, b) => a.until - b.until);
    const next = sleepers.shift();
    now = Math.max(now, next?.until ?? 0);
    next?.wake();
  }
}

describe('long documents give way', () => {
  it('take no longer where nobody else asks', async () => {
    expect(await store(4, 100, { othersAsk: false })).to.deep.equal({ took: 4 * 100 * PIECE_MS, share: 1 });
  });

  it('have their share together while others ask, one or many of them', async () => {
    for (const documents of [1, 4]) {
      const { share } = await store(documents, 100, { othersAsk: true });
      expect(share, `${documents} documents`).to.be.within(0.22, 0.28);
    }
  });

  it('have their share of what others leave', async () => {
    for (const others of [0.2, 0.6]) {
      const { share } = await store(1, 200, { othersAsk: true, others });
      expect(share, `others use ${others}`).to.be.within(0.15 * (1 - others), 0.28 * (1 - others));
    }
  });

  it('have their share of what the process may use, where that is less than a core', async () => {
    const { share } = await store(1, 200, { othersAsk: true, cores: 0.2 });
    expect(share).to.be.within(0.22, 0.28);
  });

  it('do not rest for what others use while they wait for their clients', async () => {
    const waits = { othersAsk: true, others: 0.6, waitMs: 200 };
    const { took } = await store(1, 100, waits);
    expect(took).to.be.within(100 * 200, 100 * (200 + 2 * (PIECE_MS / 0.1)));
  });

  it('go on, however slowly, where others leave nothing', async () => {
    const { took } = await store(1, 20, { othersAsk: true, others: 1 });
    expect(took).to.be.within(10_000, 21_000);
  });

  it('a short one rests never', async () => {
    expect((await store(1, 1, { othersAsk: true })).share).to.equal(1);
  });
});
