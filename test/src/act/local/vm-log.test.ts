import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { keepLog, lastLine, rotate } from '../../../../src/act/local/vm-log.ts';

describe('the log of a local VM', () => {
  let folder: string;
  let log: string;
  const printed = (text: string) => writeFileSync(log, text);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mmeliot-vm-log-'));
    log = join(folder, 'vm.log');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('stays as it is while it is short', async () => {
    printed('short\n');
    await rotate(log, 100);
    expect(readFileSync(log, 'utf8')).to.equal('short\n');
    expect(existsSync(`${log}.1`)).to.equal(false);
  });

  it('is moved aside when it is long, and never takes more than its bounds', async () => {
    for (let round = 0; round < 5; round++) {
      printed(`${'x'.repeat(400_000)}${round}`);
      await rotate(log, 300_000);
      expect(readFileSync(log, 'utf8')).to.equal('');
      expect(readFileSync(`${log}.1`, 'utf8'))
        .to.have.length(256_000)
        .and.match(new RegExp(`x${round}$`));
    }
    expect(readdirSync(folder)).to.have.length(2);
  });

  it('is cut even where there is no room to move it aside', async () => {
    printed('x'.repeat(400));
    mkdirSync(`${log}.1`); // a folder can't be written as a file
    await rotate(log, 300);
    expect(readFileSync(log, 'utf8')).to.equal('');
  });

  it('is kept of the last 20 VMs that are gone, its end only', async () => {
    const ended = join(folder, 'ended');
    for (let number = 1; number <= 25; number++) {
      printed(`${'y'.repeat(number === 25 ? 300_000 : 1)}\nend of ${number}\n`);
      expect(await keepLog(log, ended, `vm-${number}`)).to.equal(join(ended, `vm-${number}.log`));
    }
    expect(readdirSync(ended)).to.have.length(20).and.include('vm-6.log').and.not.include('vm-5.log');
    expect(readFileSync(join(ended, 'vm-25.log'), 'utf8'))
      .to.have.length(256_000)
      .and.match(/end of 25\n$/);
  });

  it('is not kept where nothing was printed', async () => {
    printed('');
    expect(await keepLog(log, join(folder, 'ended'), 'vm-1')).to.equal(undefined);
    expect(existsSync(join(folder, 'ended'))).to.equal(false);
  });

  const LAST: readonly (readonly [what: string, printed: string, line: string | undefined])[] = [
    ['a sentence', 'first\nlast one\n', 'last one'],
    ['what went wrong, not its stack', 'Error: no port\n    at listen (x.js:1)\n\nNode.js v24.1.0\n', 'Error: no port'],
    ['an error that was printed as an object', 'Error: no port {\n  code: 1\n}\n', 'Error: no port {'],
    [
      'the message of a line of JSON',
      '{"level":"error","msg":"Failed","err":{"message":"no port"}}\n',
      'Failed: no port',
    ],
    ['JSON that is none of ours', '{"a":1}\n', '{"a":1}'],
    ['200 letters of a long one', 'z'.repeat(300), `${'z'.repeat(200)}…`],
    ['nothing of an empty one', '\n\n', undefined],
  ];
  for (const [what, text, line] of LAST)
    it(`tells of its last line ${what}`, async () => {
      printed(text);
      expect(await lastLine(log)).to.equal(line);
    });
});
