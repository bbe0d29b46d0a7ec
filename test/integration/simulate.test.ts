import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { SimulationResult } from '../../src/simulate/simulate.ts';

describe('mmeliot simulate', function () {
  this.timeout(120_000);
  let folder: string;
  before(async () => (folder = await mkdtemp(join(tmpdir(), 'mmeliot-simulate-'))));
  after(() => rm(folder, { recursive: true }));

  const mmeliot = (...args: string[]) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      const command = ['src/cli/mmeliot.js', 'simulate', ...args];
      execFile(process.execPath, command, { maxBuffer: 1e8 }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      );
    });

  it('says in one sentence that the disk of its result is full', async () => {
    const { code, stderr } = await mmeliot('--duration', '10s', '--csv', '/dev/full');
    expect(code).to.equal(2);
    expect(stderr).to.match(/^mmeliot: A file, and so the result, can't be written to its end: ENOSPC: [^\n]+\.\n$/);
  });

  it('plays a trace file, with a calibrated VM, and writes summary, JSON and CSV', async () => {
    const [trace, vm, csv] = ['t-15min.txt', 'vm.json', 'out.csv'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    await writeFile(trace, [3, 9, 27, 9].map((count, i) => `${i}.5,${count * 900}.0;\n`).join(''));
    const curve = [
      { concurrency: 1, throughput: 12, responseMs: 83 },
      { concurrency: 4, throughput: 20, responseMs: 200 },
    ];
    await writeFile(vm, JSON.stringify({ curve }));
    const options = ['--profile', `trace:${trace}`, '--vm', vm, '--boot', '20s', '--set', 'policy=react'];
    const text = await mmeliot(...options, '--csv', csv);
    expect(text.stdout, text.stderr).to.match(/^react, 1 to 4 VMs, 60 min,.*\n\nrequests +43\d\d\d\n/);
    const lines = (await readFile(csv, 'utf8')).trimEnd().split('\n');
    expect(lines).to.have.length(361);
    expect(lines[0]).to.match(/^seconds,arrivalRate,allocated,ready,/);
    const { measures, timeline } = JSON.parse((await mmeliot(...options, '--json')).stdout) as SimulationResult;
    expect(timeline).to.have.length(360);
    expect(Math.max(...timeline.map(({ allocated }) => allocated))).to.equal(4);
    expect(text.stdout).to.include(`scaling actions             ${measures.actions}\n`);
  });

  it('writes a long run in pieces, and keeps what JSON and CSV tell', async () => {
    const csv = join(folder, 'long.csv');
    const { stdout } = await mmeliot('--duration', '6h', '--max', '1', '--json', '--csv', csv);
    const { timeline } = JSON.parse(stdout) as SimulationResult;
    expect(timeline.map(({ at }) => at)).to.deep.equal(Array.from({ length: 2160 }, (_, i) => i * 10_000));
    expect(timeline.every(({ decision }) => decision.reason !== '' && decision.comparisons.length > 0)).to.equal(true);
    expect((await readFile(csv, 'utf8')).trimEnd().split('\n')).to.have.length(2161);
  });

  it('says in one sentence what is wrong', async () => {
    const wrong: readonly (readonly [readonly string[], RegExp])[] = [
      [['--profile', 'zigzag'], /^mmeliot: There is no profile "zigzag"/],
      [['--profile', 'trace:nowhere.csv'], /^mmeliot: The trace file nowhere.csv can't be read \(ENOENT\)/],
      [['--objective', 'fast'], /^mmeliot: The objective "fast" is not like 95%:500ms/],
      [['--set', 'high=20', '--set', 'low=30'], /^mmeliot: low \(30\) must be below high \(20\)/],
      [['--boot-failures', '2'], /^mmeliot: --boot-failures 2: a number from 0 to 1/],
      [
        ['--duration', '9000000h'],
        /^mmeliot: 3240000000 periods take 2106\.0 GB of memory, and there are [\d.]+ GB: play a part/,
      ],
      [['--traffic', 'steam'], /^mmeliot: --traffic steam/],
      [['--vm', 'nowhere.json'], /^mmeliot: The VM file nowhere.json can't be read/],
    ];
    for (const [args, sentence] of wrong) {
      const { code, stderr } = await mmeliot(...args);
      expect(stderr).to.match(sentence);
      expect(code).to.equal(2);
    }
  });
});
