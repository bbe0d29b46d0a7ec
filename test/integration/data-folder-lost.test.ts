// Somebody removes the data folder, or moves it away, while mmeliot runs.
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { startSystem, temporaryFolder } from '../helpers/mmeliot.ts';
import { runningIn } from '../helpers/temporary-folder.ts';
import { until } from '../helpers/until.ts';

const EVENT = JSON.stringify({
  '@context': ['https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld'],
  ...{ type: 'ObjectEvent', eventTime: '2026-01-01T00:00:00Z', eventTimeZoneOffset: '+00:00' },
  ...{ epcList: ['urn:epc:id:sgtin:0614141.107346.1'], action: 'OBSERVE' },
});

describe('a data folder', function () {
  this.timeout(120_000);
  const folder = temporaryFolder();
  after(() => folder.remove());

  const captured = async (gateway: string): Promise<{ status: number; text: string }> => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${gateway}events`, { method: 'POST', headers, body: EVENT });
    return { status: answer.status, text: await answer.text() };
  };

  it('that is removed under mmeliot up: captures are refused, it is said, and nothing stays behind at the end', async () => {
    const dataDir = join(folder.path, 'removed');
    const system = await startSystem(dataDir);
    expect((await captured(system.gateway)).status).to.equal(201);
    rmSync(dataDir, { recursive: true });
    expect(await captured(system.gateway)).to.have.property('status', 503);
    const why = await until('it is said', async () => {
      const { conditions } = await system.state();
      return conditions.find(({ name, status }) => name === 'disk' && status === 'error')?.reason;
    });
    expect(why).to.include(dataDir);
    const { status, output } = await system.stop();
    expect(runningIn(dataDir), output).to.deep.equal([]);
    expect(status, output).to.equal(0);
  });

  it('that is moved away and back under mmeliot up goes on, with the same VM', async () => {
    const [dataDir, elsewhere] = ['here', 'elsewhere'].map((name) => join(folder.path, name)) as [string, string];
    const system = await startSystem(dataDir);
    const [vm] = runningIn(join(dataDir, 'vms'));
    renameSync(dataDir, elsewhere);
    expect(await captured(system.gateway)).to.have.property('status', 503);
    rmSync(dataDir, { recursive: true, force: true });
    renameSync(elsewhere, dataDir);
    await until('it captures again', async () => (await captured(system.gateway)).status === 201);
    expect(runningIn(join(dataDir, 'vms'))).to.deep.equal([vm]);
    await system.stop();
    expect(runningIn(dataDir)).to.deep.equal([]);
    expect(existsSync(join(dataDir, 'lock'))).to.equal(false);
  });
});
