import { expect } from 'chai';
import { LettingIn } from '../../../epcis/service/letting-in.ts';

describe('documents that are captured', () => {
  const piece = 8 * 1024;

  /** What happened: bytes that were read, and turns of others. */
  async function read(documents: readonly number[], msPerPiece: number): Promise<readonly (number | 'others')[]> {
    const happened: (number | 'others')[] = [];
    let now = 0;
    const lettingIn = new LettingIn({ now: () => now, nextTurn: async () => void happened.push('others') });
    for (const length of documents)
      for await (const bytes of lettingIn.pieces(bytesOf(length))) {
        happened.push(bytes.length);
        now += msPerPiece;
      }
    return happened;
  }
  async function* bytesOf(length: number): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(length);
  }

  it('let others in while they are read, each time that has taken more than 2 ms', async () => {
    expect(await read([4 * piece + 1], 1.5)).to.deep.equal([
      'others',
      piece,
      piece,
      'others',
      piece,
      piece,
      'others',
      1,
    ]);
  });

  it('do so together: what one took the next has not', async () => {
    expect(await read([piece, piece, piece], 1.5)).to.deep.equal(['others', piece, piece, 'others', piece]);
  });

  it('are read on end where that takes no time', async () => {
    expect((await read([100_000], 0.01)).slice(1)).not.to.include('others');
  });
});
