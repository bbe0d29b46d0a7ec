import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { readWhole, whyUnreadable } from '../../../epcis/files/read-whole.ts';
import { temporaryFolder } from '../../helpers/mmeliot.ts';

describe('a file that is read whole', () => {
  const temporary = temporaryFolder();
  after(() => temporary.remove());
  const whyNot = (file: string): string => {
    try {
      readWhole(file, { waitMs: 100 });
    } catch (error) {
      return whyUnreadable(error);
    }
    throw new Error('it was read');
  };
  const pipe = (name: string): string => {
    execFileSync('mkfifo', [join(temporary.path, name)]);
    return join(temporary.path, name);
  };

  it('is what it holds', () => {
    const file = join(temporary.path, 'file');
    const content = Buffer.alloc(200_000, 'é');
    writeFileSync(file, content);
    expect(readWhole(file).equals(content)).to.equal(true);
  });

  it('may be a pipe into which somebody writes, be it later', async () => {
    const file = pipe('later');
    const writer = spawn('sh', ['-c', 'sleep 0.1; (echo one; sleep 0.1; echo two) > "$0"', file]);
    const ended = once(writer, 'exit');
    expect(readWhole(file).toString()).to.equal('one\ntwo\n');
    await ended;
  });

  for (const [what, file, why] of [
    ['a device that never ends', () => '/dev/zero', 'has more than 8 MiB'],
    ['a pipe into which nobody writes', () => pipe('nobody'), 'is a pipe into which nobody writes'],
    ['a folder', () => temporary.path, 'is a folder'],
    ['nothing', () => join(temporary.path, 'none'), 'cannot be read (ENOENT)'],
  ] as const)
    it(`is refused in words when it is ${what}`, () => expect(whyNot(file())).to.equal(why));

  it('is refused when it is huge', () => {
    const file = join(temporary.path, 'huge');
    writeFileSync(file, '');
    execFileSync('truncate', ['--size', '1T', file]);
    expect(whyNot(file)).to.equal('has more than 8 MiB');
  });
});
