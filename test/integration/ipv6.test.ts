// The whole path over IPv6: front end, VMs, load reports, both data planes, EPCIS, page and commands, in a network
// namespace that has no IPv4 but its loopback.
import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const WORLD = join(import.meta.dirname, 'ipv6-world.ts');
/** Addresses that others could reach, on the one link that every namespace has. */
const LINK = ['link set lo up', '-6 addr add fd00::1/128 dev lo', '-6 addr add fd00::7/128 dev lo']
  .map((words) => `ip ${words}`)
  .join(' && ');

describe('where there is IPv6 only', function () {
  this.timeout(180_000);

  it('everything serves: a cloud, both data planes, local VMs, a VM by itself', async () => {
    const inside = ['--map-root-user', '--net', '--fork', '--kill-child', 'sh', '-c', `${LINK} && exec "$0" "$1"`];
    const { stdout } = await run('unshare', [...inside, process.execPath, WORLD]);
    expect(stdout.trim().split('\n')).to.deep.equal([
      'opennebula-builtin: serves',
      'local-haproxy: serves',
      'a VM by itself: serves',
    ]);
  });
});
