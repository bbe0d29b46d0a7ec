// A database that answers wrongly on purpose harms by wrong data only: it gets no file and no password, runs nothing, ends no VM and
// fills no memory.
import { connect, createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { MOST_SAID } from '../../epcis/repository/database/most-said.ts';
import type { OpenDatabase } from '../../epcis/repository/database/database.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import { seeded } from '../../src/random.ts';
import {
  column,
  END,
  EXECUTE,
  GREETING,
  honestly,
  OK,
  packet,
  PREPARE,
  QUIT,
  startEvil,
  text,
  type Evil,
  type EvilDatabase,
} from '../helpers/evil-database.ts';
import { listening } from '../helpers/listening.ts';
import { startMariaDb, type MariaDb } from '../helpers/mariadb.ts';

/** Every way of asking it; what came of it in a word or two. */
async function ask(url: string): Promise<string> {
  const database = await openDatabase({ url, poolSize: 2 });
  try {
    return JSON.stringify(await database.all('SELECT 1'));
  } finally {
    await database.close();
  }
}
const outcomeOf = (url: string): Promise<string> =>
  ask(url).catch((error: Error & { cause?: Error }) => `${error.message} ${error.cause?.message ?? ''}`);

/** What the driver prints of its own accord meanwhile. */
const printed: unknown[] = [];
const { error, trace } = console;

describe('an evil database', function () {
  this.timeout(120_000);
  beforeEach(() => {
    printed.length = 0;
    const print = (...line: unknown[]) => void printed.push(line);
    Object.assign(console, { error: print, trace: print });
  });
  afterEach(() => void Object.assign(console, { error, trace }));

  const tried = async (evil: Evil): Promise<{ said: string; heard: string }> => {
    const database = await startEvil(evil);
    try {
      return { said: await outcomeOf(database.url), heard: database.heard() };
    } finally {
      database.close();
    }
  };

  it('gets no file that it asks for', async () => {
    const { said, heard } = await tried({
      answers: (to) => void to.write(packet(1, Buffer.concat([Buffer.of(0xfb), Buffer.from('/etc/passwd')]))),
    });
    expect(said).to.match(/cannot be reached/);
    expect(heard).not.to.include('root:');
  });

  it('gets no password in plain text, whichever way of logging in it asks for', async () => {
    for (const plugin of ['mysql_clear_password', 'dialog', 'toString', '__proto__', '']) {
      const { said, heard } = await tried({
        lets: (to, n) => void to.write(packet(n, Buffer.from(`\xfe${plugin}\0${'x'.repeat(20)}\0`, 'latin1'))),
      });
      expect(said, plugin).to.match(/cannot be reached as user "epcis"/);
      expect(said + heard, plugin).not.to.include('open-sesame');
    }
  });

  it('runs nothing by what it names a column', async () => {
    const names = [
      "');globalThis.taken=1;('",
      '"+(globalThis.taken=1)+"',
      '`${globalThis.taken=1}`',
      '__proto__',
      '\\',
    ];
    for (const name of names) {
      const result = [packet(1, Buffer.of(1)), packet(2, column(name)), packet(3, END)];
      result.push(packet(4, text('x')), packet(5, END));
      const { said } = await tried({ answers: (to) => void to.write(Buffer.concat(result)) });
      expect(said, name).to.be.a('string');
      expect(globalThis).not.to.have.property('taken');
      expect({}).not.to.have.property('0');
    }
  });

  it('fills no memory, by rows without end nor by one that never ends', async () => {
    const rows = Buffer.concat([packet(1, Buffer.of(1)), packet(2, column('version')), packet(3, END)]);
    // of 64 KB each, and as many as there are numbers of packets
    const long = Buffer.concat([Buffer.of(0xfd, 0, 0, 1), Buffer.alloc(1 << 16, 'x')]);
    const row = Buffer.concat(Array.from({ length: 256 }, (_, n) => packet((n + 4) % 256, long)));
    const huge = Buffer.alloc(0xffffff + 4, 'x');
    huge.writeUIntLE(0xffffff, 0, 3);
    for (const piece of [row, huge]) {
      let sent = 0;
      const { said } = await tried({
        answers: (to) => {
          const more = (): void => {
            sent += piece.length;
            to.write(piece);
          };
          to.on('drain', more).write(rows);
          more();
        },
      });
      expect(said).to.include('said more than an answer holds');
      expect(sent).to.be.lessThan(4 * MOST_SAID);
    }
  });

  it('fills no log by packets out of order', async () => {
    const rows = Buffer.concat([packet(1, Buffer.of(1)), packet(2, column('version')), packet(3, END)]);
    const disorder = Buffer.concat(Array.from({ length: 5_000 }, () => packet(9, text('x'))));
    const { said } = await tried({ answers: (to) => void to.write(Buffer.concat([rows, disorder])) });
    expect(said).to.include('packets out of order');
    // one each of its connections
    expect(printed.length).to.be.lessThan(50);
  });

  const TIMES: Record<string, (question: Buffer) => boolean> = {
    'while nobody asks': () => false,
    'before a login': () => false,
    'to a login': () => false,
    'to a first question': (question) => question.includes('VERSION'),
    'to a transaction': (question) => question.includes('START TRANSACTION'),
    'to its end': (question) => question.includes('COMMIT'),
    'to a statement': (question) => question[4] === PREPARE,
    'to its values': (question) => question[4] === EXECUTE,
    'to a farewell': (question) => question[4] === QUIT,
  };
  const head = Buffer.concat([packet(1, Buffer.of(1)), packet(2, column('x'))]);
  const failure = packet(0, Buffer.from('\xff\x88\x13#HY000no', 'latin1'));
  const WORDS: Record<string, Buffer> = {
    'two answers too many': Buffer.concat([packet(1, OK), packet(1, OK), packet(1, OK)]),
    'failures of nothing': Buffer.concat([failure, failure, failure]),
    'a failure without a word': Buffer.concat([packet(1, OK), packet(2, Buffer.of(0xff))]),
    'columns without an end': Buffer.concat([head, packet(3, text('x')), packet(4, text('x')), packet(5, text('x'))]),
    'rows out of order': Buffer.concat([head, packet(3, END), packet(9, text('x')), packet(8, text('x'))]),
    'empty packets': Buffer.concat([packet(1, Buffer.alloc(0)), packet(2, Buffer.alloc(0))]),
  };
  const opened = async (evil: Evil, work: (database: OpenDatabase, server: EvilDatabase) => Promise<void>) => {
    const server = await startEvil(evil);
    try {
      const open = () => openDatabase({ url: server.url, readUrl: server.url, poolSize: 2 });
      // whoever opens it asks already, and may be refused
      const database = await open().catch(open);
      await work(database, server).finally(() => database.close());
    } finally {
      server.close();
    }
  };
  for (const [time, isIt] of Object.entries(TIMES))
    it(`keeps nobody waiting and ends no process by what it says ${time}`, async () => {
      for (const [what, words] of Object.entries(WORDS)) {
        let isGood = false; // it is evil once
        const once = (): boolean => !isGood && (isGood = true);
        const evil: Evil = {
          ...(time === 'before a login' && { greets: (to) => void to.write(once() ? words : packet(0, GREETING)) }),
          ...(time === 'to a login' && { lets: (to) => void to.write(once() ? words : packet(2, OK)) }),
          answers: (to, question) => void (isIt(question) && once() ? to.write(words) : honestly(to, question)),
        };
        await opened(evil, async (database, server) => {
          if (time === 'while nobody asks') server.says(words);
          const taken = async (): Promise<void> => {
            for await (const rows of database.stream('SELECT x')) void rows;
          };
          const transaction = database.transaction((connection) => connection.all('SELECT x'));
          await Promise.allSettled([transaction, taken(), database.replica?.all('SELECT x')]);
          expect(await database.all('SELECT x'), what).to.deep.equal([{ x: 'x' }]);
        });
      }
    });

  it('keeps nobody who greets it with noise', async () => {
    const random = seeded(18);
    for (let n = 0; n < 20; n++) {
      const noise = Buffer.from(Array.from({ length: 80 }, () => Math.floor(random() * 256)));
      const greets = (to: Socket): void => void to.end(n % 2 === 0 ? packet(0, noise) : noise);
      const { said } = await tried({ greets });
      expect(said).to.match(/cannot be reached/);
    }
  });
});

describe('a database whose answers are changed on the way', function () {
  this.timeout(240_000);
  before(() => {
    Object.assign(console, { error: () => undefined, trace: () => undefined });
  });
  after(() => void Object.assign(console, { error, trace }));
  let server: MariaDb;
  before(async () => {
    server = await startMariaDb();
    const database = await openDatabase({ url: server.url('noisy') });
    await migrate(database);
    await database.close();
  });
  after(() => server.stop());

  /** Passes on what the server says with some of its bytes changed, and hangs up soon after; two of three do. */
  const startNoise = async (seed: number) => {
    const random = seeded(seed);
    const below = (end: number): number => Math.floor(random() * end);
    const sockets = new Set<Socket>();
    const noise = createServer((near) => {
      const far = connect(server.port, '127.0.0.1');
      for (const socket of [near, far]) sockets.add(socket.on('error', () => {}));
      near.pipe(far).on('close', () => near.destroy());
      near.on('close', () => far.destroy());
      far.on('data', (data) => {
        if (seed % 3 > 0 && random() < 0.3) {
          for (let n = below(4); n >= 0; n--) data[below(data.length)] = below(256);
          // what it waits for now may never come
          setTimeout(() => near.destroy(), 300).unref();
        }
        near.write(data);
      });
    });
    const port = await listening(noise);
    return {
      url: server.url('noisy').replace(`:${server.port}/`, `:${port}/`),
      close: () => {
        noise.close();
        for (const socket of sockets) socket.destroy();
      },
    };
  };

  it('costs the question, and nothing else', async () => {
    const outcomes: string[] = [];
    for (let seed = 1; seed <= 15; seed++) {
      const noise = await startNoise(seed);
      const outcome = (async () => {
        const database = await openDatabase({ url: noise.url, poolSize: 2 });
        try {
          await database.all('SELECT id, value FROM term');
          for await (const rows of database.stream('SELECT version FROM schema_version')) void rows;
          await database.transaction((connection) => connection.all('SELECT head FROM feed_counter'));
          return 'ok';
        } finally {
          await database.close();
        }
      })().catch((error: Error) => error.message);
      outcomes.push(await outcome);
      noise.close();
    }
    // rejections that nobody handles, and errors that nobody catches, fail the run
    expect(outcomes.filter((_, i) => (i + 1) % 3 === 0)).to.deep.equal(Array(5).fill('ok'));
    expect(outcomes.filter((one) => one !== 'ok')).not.to.deep.equal([]);
  });
});
