import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Gateway } from '../../../../src/balance/core/contract.ts';
import { rememberingFleet } from '../../../../src/balance/remote/fleet-file.ts';
import { FakeGateway } from '../../../helpers/fake-gateway.ts';

describe('a gateway of its own that is restarted while the manager is away', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mmeliot-fleet-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** A new life: nothing is left but the file. */
  const start = async () => {
    const plane = new FakeGateway();
    const gateway = await rememberingFleet(
      plane as unknown as Gateway,
      join(folder, 'gateway.json'),
      join(folder, 'keys.json'),
    );
    return { gateway, serving: () => [...plane.serving.keys()] };
  };
  const address = { host: '127.0.0.1', port: 9000 };

  it('serves the VMs that it was told of, and none that was drained or removed', async () => {
    const { gateway } = await start();
    for (const id of ['vm-1', 'vm-2', 'vm-3']) await gateway.add(id, address);
    await gateway.drain('vm-2', 1_000);
    await gateway.remove('vm-3');
    expect((await start()).serving()).to.deep.equal(['vm-1']);
  });

  it('starts empty where its file is damaged, and is told of its VMs by the manager', async () => {
    writeFileSync(join(folder, 'gateway.json'), '[["vm-1",');
    const { gateway, serving } = await start();
    expect(serving()).to.deep.equal([]);
    await gateway.add('vm-1', address);
    expect((await start()).serving()).to.deep.equal(['vm-1']);
  });
});
