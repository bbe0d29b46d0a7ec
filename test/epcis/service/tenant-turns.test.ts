import { expect } from 'chai';
import { TenantTurns } from '../../../epcis/service/tenant-turns.ts';

const DOCUMENT = new Uint8Array(256 * 1024);
/** Of 8 KB. */
const WORK_MS = 2;

/** A clock that goes on when somebody works or sleeps; what was slept, in ms. */
class Process {
  now = 0;
  active = 0;
  readonly slept: number[] = [];
  readonly #sleepers: { readonly until: number; readonly wake: () => void }[] = [];

  readonly time = {
    now: () => this.now,
    active: () => this.active,
    sleep: (ms: number) => {
      this.slept.push(ms);
      return new Promise<void>((wake) => this.#sleepers.push({ until: this.now + ms, wake }));
    },
  };

  work(ms: number): void {
    this.now += ms;
    this.active += ms;
  }

  async untilOver(work: Promise<unknown>): Promise<void> {
    let isOver = false;
    void work.then(() => (isOver = true));
    for (;;) {
      await new Promise(setImmediate);
      if (isOver) return;
      this.#sleepers.sort((a, b) => a.until - b.until);
      const next = this.#sleepers.shift();
      this.now = Math.max(this.now, next?.until ?? 0);
      next?.wake();
    }
  }
}

interface Around {
  readonly asking?: string;
  readonly share?: number;
  /** That the process may use. */
  readonly cores?: number;
}

/** North's documents, each read to its end: the part of the time that was work, the longest work at once, and what was slept. */
async function captured(documents: number, { asking, share = 0.25, cores = 1 }: Around) {
  const process = new Process();
  const turns = new TenantTurns(share, cores, process.time);
  const turn = turns.of('north');
  async function* document(): AsyncGenerator<Uint8Array> {
    yield DOCUMENT;
  }
  const sizes = new Set<number>();
  const one = async (): Promise<void> => {
    for await (const piece of turn.bytes(document())) {
      if (asking !== undefined) turns.asked(asking);
      sizes.add(piece.length);
      process.work((WORK_MS * piece.length) / 8192);
    }
  };
  if (asking !== undefined) turns.asked(asking);
  await process.untilOver(Promise.all(Array.from({ length: documents }, one)));
  return { share: process.active / process.now, sizes: [...sizes], slept: process.slept };
}

describe('turns of tenants', () => {
  it('let others in between pieces, and wait for nobody where nobody asks', async () => {
    const { share, slept } = await captured(2, {});
    expect(share).to.equal(1);
    expect(new Set(slept)).to.deep.equal(new Set([0]));
  });

  it('are of smaller pieces while another tenant asks, for a share of the time, whether of one document or of many', async () => {
    for (const documents of [1, 8]) {
      const { share, sizes } = await captured(documents, { asking: 'south' });
      expect(share, `${documents} documents`).to.be.within(0.22, 0.28);
      expect(sizes).to.deep.equal([8 * 1024]);
    }
    expect((await captured(2, { asking: 'south', share: 0.5 })).share).to.be.within(0.45, 0.55);
  });

  it('are for a share of what the process may use, where that is less than a core', async () => {
    const { share } = await captured(1, { asking: 'south', cores: 0.2 });
    expect(share / 0.2).to.be.within(0.22, 0.28);
  });

  it('are not taken from a tenant by its own requests', async () => {
    expect((await captured(1, { asking: 'north' })).share).to.equal(1);
  });

  it('end ten seconds after the last request', async () => {
    const process = new Process();
    const turns = new TenantTurns(0.25, 1, process.time);
    const batches = async (): Promise<number[]> => {
      const sizes: number[] = [];
      const all = async () => {
        for await (const batch of turns.of('north').batches(new Array(130).fill(0))) {
          sizes.push(batch.length);
          process.work(WORK_MS);
        }
      };
      await process.untilOver(all());
      return sizes;
    };
    expect(await batches()).to.deep.equal([128, 2]);
    turns.asked(undefined);
    expect(await batches()).to.deep.equal([32, 32, 32, 32, 2]);
    process.now += 9_000;
    expect(await batches()).to.deep.equal([32, 32, 32, 32, 2]);
    process.now += 1_001;
    expect(await batches()).to.deep.equal([128, 2]);
  });

  it('do not have one wait long for what others did', async () => {
    const process = new Process();
    const turns = new TenantTurns(0.25, 1, process.time);
    turns.asked('south');
    process.work(60_000);
    turns.asked('south');
    async function* document(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(1);
    }
    const read = async (): Promise<void> => {
      for await (const piece of turns.of('north').bytes(document())) process.work(piece.length);
    };
    await process.untilOver(read());
    expect(process.slept).to.deep.equal([24]);
  });
});
