import { expect } from 'chai';
import { lettingOthersIn } from '../../../epcis/service/letting-in.ts';

describe('a document that is captured', () => {
  /** What happened: bytes that were read, and turns of others. */
  async function read(lengths: readonly number[], msPerPiece: number): Promise<readonly (number | 'others')[]> {
    const happened: (number | 'others')[] = [];
    let now = 0;
    const nextTurn = async () => void happened.push('others');
    async function* document(): AsyncGenerator<Uint8Array> {
      for (const length of lengths) yield new Uint8Array(length);
    }
    for await (const { length } of lettingOthersIn(document(), { now: () => now, nextTurn })) {
      happened.push(length);
      now += msPerPiece;
    }
    return happened;
  }

  it('lets others in while it is read, each time that has taken more than 5 ms', async () => {
    const piece = 16 * 1024;
    expect(await read([4 * piece + 1], 3)).to.deep.equal([piece, piece, 'others', piece, piece, 'others', 1]);
    expect(await read([2 * piece, 0, piece], 6)).to.deep.equal([piece, 'others', piece, piece]);
  });

  it('is read on end where that takes no time', async () => {
    expect(await read([100_000], 0.1)).not.to.include('others');
  });
});
