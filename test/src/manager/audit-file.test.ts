import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openAuditFile } from '../../../src/manager/audit-file.ts';

describe('the audit log', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mmeliot-audit-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const open = (mostBytes = 1_000) => {
    const onProblem = (error: Error) => {
      throw error;
    };
    return openAuditFile({ file: join(folder, 'audit.jsonl'), now: () => 0, onProblem, mostBytes });
  };
  const entry = (n: number) => ({ who: 'eva', from: '::1', what: 'PATCH /api/parameters', change: { n }, status: 200 });

  it('tells the latest first, also those of before a restart and behind a torn line', async () => {
    const log = open();
    log.note(entry(1));
    await log.flush();
    // of a process that was killed, or when the disk was full; it may end as a whole one does
    appendFileSync(join(folder, 'audit.jsonl'), '{"at":"19","change":{"n":7}');
    const again = open();
    again.note(entry(2));
    const latest = await again.latest(5);
    expect(latest.map(({ change }) => change)).to.deep.equal([{ n: 2 }, { n: 1 }]);
    expect(latest[0]).to.deep.equal({ at: '1970-01-01T00:00:00.000Z', ...entry(2) });
    expect(await again.latest(1)).to.have.lengthOf(1);
    expect(statSync(join(folder, 'audit.jsonl')).mode & 0o777).to.equal(0o600);
  });

  it('never grows beyond two files', async () => {
    const log = open();
    for (let n = 0; n < 100; n++) log.note(entry(n));
    const latest = await log.latest(1_000);
    expect(latest[0]?.change).to.deep.equal({ n: 99 });
    expect(latest.length).to.be.within(8, 16);
    for (const name of ['audit.jsonl', 'audit.1.jsonl']) expect(statSync(join(folder, name)).size).to.be.below(1_001);
  });

  it('tells of a long change without it', async () => {
    const log = open(100_000);
    log.note({ ...entry(1), change: 'x'.repeat(20_000) });
    expect((await log.latest(1))[0])
      .to.include({ who: 'eva', status: 200 })
      .and.not.have.property('change');
  });
});
