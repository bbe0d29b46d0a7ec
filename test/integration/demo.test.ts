import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import { startProgram, temporaryFolder } from '../helpers/mmeliot.ts';

describe('mmeliot demo', function () {
  this.timeout(120_000);
  const temporary = temporaryFolder();
  after(() => temporary.remove());
  const start = (...args: string[]) => startProgram(['demo', ...args], { env: { TMPDIR: temporary.path } });

  it('plays its load on a system of its own, says what came of it, and leaves nothing', async () => {
    const demo = start('--duration', '10s');
    await demo.says(/Watch it on http:\S+/);
    const { status, output } = await demo.ended();
    expect(output).to.match(/A VM answers [\d.]+ requests a second; \d+ clients came, and went again\.\nThe fleet /);
    expect(output).to.match(/\d+ requests, .*lost.*\.\nIt cost [\d.]+ VM-minutes;/);
    expect(status).to.equal(0);
    expect(readdirSync(temporary.path)).to.deep.equal([]);
  });

  it('ends when it is interrupted, and leaves nothing', async () => {
    const demo = start();
    await demo.says(/Starting a system on it/);
    const { status, output } = await demo.stop();
    expect(output).not.to.include('defect');
    expect(status).to.equal(130);
    expect(readdirSync(temporary.path)).to.deep.equal([]);
  });
});
