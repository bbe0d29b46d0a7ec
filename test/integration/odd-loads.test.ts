import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { SimulationResult } from '../../src/simulate/simulate.ts';

describe('adaptive under loads that nobody expects', function () {
  this.timeout(120_000);
  let folder: string;
  before(async () => (folder = await mkdtemp(join(tmpdir(), 'mmeliot-odd-loads-'))));
  after(() => rm(folder, { recursive: true }));

  const mmeliot = (...args: string[]) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      execFile(process.execPath, ['src/cli/mmeliot.js', ...args], { maxBuffer: 1e8 }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      );
    });
  const written = async (name: string, rows: readonly string[]): Promise<string> => {
    const path = join(folder, `${name}.csv`);
    await writeFile(path, `${['time,count', ...rows].join('\n')}\n`);
    return path;
  };
  const minutes = (count: (minute: number) => number): readonly string[] =>
    Array.from({ length: 90 }, (_, i) => `${60 * i},${count(i)}`);

  const loads: Readonly<Record<string, readonly string[]>> = {
    'one point': ['0,100'],
    'no request': minutes(() => 0),
    'one request': minutes((i) => (i === 50 ? 1 : 0)),
    'nothing, and then a load': minutes((i) => (i < 45 ? 0 : 1_200)),
    'a thousand million a second': minutes(() => 6e10),
    'a thousand million now and then': minutes((i) => (i % 17 === 0 ? 6e10 : 1)),
    'less than one request in an hour': minutes(() => 0.001),
  };
  for (const [name, rows] of Object.entries(loads))
    it(`has a fleet within its bounds, and nothing but numbers to say: ${name}`, async () => {
      const path = await written(name.replaceAll(/\W/g, '-'), rows);
      const fleet = ['--set', 'policy=adaptive', '--set', 'max=6', '--traffic', 'fluid'];
      const { code, stdout, stderr } = await mmeliot('simulate', '--profile', `trace:${path}`, ...fleet, '--json');
      expect(code, stderr).to.equal(0);
      expect(stdout).not.to.match(/NaN|Infinity|:null/);
      const { timeline, measures } = JSON.parse(stdout) as SimulationResult;
      for (const { allocated } of timeline) expect(allocated).to.be.within(1, 6);
      expect(measures.violationsPercent).to.be.within(0, 100);
    });

  it('is held against nobody where the trace is shorter than the beginning that is left out', async () => {
    const { code, stderr } = await mmeliot('compare', await written('short', ['0,100', '60,200']), '--out', folder);
    expect(code).to.equal(2);
    expect(stderr).to.match(/plays 120 s, and --skip leaves out its first 20m: nothing is left to compare\.\n$/);
  });
});
