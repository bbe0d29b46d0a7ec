import { expect } from 'chai';
import { LettingIn } from '../../../epcis/service/letting-in.ts';
import { TurnedLoop } from '../../helpers/turned-loop.ts';

describe('documents that are captured', () => {
  const piece = 8 * 1024;

  /** What happened: bytes that were read, and turns of others. */
  async function read(documents: readonly number[], msPerPiece: number): Promise<readonly (number | 'others')[]> {
    const happened: (number | 'others')[] = [];
    let now = 0;
    const nextTurn = async () => void happened.push('others');
    const lettingIn = new LettingIn({ now: () => now, nextTurn, sleep: nextTurn });
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

  class Loop extends TurnedLoop {
    readonly lettingIn = new LettingIn(this.time);

    /** Works so many pieces of 3 ms each. */
    async work(name: string, pieces: number): Promise<void> {
      for (let n = 0; n < pieces; n++) {
        await this.lettingIn.letIn();
        this.done.push(name);
        this.now += 3;
      }
    }
  }

  it('go on when all that is asked meanwhile is answered, however many turns that takes', async () => {
    const loop = new Loop();
    void loop.work('document', 3);
    await loop.turn();
    expect(loop.done).to.have.length(1);
    const answers = [loop.lettingIn.asked(), loop.lettingIn.asked()];
    await loop.turn(5);
    answers[0]?.();
    await loop.turn(5);
    expect(loop.done, 'one of them is not answered').to.have.length(1);
    answers[1]?.();
    await loop.pass(0);
    expect(loop.done).to.have.length(2);
  });

  it('wait for no more than 5 ms, nor for a question that has not been answered for long', async () => {
    const loop = new Loop();
    loop.lettingIn.asked();
    void loop.work('document', 9);
    await loop.turn();
    await loop.pass(4);
    expect(loop.done).to.have.length(0);
    await loop.pass(1);
    expect(loop.done).to.have.length(1);
    await loop.turn(5);
    expect(loop.done).to.have.length(1);
    await loop.pass(200);
    await loop.turn(3);
    expect(loop.done).to.have.length(5);
  });

  it('have a piece each between two turns of others, by turns', async () => {
    const loop = new Loop();
    void loop.work('a', 3);
    void loop.work('b', 3);
    const counts: number[] = [];
    for (let n = 0; n < 6; n++) {
      await loop.turn();
      counts.push(loop.done.length);
    }
    expect(counts).to.deep.equal([1, 2, 3, 4, 5, 6]);
    expect(loop.done.join('')).to.equal('ababab');
  });
});
