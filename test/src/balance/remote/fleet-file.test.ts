import { expect } from 'chai';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Gateway } from '../../../../src/balance/core/contract.ts';
import { rememberingFleet } from '../../../../src/balance/remote/fleet-file.ts';
import { FakeGateway } from '../../../helpers/fake-gateway.ts';
import { until } from '../../../helpers/until.ts';

describe('a gateway of its own that is restarted while the manager is away', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mmeliot-fleet-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const warned: string[] = [];
  const log = { info: () => undefined, warn: (_: object, text: string) => void warned.push(text) };

  /** A new life: nothing is left but the file. */
  const start = async () => {
    const plane = new FakeGateway();
    const gateway = await rememberingFleet(
      plane as unknown as Gateway,
      join(folder, 'gateway.json'),
      join(folder, 'keys.json'),
      log,
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

  it('takes and gives up VMs also where nothing can be written, says so, and remembers as soon as it can', async () => {
    const { gateway, serving } = await start();
    const file = join(folder, 'gateway.json');
    mkdirSync(file); // as little to be written as a full disk
    await gateway.add('vm-1', address);
    await gateway.add('vm-2', address);
    expect(await gateway.drain('vm-1', 1_000)).to.equal(true);
    await gateway.remove('vm-1');
    expect(serving()).to.deep.equal(['vm-2']);
    const problem = `${file} cannot be written (EISDIR): make room there, or after a restart this gateway begins with what that file holds.`;
    expect(gateway.problems).to.deep.equal([problem]);
    expect(warned).to.deep.equal([problem]);
    rmSync(file, { recursive: true });
    await until('it is written', () => gateway.problems?.length === 0);
    expect((await start()).serving()).to.deep.equal(['vm-2']);
  });
});
