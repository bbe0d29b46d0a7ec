// The benchmark as a researcher runs it: stopped, gone on with, and the same wherever it is run.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { mmeliot, startProgram, temporaryFolder } from '../helpers/mmeliot.ts';

describe('a benchmark', function () {
  this.timeout(600_000);
  const folder = temporaryFolder();
  after(folder.remove);

  const traceOf = (name: string, minutes: number): string => {
    const path = join(folder.path, name);
    const lines = Array.from({ length: minutes }, (_, i) => `${1_709_251_200 + 60 * i},${600 + ((i * 37) % 200)}`);
    writeFileSync(path, `time,count\n${lines.join('\n')}\n`);
    return path;
  };

  it('stops at once with a word, and reports what is there without running more', async () => {
    const args = ['benchmark', traceOf('long.csv', 1440), '--quick', '--out', join(folder.path, 'stopped')];
    const program = startProgram(args);
    await program.says(/1440 intervals of 60 s/);
    const { status, output } = await program.stop();
    expect(status, output).to.equal(130);
    expect(output).to.include('Stopped; the same command goes on');
    const reported = await mmeliot(...args, '--for', '0s');
    expect(reported.status, reported.output).to.equal(0);
    expect(reported.output).to.include('No scene was run').and.include('Not finished: 2 of 2 runs are left');
  });

  it('says the same to the byte in another time zone and language', async () => {
    const trace = traceOf('short.csv', 30);
    const run = async (name: string, env: NodeJS.ProcessEnv) => {
      const out = join(folder.path, name);
      const args = ['benchmark', trace, '--quick', '--scenes', 'boot 60 s', '--price', '0.1', '--out', out];
      const program = startProgram(args, { env });
      await program.says(/Elasticity/, 250_000);
      const { status, output } = await program.ended();
      expect(status, output).to.equal(0);
      const files = readdirSync(out, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      return Object.fromEntries(
        files.map((file) => [file.name, readFileSync(join(file.parentPath, file.name)).toString('latin1')]),
      );
    };
    const here = await run('here', { TZ: 'UTC', LC_ALL: 'C' });
    expect(Object.keys(here)).to.include.members(['benchmark.md', 'benchmark.html', 'benchmark.json', 'benchmark.png']);
    const there = await run('there', { TZ: 'Asia/Kathmandu', LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8' });
    for (const [name, content] of Object.entries(here)) expect(there[name] === content, name).to.equal(true);
  });
});
