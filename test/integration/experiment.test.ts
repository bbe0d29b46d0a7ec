// A whole experiment, as short as it can be: real system, real load, raw data, report, and going on where it stopped.
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { readFolder } from '../../loadgen/read-folder.ts';
import type { RunInfo } from '../../loadgen/report/raw.ts';
import { pngOf } from '../../loadgen/write-report.ts';
import { mmeliot, startProgram, temporaryFolder } from '../helpers/mmeliot.ts';

const PLAN = `
name: A short experiment
repetitions: 1
policies: { eliot: { elasticity.policy: eliot }, react: { elasticity.policy: react } }
profiles: { up: { profile: ascending, max: 10%, duration: 4s } }
load: { mix: rest=1, step: 500ms }
warmup: 500ms
events: 100
calibration: { clients: [1, 2], duration: 1s, warmup: 1s }
settings: { elasticity.period: 1s, elasticity.max: 2, local.cpu: 0.3 }
`;

describe('an experiment', function () {
  this.timeout(300_000);
  const folder = temporaryFolder();
  const out = join(folder.path, 'out');
  const plan = join(folder.path, 'plan.yaml');
  const run = (name: string): string => join(out, 'runs', name, 'run.json');
  const spoil = (name: string): void => {
    const info = JSON.parse(readFileSync(run(name), 'utf8')) as RunInfo;
    writeFileSync(run(name), JSON.stringify({ ...info, result: { ...info.result, bottleneck: 'Late.' } }));
  };
  after(folder.remove);

  it('stops in order when it is told to, and leaves nothing half made', async () => {
    writeFileSync(plan, PLAN);
    const program = startProgram(['experiment', plan, '--out', out]);
    await program.says(/run 1 of 2, [\w-]+, about \d+ s left\n/);
    const { status, output } = await program.stop();
    expect(status, output).to.equal(130);
    expect(output).to.match(/the same command goes on/);
    expect((await readFolder(out)).runs).to.deep.equal([]);
  });

  it('makes every run with all that is needed to repeat it, and the report', async () => {
    const { status, output } = await mmeliot('experiment', plan, '--out', out);
    expect(status, output).to.equal(0);
    expect(output).to.not.match(/calibration/);
    const { runs, calibration } = await readFolder(out);
    expect(calibration?.curve.map(({ concurrency }) => concurrency)).to.deep.equal([1, 2]);
    expect(runs.map(({ info }) => info.policy)).to.have.members(['eliot', 'react']);
    for (const { info, client, fleet, decisions } of runs) {
      expect(info.result.sent).to.be.greaterThan(5);
      expect(info.result.ok + info.result.lost).to.equal(info.result.sent);
      const sum = (of: 'sent' | 'ok' | 'lost'): number => client.reduce((total, each) => total + each[of], 0);
      expect([sum('sent'), sum('ok'), sum('lost')]).to.eql([info.result.sent, info.result.ok, info.result.lost]);
      expect(fleet[0]?.allocated).to.equal(1);
      expect(decisions.some(({ at, policy }) => at > info.startedAt && policy === info.policy)).to.equal(true);
      expect(info.config).to.have.nested.property('elasticity.max', 2);
      expect(info).to.include({ period: 1000, high: 70, seed: 1 });
      expect(info.versions).to.have.all.keys('mmeliot', 'node', 'system');
    }
    expect(readdirSync(join(out, 'runs')).flatMap((name) => readdirSync(join(out, 'runs', name)))).to.not.include(
      'data',
    );
    const html = readFileSync(join(out, 'report', 'report.html'), 'utf8');
    expect(html)
      .to.include('A short experiment')
      .and.include('Live and simulated')
      .and.not.match(/(src|href)="http/);
    const written = readdirSync(join(out, 'report'));
    expect(written).to.include.members(['profile-up.svg', 'profile-up.png', 'measures.csv', 'tables.md']);
    expect(
      readFileSync(join(out, 'report', 'profile-up.png'))
        .subarray(1, 4)
        .toString(),
    ).to.equal('PNG');
  });

  it('makes a run that is missing, and none that is there', async () => {
    spoil('eliot-up-1');
    const before = statSync(run('eliot-up-1')).mtimeMs;
    rmSync(run('react-up-1'));
    const { status, output } = await mmeliot('experiment', plan, '--out', out);
    expect(status, output).to.equal(0);
    expect(output).to.match(/eliot-up-1: is there already/);
    expect(statSync(run('eliot-up-1')).mtimeMs).to.equal(before);
    expect((await readFolder(out)).runs).to.have.length(2);
  });

  it('makes runs again that the generator spoiled, where it is told to', async () => {
    const [spoiled, other] = ['eliot-up-1', 'react-up-1'].map((name) => statSync(run(name)).mtimeMs);
    const { status, output } = await mmeliot('experiment', plan, '--out', out, '--again');
    expect(status, output).to.equal(0);
    expect(output).to.match(/eliot-up-1: again/);
    expect(statSync(run('eliot-up-1')).mtimeMs).to.be.greaterThan(spoiled ?? Infinity);
    if (!/react-up-1: again/.test(output)) expect(statSync(run('react-up-1')).mtimeMs).to.equal(other);
  });

  it('says in one sentence what it cannot do', async () => {
    const other = join(folder.path, 'other.yaml');
    writeFileSync(other, `${PLAN}seed: 2`);
    const wrong: Record<string, [string[], RegExp]> = {
      'another plan': [['experiment', other, '--out', out], /another plan/],
      'no plan': [['experiment', join(folder.path, 'none.yaml')], /can't be read/],
      'options of the paper': [['experiment', plan, '--k', '3'], /experiment paper/],
      'no experiment': [['report', folder.path], /holds no experiment/],
    };
    for (const [what, [args, sentence]] of Object.entries(wrong)) {
      const { status, output } = await mmeliot(...args);
      expect(status, `${what}: ${output}`).to.equal(2);
      expect(output, what)
        .to.match(sentence)
        .and.not.match(/\n\s+at /);
    }
  });

  it('draws the text of figures without any font of the machine', () => {
    const svg = (text: string): string =>
      `<svg xmlns="http://www.w3.org/2000/svg" width="90" height="20"><text y="15" font-family="Nowhere, Inter">${text}</text></svg>`;
    expect(Buffer.compare(pngOf(svg('VMs')), pngOf(svg('')))).to.not.equal(0);
    expect(Buffer.compare(pngOf(svg('VMs')), pngOf(svg('LPs')))).to.not.equal(0);
  });
});
