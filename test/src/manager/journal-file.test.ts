import { expect } from 'chai';
import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_PARAMETERS } from '../../../src/decide/parameters.ts';
import type { JournalEntry } from '../../../src/loop/journal.ts';
import { openJournalFile, readJournal } from '../../../src/manager/journal-file.ts';

describe('journal file', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mmeliot-journal-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const entry = (at: number): JournalEntry => ({ kind: 'change', at, who: 'eva', patch: { high: 80 } });
  const head = (): JournalEntry => ({ kind: 'settings', at: 0, parameters: DEFAULT_PARAMETERS, history: [] });

  it('gives back what was appended, over a restart, without the torn last line of a killed process', async () => {
    const first = openJournalFile({ folder });
    first.append(entry(1), head);
    await first.flush();
    const second = openJournalFile({ folder });
    second.append(entry(2), head);
    await second.flush();
    appendFileSync(join(folder, 'journal.jsonl'), '{"kind":"chan');
    expect(await readJournal(folder)).to.deep.equal([entry(1), entry(2)]);
    expect(await readJournal(join(folder, 'journal.jsonl'))).to.deep.equal([entry(1), entry(2)]);
    const third = openJournalFile({ folder });
    third.append(entry(3), head);
    await third.flush();
    expect(await readJournal(folder)).to.deep.equal([entry(1), entry(2), entry(3)]);
  });

  it('starts a new file when one is full, keeps only so many, and each begins with the settings', async () => {
    const journal = openJournalFile({ folder, maxBytes: 200, files: 3 });
    for (let at = 1; at <= 40; at++) {
      journal.append(entry(at), head);
      if (at % 7 === 0) await journal.flush();
    }
    await journal.flush();
    const names = readdirSync(folder).sort();
    expect(names).to.deep.equal(['journal.1.jsonl', 'journal.2.jsonl', 'journal.jsonl']);
    for (const name of names) expect((await readJournal(join(folder, name)))[0]).to.deep.equal(head());
    const times = (await readJournal(folder))
      .filter(({ kind }) => kind === 'change')
      .map((one) => 'at' in one && one.at);
    expect(times.at(-1)).to.equal(40);
    expect(times).to.deep.equal([...times].sort((a, b) => Number(a) - Number(b)));
    expect((await readJournal(folder, 1)).at(-1)).to.deep.equal(entry(40));
  });

  it('begins a line of its own behind one that was torn when there was no room', async () => {
    const path = join(folder, 'journal.jsonl');
    const journal = openJournalFile({ folder });
    journal.append(entry(1), head);
    await journal.flush();
    // what a full disk leaves: an append that fails, and the beginning of its line
    renameSync(path, `${path}.aside`);
    mkdirSync(path);
    journal.append(entry(2), head);
    await journal.flush();
    rmdirSync(path);
    renameSync(`${path}.aside`, path);
    appendFileSync(path, '{"kind":"chan');
    journal.append(entry(3), head);
    await journal.flush();
    expect(await readJournal(folder)).to.deep.equal([entry(1), entry(3)]);
  });

  it('gives up no older file for lines that had no room', async () => {
    const [path, oldest] = [join(folder, 'journal.jsonl'), join(folder, 'journal.2.jsonl')];
    const journal = openJournalFile({ folder, maxBytes: 2000, files: 3 });
    const append = async (at: number): Promise<void> => {
      journal.append(entry(at), head);
      await journal.flush();
    };
    for (let at = 1; at <= 70; at++) await append(at);
    const kept = readFileSync(oldest, 'utf8');
    renameSync(path, `${path}.aside`);
    symlinkSync('/dev/full', path);
    for (let at = 71; at <= 130; at++) await append(at);
    expect(lstatSync(path).isSymbolicLink(), 'it was not put aside').to.equal(true);
    expect(readFileSync(oldest, 'utf8')).to.equal(kept);
    rmSync(path);
    renameSync(`${path}.aside`, path);
    await append(131);
    expect((await readJournal(folder)).at(-1)).to.deep.equal(entry(131));
  });

  it('of a folder without one is empty', async () => {
    expect(await readJournal(join(folder, 'nothing'))).to.deep.equal([]);
  });

  it('says once that it can not be written, and goes on', async () => {
    const problems: Error[] = [];
    const journal = openJournalFile({ folder, onProblem: (error) => problems.push(error) });
    rmSync(folder, { recursive: true });
    for (const at of [1, 2]) {
      journal.append(entry(at), head);
      await journal.flush();
    }
    expect(problems).to.have.length(1);
    openJournalFile({ folder });
    journal.append(entry(3), head);
    await journal.flush();
    expect(await readJournal(folder)).to.deep.equal([entry(3)]);
  });
});
