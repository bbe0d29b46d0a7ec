import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { writeWhole } from '../../../src/files/write-whole.ts';
import { temporaryFolder } from '../../helpers/mmeliot.ts';

describe('a file that is written whole', () => {
  const temporary = temporaryFolder();
  after(() => temporary.remove());
  const file = join(temporary.path, 'state.json');

  for (const durable of [false, true])
    it(`is the new text alone${durable ? ', durably' : ''}`, async () => {
      await writeWhole(file, 'a longer text before', { durable });
      await writeWhole(file, 'new', { durable });
      expect(readFileSync(file, 'utf8')).to.equal('new');
      expect(readdirSync(temporary.path)).to.deep.equal(['state.json']);
    });

  it('stays as it was when it cannot be written', async () => {
    await writeWhole(file, 'old');
    mkdirSync(`${file}.new`);
    const failed = await writeWhole(file, 'new').catch((error: NodeJS.ErrnoException) => error.code);
    expect(failed).to.equal('EISDIR');
    expect(readFileSync(file, 'utf8')).to.equal('old');
  });
});
