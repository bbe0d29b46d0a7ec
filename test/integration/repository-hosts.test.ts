// A repository URL with several hosts, members of one cluster: one that is lost, or says nothing any more, costs a retry at the next.
import { connect, createServer, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import type { Database, OpenDatabase } from '../../epcis/repository/database/database.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { reachable } from '../../epcis/repository/database/reachable.ts';
import { listening } from '../helpers/listening.ts';
import { startMariaDb, type MariaDb } from '../helpers/mariadb.ts';
import { until } from '../helpers/until.ts';

/** On the way to a server. */
class Way {
  /** That were ever made. */
  connections = 0;
  #isSilent = false;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(to: number) {
    this.#server = createServer((near) => {
      this.connections += 1;
      const far = connect(to, '127.0.0.1');
      for (const [from, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(from);
        from.on('error', () => {}).on('close', () => other.destroy());
        from.on('data', (data) => void (this.#isSilent || other.write(data)));
      }
    });
  }

  async open(): Promise<number> {
    return listening(this.#server);
  }

  /** It swallows what is said, either way, and takes connections as before. */
  silence(): void {
    this.#isSilent = true;
  }

  /** It refuses. */
  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

describe('the hosts of one repository URL', function () {
  this.timeout(60_000);
  let server: MariaDb;
  let operator: OpenDatabase;
  let ways: [Way, Way, Way];
  let inner: OpenDatabase;
  let database: Database;
  const told: unknown[] = [];
  before(async () => {
    server = await startMariaDb();
    operator = await openDatabase({ url: server.url('hosts') });
  });
  after(async () => {
    await operator.close();
    await server.stop();
  });
  beforeEach(async () => {
    ways = [new Way(server.port), new Way(server.port), new Way(server.port)];
    const hosts = await Promise.all(ways.map(async (way) => `127.0.0.1:${await way.open()}`));
    inner = await openDatabase({ url: server.url('hosts').replace(/127\.0\.0\.1:\d+/, hosts.join()) });
    told.splice(0);
    database = reachable(inner, (why) => told.push(why));
  });
  afterEach(async () => {
    for (const way of ways) way.close();
    await database.close();
  });

  /** That answer when the operator lets them. */
  const underWay = async (
    statements: number,
  ): Promise<{ answers: Promise<unknown>; letThem: () => Promise<unknown> }> => {
    const lock = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const locking = operator.transaction(async (connection) => {
      await connection.all("SELECT GET_LOCK('hosts', 10)");
      locked.resolve();
      await lock.promise;
      await connection.all("SELECT RELEASE_LOCK('hosts')");
    });
    await locked.promise;
    const ask = `SELECT GET_LOCK('hosts', 30) AS held, RELEASE_LOCK('hosts')`;
    const streamed = async () => {
      for await (const rows of database.stream(ask)) return rows;
      return [];
    };
    const answers = Promise.all(
      Array.from({ length: statements }, (_, n) => (n === 0 ? streamed() : database.all(ask))),
    );
    answers.catch(() => undefined);
    await until('they wait', async () => {
      const waiting = `SELECT COUNT(*) AS n FROM information_schema.processlist WHERE info = ?`;
      return Number((await operator.all(waiting, [ask]))[0]?.['n']) === statements;
    });
    return { answers, letThem: () => (lock.resolve(), locking) };
  };

  it('are asked in turn: the next goes on with what the one in use broke off, however much that was', async () => {
    const { answers, letThem } = await underWay(3);
    ways[0].close();
    await letThem();
    await answers;
    expect(ways.map(({ connections }) => connections > 0)).to.deep.equal([true, true, false]);
  });

  it('are left where they say nothing any more, whoever waits for them, and nobody is told that the repository is away', async () => {
    // as many as there are hosts, and one that reads: told of each, the one in use would be the same again
    const { answers, letThem } = await underWay(4);
    ways[0].silence();
    const more = Array.from({ length: 8 }, () => database.all('SELECT 1'));
    await Promise.all(more);
    await letThem();
    await answers;
    expect(told).to.deep.equal([]);
    expect(ways[2].connections).to.equal(0);
  });
});
