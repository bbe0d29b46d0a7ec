import { expect } from 'chai';
import { GiveWay } from '../../../epcis/service/give-way.ts';

const PIECE_MS = 5;
const PIECE = new Uint8Array(600_000);

/** Documents of so many pieces at once, each piece 5 ms of work: how long all take, and what part of that was work. */
async function store(documents: number, pieces: number, othersAsk: boolean): Promise<{ took: number; share: number }> {
  let now = 0;
  let active = 0;
  const sleepers: { until: number; wake: () => void }[] = [];
  const sleep = (ms: number) => new Promise<void>((wake) => sleepers.push({ until: now + ms, wake }));
  const giveWay = new GiveWay(0.25, { now: () => now, active: () => active, sleep });
  if (othersAsk) giveWay.asked();
  async function* document(): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < pieces; i++) yield PIECE;
  }
  const all = Promise.all(
    Array.from({ length: documents }, async () => {
      for await (const piece of giveWay.pieces(document())) {
        now += piece === PIECE ? PIECE_MS : 0;
        active += PIECE_MS;
      }
    }),
  );
  let isOver = false;
  void all.then(() => (isOver = true));
  for (;;) {
    await new Promise(setImmediate);
    if (isOver) return { took: now, share: active / now };
    sleepers.sort((a, b) => a.until - b.until);
    const next = sleepers.shift();
    now = Math.max(now, next?.until ?? 0);
    next?.wake();
  }
}

describe('long documents give way', () => {
  it('take no longer where nobody else asks', async () => {
    expect(await store(4, 100, false)).to.deep.equal({ took: 4 * 100 * PIECE_MS, share: 1 });
  });

  it('have their share together while others ask, one or many of them', async () => {
    for (const documents of [1, 4]) {
      const { share } = await store(documents, 100, true);
      expect(share, `${documents} documents`).to.be.within(0.22, 0.28);
    }
  });

  it('a short one rests never', async () => {
    expect((await store(1, 1, true)).share).to.equal(1);
  });
});
