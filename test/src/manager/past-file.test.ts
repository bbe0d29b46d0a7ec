import { expect } from 'chai';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BoundRecord } from '../../../src/loop/history.ts';
import { openPastFile } from '../../../src/manager/past-file.ts';
import { ScriptedSource } from '../admin/scripted-source.ts';

const LEVELS = [
  { every: 60_000, keep: 10 },
  { every: 600_000, keep: 5 },
];

describe('the past on disk', () => {
  let folder: string;
  let problems: string[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mmeliot-past-'));
    problems = [];
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const open = (records: readonly BoundRecord[] = []) =>
    openPastFile({ folder, levels: LEVELS, onProblem: ({ message }) => void problems.push(message) }, records);

  function played(periods: number): readonly BoundRecord[] {
    const source = new ScriptedSource();
    for (let i = 0; i < periods; i++) source.play(50, { lost: i % 6 === 0 ? 1 : 0 });
    return source.records;
  }

  it('survives a restart, with the torn line of a killed process and what only the journal knows', async () => {
    const records = played(102);
    const first = await open();
    for (const record of records.slice(0, 80)) first.add(record);
    await first.flush();
    appendFileSync(join(folder, 'past-60s.jsonl'), '\n{"at":17674');
    const again = await open(records.slice(60, 90).toReversed());
    for (const record of records.slice(90)) again.add(record);
    await again.flush();
    const points = again.read(0, Infinity, []);
    const { at } = records.at(-1) as BoundRecord;
    expect(points.at(-1)?.at).to.equal(at);
    const late = again.read(at - 300_000, at, []);
    expect(late.reduce((sum, { lost }) => sum + lost, 0)).to.equal(5);
    expect(late.every(({ span }) => span <= 60_000)).to.equal(true);
    expect(problems).to.deep.equal([]);
  });

  it('is bounded', async () => {
    const past = await open();
    for (const record of played(1_000)) past.add(record);
    await past.flush();
    expect(readdirSync(folder).sort()).to.deep.equal(['past-600s.jsonl', 'past-60s.jsonl']);
    const lines = readFileSync(join(folder, 'past-60s.jsonl'), 'utf8').split('\n').filter(Boolean);
    expect(lines.length).to.be.within(10, 20);
    expect(statSync(join(folder, 'past-60s.jsonl')).size / lines.length, 'bytes a point').to.be.below(800);
  });

  it('tells once that it cannot be written, and goes on', async () => {
    const past = await open();
    rmSync(folder, { recursive: true });
    for (const record of played(30)) past.add(record);
    await past.flush();
    expect(problems).to.have.length(1);
    expect(past.read(0, Infinity, []).length).to.be.above(3);
    folder = mkdtempSync(join(tmpdir(), 'mmeliot-past-'));
  });
});
