import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { PROGRAM, startProgram, temporaryFolder } from '../helpers/mmeliot.ts';
import { runningIn } from '../helpers/temporary-folder.ts';
import { until } from '../helpers/until.ts';

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

  // as a terminal does: all that is in its group hears it
  for (const [signal, moment] of [
    ['SIGINT', /Measuring for 6 s/],
    ['SIGHUP', /Starting a system on it/],
  ] as const)
    it(`ends when all of its group get ${signal}, and leaves nothing`, async () => {
      const demo = startProgram([process.execPath, PROGRAM, 'demo'], {
        program: 'setsid',
        env: { TMPDIR: temporary.path },
      });
      await demo.says(moment);
      process.kill(-(demo.child.pid ?? 0), signal);
      expect((await demo.ended()).status).to.equal(130);
      expect(readdirSync(temporary.path)).to.deep.equal([]);
      expect(runningIn(temporary.path)).to.deep.equal([]);
    });

  it('ends at once when it is interrupted again, and its system releases its VMs by itself', async () => {
    const demo = start();
    await demo.says(/Watch it on/);
    demo.child.kill('SIGINT');
    await sleep(1_100); // so much later it is meant as another one
    demo.child.kill('SIGINT');
    expect((await demo.ended()).status).to.equal(130);
    await until('nothing runs any more', () => runningIn(temporary.path).length === 0, 60_000);
  });
});
