// A VM has a fraction of a core to start with, and a fleet waits for it: it loads what it needs, and nothing of the manager.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';

const LOADED = `
  import { registerHooks } from 'node:module';
  const loaded = [];
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
  await import('./src/cli/vm.ts');
  await import('./src/cli/guest.ts');
  const { openDatabase } = await import('./epcis/repository/database/open.ts');
  await (await openDatabase({ url: 'sqlite::memory:' })).close();
  console.log(JSON.stringify(loaded));
`;

describe('the start of a VM', function () {
  this.timeout(60_000);

  it('loads no driver of another database, and nothing of the manager, the gateway or the configuration', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', LOADED]);
    const loaded = JSON.parse(stdout) as readonly string[];
    expect(loaded.some((url) => url.endsWith('/epcis/server.ts'))).to.equal(true);
    const needless =
      /\/node_modules\/(zod|yaml|mysql2|undici)\/|\/src\/(config|decide|loop|balance|admin|compare|simulate)\//;
    expect(loaded.filter((url) => needless.test(url))).to.deep.equal([]);
  });
});
