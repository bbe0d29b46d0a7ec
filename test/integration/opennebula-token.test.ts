import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { loginToken } from '../../src/manager/login-token.ts';
import { createSecrets } from '../../src/secrets.ts';
import { temporaryFolder } from '../helpers/mmeliot.ts';
import { LOGIN, openCloud } from '../opennebula/emulated.ts';
import { refused } from '../opennebula/scene.ts';

describe('a login token in a file', () => {
  it('is read anew, so that it can be replaced while the manager runs, and is a secret', async () => {
    const folder = temporaryFolder();
    const cloud = await openCloud();
    try {
      const passwordFile = join(folder.path, 'token');
      const secrets = createSecrets();
      const provider = cloud.provider({ password: loginToken({ password: '', passwordFile }, secrets) });
      expect((await refused(provider.list())).message).to.include(
        `passwordFile ${passwordFile} cannot be read (ENOENT)`,
      );
      writeFileSync(passwordFile, 'expired-token\n');
      expect((await refused(provider.list())).message).to.include('refuses the login');
      writeFileSync(passwordFile, `${LOGIN.password}\n`);
      expect(await provider.list()).to.deep.equal([]);
      writeFileSync(passwordFile, ''); // somebody writes it right now
      expect(await provider.list()).to.deep.equal([]);
      expect(secrets.hide(`expired-token ${LOGIN.password}`)).to.equal('*** ***');
      expect(loginToken({ password: '', passwordFile: devNull }, secrets)).to.throw('is empty');
    } finally {
      await cloud.stop();
      folder.remove();
    }
  });
});
