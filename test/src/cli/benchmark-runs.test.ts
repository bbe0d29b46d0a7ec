import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { fileNameOf, makeRun, readRun } from '../../../src/cli/benchmark-runs.ts';
import { inThreads, type Job } from '../../../src/cli/benchmark-threads.ts';

describe('runs of a benchmark', function () {
  this.timeout(60_000);
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mmeliot-benchmark-'));
    await mkdir(join(folder, 'runs'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('are kept, and only what is missing is run again; what cannot be read counts as missing', async () => {
    const scene = {
      ...{ name: 'steady', bootMs: 10_000, objective: { ms: 500, share: 0.95 }, max: 2, seed: 1 },
      ...{ vm: { serviceMs: 50, parallel: 1, variation: 1 }, at: () => 20, duration: 300_000, skip: 60_000 },
    };
    const run = { name: 'a/b, boot 10 s', seed: 1, trace: 'abc', scene };
    expect(await readRun(folder, run)).to.equal(undefined);
    const points = await makeRun(folder, run, []);
    expect(new Set(points.map(({ policy }) => policy))).to.include.keys('adaptive', 'react', 'static', 'foresight');
    expect(await readRun(folder, run)).to.deep.equal(JSON.parse(JSON.stringify(points)));
    expect(await readRun(folder, { ...run, trace: 'another of that name' })).to.equal(undefined);

    const marked = points.map((point) => ({ ...point, actions: -1 }));
    const others = marked.filter(({ policy }) => policy !== 'react');
    const again = await makeRun(folder, run, others);
    expect(again.map(({ policy, label }) => [policy, label])).to.deep.equal(
      points.map(({ policy, label }) => [policy, label]),
    );
    for (const { policy, actions } of again)
      expect(actions === -1, policy).to.equal(policy !== 'react' && policy !== 'foresight');

    const [file = ''] = await readdir(join(folder, 'runs'));
    await writeFile(join(folder, 'runs', file), '{"edition":0,"points":[]}');
    expect(await readRun(folder, run)).to.equal(undefined);
    await writeFile(join(folder, 'runs', file), '{');
    expect(await readRun(folder, run)).to.equal(undefined);
  });

  const scene = {
    ...{ name: 'steady', bootMs: 10_000, objective: { ms: 500, share: 0.95 }, max: 2, seed: 1 },
    ...{ vm: { serviceMs: 50, parallel: 1, variation: 1 }, duration: 300_000, skip: 60_000 },
  };
  const jobs = [1, 2, 3].map((seed): Job => {
    const rates = Array.from({ length: 30 }, (_, i) => (i < 15 ? 10 : 30));
    return { name: 'a', seed, trace: 'abc', rates, scene: { ...scene, seed } };
  });

  /** Names of files and what is in them. */
  const made = async (threads: number, signal = new AbortController().signal) => {
    const todo = [...jobs];
    const shares: number[] = [];
    const tell = (_: Job, told: { readonly share: number }) => void shares.push(told.share);
    await inThreads({ folder, again: [], next: () => todo.shift(), tell, signal }, threads);
    const files = (await readdir(join(folder, 'runs'))).sort();
    const found = await Promise.all(files.map((name) => readFile(join(folder, 'runs', name), 'utf8')));
    await rm(join(folder, 'runs'), { recursive: true });
    await mkdir(join(folder, 'runs'));
    return { files, found, shares };
  };

  it('are the same to the byte in however many threads they are made', async () => {
    const alone = await made(1);
    expect(alone.files).to.have.length(3);
    expect(new Set(alone.found).size).to.equal(3);
    expect(alone.shares.filter((share) => share === 1)).to.have.length(6);
    const { files, found } = await made(2);
    expect({ files, found }).to.deep.equal({ files: alone.files, found: alone.found });
  });

  it('are given up at once when they are to stop', async () => {
    expect((await made(2, AbortSignal.abort())).files).to.deep.equal([]);
  });

  it('have names of their own in any script', () => {
    expect(fileNameOf('日志, boot 60 s')).to.equal('日志-boot-60-s');
    expect(fileNameOf('журнал')).not.to.equal(fileNameOf('запросы'));
  });
});
