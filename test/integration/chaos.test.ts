// The short form of `npm run chaos`: one fault after the other in one system under load, and what an independent reader finds.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';

const RUN = join(import.meta.dirname, '../chaos/run.ts');

/** In a network of its own only; elsewhere the table says that they were not tried. */
const IN_NETWORK = [
  ...['network-lossy', 'cut-gateway-to-vms', 'cut-gateway-to-manager'],
  ...['lossy-gateway-vms', 'slow-gateway-vms'],
];

describe('chaos, in short', function () {
  this.timeout(600_000);

  for (const [what, ...faults] of [
    [
      'processes end, network and descriptors fail',
      ...['vm-killed', 'manager-killed', 'udp-forged', 'descriptors-vm', ...IN_NETWORK, 'gateway-killed'],
    ],
    ['HAProxy ends under its plane, then one of two gateways', 'haproxy-killed', 'gateway-of-pair-killed'],
    ['what an operator has done with the repository is killed, and done again', 'maintenance-killed-sqlite'],
  ]) {
    it(`${what}: nothing is lost, wrong or doubled`, async () => {
      const args = [RUN, '--together', '--short', '--repeat', '1', '--fault', faults.join(',')];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      const cells = stdout.split('\n').map((line) => line.split(' | '));
      const [row] = cells.filter(([first = '']) => first.startsWith(`| ${faults[0]}`));
      expect(row?.slice(4, 7), stdout).to.deep.equal(['0', '0', '0']);
      expect(Number(row?.[2]), 'requests').to.be.greaterThan(20);
    });
  }
});
