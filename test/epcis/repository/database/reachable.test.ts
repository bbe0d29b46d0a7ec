import { expect } from 'chai';
import type { OpenDatabase } from '../../../../epcis/repository/database/database.ts';
import { RepositoryError } from '../../../../epcis/repository/database/errors.ts';
import { reachable, whyUnavailable } from '../../../../epcis/repository/database/reachable.ts';
import { UnavailableError } from '../../../../epcis/domain/unavailable.ts';
import { until } from '../../../helpers/until.ts';

const PATIENCE = { suspectMs: 20, patienceMs: 60, pingMs: 40, againMs: 5 };
const LOST = Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });
const never = (): Promise<never> => new Promise(() => {});

/** A database that answers, refuses or says nothing, as the test will have it. */
class Played implements OpenDatabase {
  readonly dialect = 'mysql';
  answer: () => Promise<unknown> = async () => 0;
  pinged: () => Promise<void> = async () => {};
  abandoned = 0;
  all = async (): Promise<never> => (await this.answer()) as never;
  run = async (): Promise<number> => (await this.answer()) as number;
  async *stream(): AsyncGenerator<never> {
    yield (await this.answer()) as never;
  }
  transaction: OpenDatabase['transaction'] = (work) => work(this);
  ping = (): Promise<void> => this.pinged();
  abandon = (): void => void (this.abandoned += 1);
  close = async (): Promise<void> => {};
}

const failing = (act: () => Promise<unknown>): Promise<Error> =>
  act().then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error as Error,
  );

describe('a database that may go away', () => {
  const told: unknown[] = [];
  let inner: Played;
  let database: ReturnType<typeof reachable>;
  beforeEach(() => {
    told.splice(0);
    inner = new Played();
    database = reachable(inner, (why) => told.push(why), PATIENCE);
  });
  afterEach(() => database.close());

  const goesAway = (how: () => Promise<never>): void => {
    inner.answer = how;
    inner.pinged = how;
  };

  for (const [name, how] of [
    ['refuses', () => Promise.reject(LOST)],
    ['says nothing any more', never],
  ] as const)
    it(`that ${name} is given up soon, whatever waits for it, and asked for again until it answers`, async () => {
      goesAway(how);
      const stream = async (): Promise<void> => {
        for await (const rows of database.stream('SELECT 1')) void rows;
      };
      const all = [
        () => database.all('SELECT 1'),
        () => database.run('DELETE'),
        () => database.transaction((one) => one.run('INSERT')),
        stream,
      ];
      for (const error of await Promise.all(all.map(failing))) expect(error).to.be.instanceOf(UnavailableError);
      if (how === never) {
        expect(inner.abandoned).to.equal(1);
        // who comes later does not wait at all
        inner.answer = () => expect.fail('it was asked');
        expect(await failing(() => database.all('SELECT 1'))).to.be.instanceOf(UnavailableError);
      }
      inner.pinged = async () => {};
      inner.answer = async () => 7;
      await until('it is back', () =>
        database.run('DELETE').then(
          (changed) => changed === 7,
          () => false,
        ),
      );
      if (how === never) expect(told.at(-1)).to.equal(undefined);
    });

  it('that is only slow is waited for', async () => {
    const late = Promise.withResolvers<number>();
    inner.answer = () => late.promise;
    const slow = database.run('UPDATE');
    await new Promise((resolve) => setTimeout(resolve, 4 * PATIENCE.patienceMs));
    late.resolve(3);
    expect(await slow).to.equal(3);
    expect(told).to.deep.equal([]);
  });

  it('does not commit what was given up', async () => {
    const gate = Promise.withResolvers<void>();
    let ended: Promise<string> | undefined;
    inner.transaction = (work) => {
      const result = work(inner);
      ended = result.then(
        () => 'committed',
        () => 'taken back',
      );
      return result;
    };
    goesAway(never);
    const error = failing(() =>
      database.transaction(async (one) => {
        void one.run('INSERT');
        await gate.promise;
      }),
    );
    expect(await error).to.be.instanceOf(UnavailableError);
    gate.resolve();
    expect(await ended).to.equal('taken back');
  });

  it('leaves an error of the statement as it is', async () => {
    const wrong = Object.assign(new Error('no such column'), { code: 'ER_BAD_FIELD_ERROR' });
    inner.answer = () => Promise.reject(wrong);
    expect(await failing(() => database.all('SELECT'))).to.equal(wrong);
  });

  it('has a sentence for each of its errors that names no server and no file', () => {
    const ofFile = (errcode: number) => Object.assign(new Error('/secret/path'), { errcode });
    const all = [
      LOST,
      ofFile(8),
      ofFile(776),
      ofFile(10),
      ofFile(13),
      ofFile(14),
      new RepositoryError('REPOSITORY_BUSY', ''),
      Object.assign(new Error("Table '/secret/event' doesn't exist"), { code: 'ER_NO_SUCH_TABLE' }),
    ];
    for (const error of all) expect(whyUnavailable(error)).to.match(/^[A-Z][^/]+\.$/);
    expect(whyUnavailable(ofFile(19))).to.equal(undefined);
  });
});
