import { chownSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { openDataFolder, type DataFolder } from '../../../src/manager/data-folder.ts';
import { beginSecret, endSecret, openGroupSecret, type GroupSecret } from '../../../src/manager/group-secret.ts';
import { temporaryFolder, type TemporaryFolder } from '../../helpers/temporary-folder.ts';
import { until } from '../../helpers/until.ts';

describe('a new secret of the group', () => {
  let temporary: TemporaryFolder;
  let folder: DataFolder;
  let file: string;
  let secret: GroupSecret;
  let learnt: Set<string>;
  const open = async (configured = '') => {
    learnt = new Set();
    secret = await openGroupSecret(
      configured,
      folder,
      () => Promise.resolve(undefined),
      (one) => learnt.add(one),
    );
  };
  beforeEach(async () => {
    temporary = temporaryFolder();
    folder = openDataFolder(temporary.path);
    file = folder.file('secret');
    await open();
  });
  afterEach(() => {
    secret.close();
    folder.unlock();
    temporary.remove();
  });

  it('is known beside the one of before until that is ended, also by who starts meanwhile', async () => {
    const before = secret.newest();
    expect(secret.all()).to.deep.equal([before]);
    expect((await beginSecret(file)).goesOn).to.equal(false);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    const next = secret.newest();
    expect([next === before, secret.oldest(), secret.all()]).to.deep.equal([false, before, [next, before]]);
    expect([...learnt]).to.deep.equal([before, next]);
    secret.close();
    await open();
    expect(secret.all()).to.deep.equal([next, before]);
    expect((await beginSecret(file)).goesOn).to.equal(true); // begun already: it goes on
    expect(secret.newest()).to.equal(next);
    await endSecret(file);
    await until('it is seen by who asks for none', () => secret.all().length === 1);
    expect([secret.all(), readFileSync(file, 'utf8')]).to.deep.equal([[next], next]);
  });

  if (process.getuid?.() === 0)
    it("stays its owner's where root changes it", async () => {
      chownSync(file, 65_534, 65_533);
      await beginSecret(file);
      const { uid, gid } = statSync(file);
      await endSecret(file);
      expect([uid, gid, statSync(file).uid, statSync(file).mode & 0o777]).to.deep.equal([
        ...[65_534, 65_533, 65_534],
        0o600,
      ]);
    });

  it('is none where the file is away, empty or something else', () => {
    const [before] = secret.all();
    for (const text of ['', '\n\n', 'a\nb\nc\n', undefined]) {
      if (text === undefined) rmSync(file);
      else writeFileSync(file, text);
      expect(secret.newest(), text).to.equal(before);
    }
  });

  it('is not taken from the file where one is configured', async () => {
    secret.close();
    await open('configured');
    await beginSecret(file);
    expect([secret.newest(), secret.all()]).to.deep.equal(['configured', ['configured']]);
  });
});
