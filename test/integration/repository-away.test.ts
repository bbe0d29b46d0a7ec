// A repository that goes away under a VM: each door says so soon, once and in one sentence, and serves again when it is back.
import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { pino } from 'pino';
import { UNAVAILABLE, UNAVAILABLE_FIELD } from '../../epcis/domain/unavailable.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { startEpcisServer, type EpcisServer } from '../../epcis/server.ts';
import { freshMariaDb, startMariaDb, type MariaDb } from '../helpers/mariadb.ts';
import { until } from '../helpers/until.ts';

const example = (name: string): string =>
  readFileSync(new URL(`../../epcis/examples/${name}`, import.meta.url), 'utf8');

/** Another event each time. */
const captureDocument = (n: number): string =>
  example('document.jsonld').replace(/"urn:uuid:[^"]*"/, `"urn:example:${n}"`);
const objectEvent = (n: number): string => {
  const { '@context': context, epcisBody } = JSON.parse(captureDocument(n)) as {
    readonly '@context': unknown;
    readonly epcisBody: { readonly eventList: readonly object[] };
  };
  return JSON.stringify({ '@context': context, ...epcisBody.eventList[0], eventID: `urn:example:single:${n}` });
};
const pollDocument = example('poll.xml');

const JSON_TYPE = { 'Content-Type': 'application/json' };
const XML_TYPE = { 'Content-Type': 'text/xml' };

interface Door {
  readonly path: string;
  readonly init?: RequestInit;
  /** What is read may go on where nothing can be written. */
  readonly writes: boolean;
}

const doors = (n: number): readonly Door[] => [
  { path: '/events', writes: false },
  { path: '/capture', init: { method: 'POST', headers: JSON_TYPE, body: captureDocument(n) }, writes: true },
  { path: '/events', init: { method: 'POST', headers: JSON_TYPE, body: objectEvent(n) }, writes: true },
  { path: '/epcis-repository/query', init: { method: 'POST', headers: XML_TYPE, body: pollDocument }, writes: false },
];

/** Well below the patience of a client. */
const SOON_MS = 6_000;

describe('a repository that goes away under a VM', function () {
  this.timeout(120_000);
  let server: EpcisServer;
  const lines: string[] = [];
  let n = 0;

  const start = async (url: string): Promise<void> => {
    const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
    server = await startEpcisServer({ repository: { url }, port: 0, log });
  };
  afterEach(async () => {
    await server.close();
    lines.splice(0);
  });

  const ask = ({ path, init }: Door) => fetch(new URL(path, server.address), init);

  const expectAllWell = async (): Promise<void> => {
    for (const door of doors(n++)) {
      const answer = await ask(door);
      expect(answer.status, `${door.path}: ${await answer.text()}`).to.be.lessThan(300);
    }
  };

  /** Each door at once, and what it says. */
  const expectAway = async (asked: readonly Door[], sentence: RegExp): Promise<void> => {
    const began = performance.now();
    await Promise.all(
      asked.map(async (door) => {
        const answer = await ask(door);
        const text = await answer.text();
        expect(answer.status, `${door.path}: ${text}`).to.equal(503);
        expect(answer.headers.get('Retry-After')).to.equal('5');
        expect(answer.headers.get(UNAVAILABLE_FIELD)).to.equal(UNAVAILABLE);
        expect(text)
          .to.match(sentence)
          .and.not.to.match(/sqlite|mysql|127\.0\.0\.1|stack/i);
      }),
    );
    expect(performance.now() - began).to.be.lessThan(SOON_MS);
  };

  const ready = () => fetch(new URL('/ready', server.address));
  const notReady = () => until('it is noticed', async () => (await ready()).status === 503, 5_000);
  const GONE = /The repository does not answer at present: send the request again later\./;

  describe('a MariaDB', () => {
    let database: MariaDb;
    beforeEach(async () => {
      database = await startMariaDb();
      await start(database.url('away'));
      await expectAllWell();
    });
    afterEach(() => database.stop());

    it('that is ended', async () => {
      await database.kill();
      await expectAway(doors(n++), GONE);
      const { status, headers } = await ready();
      expect([status, headers.get(UNAVAILABLE_FIELD)]).to.deep.equal([503, UNAVAILABLE]);
      await expectAway(doors(n++), GONE);
      const told = lines.filter((line) => line.includes('The repository does not answer, or cannot be written to'));
      expect(told.length, lines.join('')).to.be.within(1, 2);
      expect(lines.join(''), 'a stack').not.to.include('node_modules').and.not.to.include('.ts:');
      await database.start();
      await until('it is ready', async () => (await ready()).status === 200, 20_000);
      await expectAllWell();
    });

    it('that says nothing any more', async () => {
      await database.freeze();
      await expectAway(doors(n++), GONE);
      await expectAway(doors(n++), GONE);
      database.thaw();
      await until('it is ready', async () => (await ready()).status === 200, 20_000);
      await expectAllWell();
    });
  });

  describe('a MariaDB that runs', () => {
    it('and whose repository is replaced by an empty one, until the one of before is put back', async () => {
      const url = await freshMariaDb();
      await start(url);
      await expectAllWell();
      const other = await openDatabase({ url });
      const tables = await other.all(
        'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()',
      );
      const names = tables.map(({ name }) => String(name));
      const rename = (from: string, to: string) =>
        other.all(`RENAME TABLE ${names.map((name) => `${from}${name} TO ${to}${name}`).join(', ')}`);
      await other.all('SET foreign_key_checks = 0');
      await rename('', 'away_');
      await expectAway(doors(n++), /The repository cannot be read at present: its operator has to look after it\./);
      expect(lines.join('')).to.match(/doesn't exist/);
      expect(lines.join(''), 'a stack').not.to.include('node_modules').and.not.to.include('.ts:');
      await rename('away_', '');
      await expectAllWell();
      await other.close();
    });
  });

  describe('a SQLite file', () => {
    let folder: string;
    let file: string;
    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'mmeliot-away-'));
      file = join(folder, 'epcis.db');
      await start(`sqlite://${file}`);
      await expectAllWell();
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    it('that was moved away, and put back', async () => {
      renameSync(file, `${file}.away`);
      await notReady();
      await expectAway(doors(n++), GONE);
      expect(lines.join('')).to.include(`${file} is not there any more: put it back`);
      renameSync(`${file}.away`, file);
      await until('it is ready', async () => (await ready()).status === 200, 5_000);
      await expectAllWell();
    });

    it('that is another one now, which is said', async () => {
      renameSync(file, `${file}.away`);
      new DatabaseSync(file).close();
      await notReady();
      await expectAway(doors(n++), GONE);
      expect(lines.join('')).to.include('is another one than the VM opened');
    });

    it('that another process keeps locked: what is read goes on', async () => {
      const other = new DatabaseSync(file);
      other.exec('BEGIN IMMEDIATE');
      const [reading, , , polling] = doors(n++) as [Door, Door, Door, Door];
      for (const door of [reading, polling]) expect((await ask(door)).status).to.equal(200);
      const [, , writing] = doors(n++) as [Door, Door, Door];
      const answer = await ask(writing);
      expect(answer.status).to.equal(503);
      expect(await answer.text()).to.include('Another process keeps the repository from being written to');
      other.exec('ROLLBACK');
      other.close();
      await expectAllWell();
    });
  });
});
