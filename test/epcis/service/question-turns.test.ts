import { expect } from 'chai';
import { PIECE, QuestionTurns, type Question } from '../../../epcis/service/question-turns.ts';
import { TurnedLoop } from '../../helpers/turned-loop.ts';

class Loop extends TurnedLoop {
  readonly turns = new QuestionTurns(this.time);

  /** A long question of so many pieces; what it has done is noted piece by piece. */
  ask(client: string, pieces: number): Question {
    const question = this.turns.begin(client);
    const work = async (): Promise<void> => {
      for (let piece = 0; piece < pieces; piece++) {
        await question.spend(PIECE);
        this.done.push(client);
      }
      question.end();
    };
    void work();
    return question;
  }
}

describe('turns of questions', () => {
  it('are not taken by what is short', () => {
    const { turns } = new Loop();
    const question = turns.begin('a');
    for (let units = 0; units < PIECE - 1; units++) expect(question.spend(1)).to.equal(undefined);
    expect(question.spend(1)).to.be.a('promise');
  });

  it('are for one piece each, whoever it is of, where nobody else is there as well', async () => {
    const loop = new Loop();
    loop.ask('a', 3);
    loop.ask('a', 2);
    const counts: number[] = [];
    for (let turn = 0; turn < 5; turn++) {
      await loop.turn();
      counts.push(loop.done.length);
    }
    expect(counts).to.deep.equal([1, 2, 3, 4, 5]);
  });

  it('go from client to client, however many questions one has', async () => {
    const loop = new Loop();
    for (let i = 0; i < 20; i++) loop.ask('hostile', 5);
    loop.ask('other', 3);
    await loop.turn(7);
    expect(loop.done.join(' ')).to.equal('hostile other hostile other hostile other hostile');
  });

  it('wait until what is short of others has been answered', async () => {
    const loop = new Loop();
    const short = loop.turns.begin('other');
    loop.ask('hostile', 2);
    await loop.turn(3);
    expect(loop.done).to.deep.equal([]);
    short.end();
    await loop.turn(2);
    expect(loop.done).to.deep.equal(['hostile', 'hostile']);
  });

  it('wait for that 5 ms at the longest, a piece', async () => {
    const loop = new Loop();
    for (let i = 0; i < 3; i++) loop.turns.begin('other');
    loop.ask('hostile', 2);
    await loop.turn(2);
    await loop.pass(4);
    expect(loop.done).to.have.length(0);
    await loop.pass(1);
    expect(loop.done).to.have.length(1);
    await loop.turn(2);
    expect(loop.done).to.have.length(1);
    await loop.pass(5);
    expect(loop.done).to.have.length(2);
  });

  it('do not wait for one that does not end, nor for the client’s own', async () => {
    const loop = new Loop();
    loop.turns.begin('slow reader');
    loop.now += 51;
    loop.turns.begin('a');
    loop.ask('a', 2);
    await loop.turn(2);
    expect(loop.done).to.deep.equal(['a', 'a']);
  });

  it('are for two questions of a client while another one asks, and for all of them otherwise', async () => {
    const begun = async (isAlone: boolean): Promise<number> => {
      const loop = new Loop();
      loop.turns.begin(isAlone ? 'a' : 'b').end();
      for (let i = 0; i < 6; i++) {
        const question = loop.turns.begin('a');
        void question.spend(PIECE)?.then(() => loop.done.push('a'));
      }
      await loop.turn(10);
      return loop.done.length;
    };
    expect([await begun(true), await begun(false)]).to.deep.equal([6, 2]);
  });

  it('are for the next of them when one has been answered or its client has gone, and for all when the other client has', async () => {
    const loop = new Loop();
    loop.turns.begin('b').end();
    const questions = Array.from({ length: 6 }, (_, i) => {
      const question = loop.turns.begin('a');
      void question.spend(PIECE)?.then(() => loop.done.push(String(i)));
      return question;
    });
    await loop.turn(4);
    expect(loop.done).to.deep.equal(['0', '1']);
    questions[2]?.end();
    questions[0]?.end();
    await loop.turn(4);
    expect(loop.done).to.deep.equal(['0', '1', '2', '3']);
    await loop.pass(1_001);
    loop.turns.begin('a').end();
    await loop.turn(4);
    expect(loop.done).to.deep.equal(['0', '1', '2', '3', '4', '5']);
  });

  it('are for the next of them when one only waits for its client to read', async () => {
    const loop = new Loop();
    const questions = Array.from({ length: 4 }, (_, i) => {
      const question = loop.turns.begin('a');
      const work = async () => {
        await question.spend(PIECE);
        loop.done.push(String(i));
      };
      return { ...question, work };
    });
    loop.turns.begin('b').end();
    for (const { work } of questions) void work();
    await loop.turn(4);
    expect(loop.done).to.deep.equal(['0', '1']);
    await loop.pass(900);
    void questions[1]?.work();
    await loop.turn(2);
    await loop.pass(150);
    loop.turns.begin('b').end();
    await loop.turn(4);
    expect(loop.done).to.deep.equal(['0', '1', '1', '2']);
  });

  it('are begun again after all have been served', async () => {
    const loop = new Loop();
    loop.ask('a', 1);
    await loop.turn(3);
    loop.ask('b', 1);
    await loop.turn(2);
    expect(loop.done).to.deep.equal(['a', 'b']);
  });
});
