// CONTRIBUTING's examples, walked: each is put into a copy of the project as it stands there, compiled, and used.
import { execFile } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const run = promisify(execFile);
const CONTRIBUTING = readFileSync('CONTRIBUTING.md', 'utf8');

/** The code of `### A policy`. */
function example(of: string): string {
  const [, text] = new RegExp(`### A ${of}\\n[^]*?\`\`\`ts\\n([^]*?)\`\`\``).exec(CONTRIBUTING) ?? [];
  if (text === undefined) throw new Error(`CONTRIBUTING.md has no code under "A ${of}".`);
  return text;
}

const NAMED = {
  setting: 'src/decide/common/settings.ts',
  policy: 'src/decide/policies/nightly.ts',
  policies: 'src/decide/policies/index.ts',
  'query parameter': 'epcis/service/queryable-texts.ts',
};

/** What a user has of them then. */
const USE = `
import { loadConfig } from './src/config/load.ts';
import { reference } from './src/config/print.ts';
import { contenders } from './src/compare/contenders.ts';
import { policies } from './src/decide/policies/index.ts';
import { parameterDocs } from './epcis/service/parameter-docs.ts';
import { planEvents } from './epcis/service/parameters.ts';
import { factsOf } from './epcis/service/facts.ts';

const refused = (...set) => { try { loadConfig({ env: {}, set }); return 'taken'; } catch (error) { return error.message; } };
const { elasticity } = loadConfig({ env: {}, set: ['elasticity.releaseAfter=5m', 'elasticity.policy=nightly', 'elasticity.policyParameters={vms: 3}'] });
const situation = { present: { vms: 1, ready: 1 }, limits: { min: 1, max: 5 }, fleet: [], forecast: { vms: [] } };
const times = { eventTime: '2026-01-01T00:00:00Z', recordTime: '2026-01-01T00:00:00Z', eventTimeZoneOffset: '+00:00' };
const event = { type: 'ObjectEvent', ...times, sensorElementList: [{ sensorReport: [{ coordinateReferenceSystem: 'urn:crs' }] }] };
console.log(JSON.stringify({
  elasticity,
  refusals: [refused('elasticity.releaseAfter=5'), refused('elasticity.policy=nightly', 'elasticity.policyParameters.vms=0')],
  written: ['releaseAfter', 'nightly'].map((name) => reference().includes(name)),
  decision: policies.nightly.decide(situation, elasticity),
  compared: contenders({ objectiveMs: 500, vm: { service: 0.05, cores: 1, slots: 10 }, max: 4 }).filter(({ policy }) => policy === 'nightly').length,
  criteria: planEvents([{ name: 'EQ_coordinateReferenceSystem', values: ['urn:crs'] }]).criteria,
  facts: JSON.stringify(factsOf(event)).includes('coordinateReferenceSystem'),
  documented: parameterDocs().includes('EQ_coordinateReferenceSystem'),
}));
`;

describe("CONTRIBUTING's examples", function () {
  this.timeout(180_000);
  const temporary = temporaryFolder();
  after(() => temporary.remove());
  const copy = (file: string): string => join(temporary.path, file);
  const edit = (file: string, change: (text: string) => string): void => {
    const text = readFileSync(copy(file), 'utf8');
    const changed = change(text);
    expect(changed, file).not.to.equal(text);
    writeFileSync(copy(file), changed);
  };

  before(() => {
    for (const each of ['src', 'epcis', 'package.json', 'tsconfig.json']) cpSync(each, copy(each), { recursive: true });
    symlinkSync(join(process.cwd(), 'node_modules'), copy('node_modules'));
    const into = (start: string, entry: string) => (text: string) => text.replace(start, () => `${start}\n${entry}`);
    edit(NAMED.setting, into('export const commonSettings = {', example('setting')));
    edit(
      NAMED['query parameter'],
      into('const SENSOR: Readonly<Record<string, OfSensor>> = {', example('query parameter')),
    );
    writeFileSync(copy(NAMED.policy), example('policy'));
    edit(NAMED.policies, into('const all = {', '  nightly,'));
    edit(NAMED.policies, (text) => text.replace(/^import /m, "import { nightly } from './nightly.ts';\nimport "));
  });

  it('name the files that they are in', () => {
    for (const file of Object.values(NAMED)) expect(CONTRIBUTING).to.include(file);
  });

  it('compile', async () => {
    const { compilerOptions } = JSON.parse(readFileSync('tsconfig.json', 'utf8')) as { compilerOptions: object };
    const files = ['src/decide/parameters.ts', 'src/loop/view.ts', NAMED['query parameter'], 'epcis/service/facts.ts'];
    writeFileSync(copy('tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    await run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', temporary.path]).catch((error: unknown) => {
      throw new Error((error as { stdout: string }).stdout);
    });
  });

  it('do what is said of them, with nothing else changed', async () => {
    writeFileSync(copy('use.js'), USE);
    const { stdout } = await run(process.execPath, [copy('use.js')]);
    const used = JSON.parse(stdout) as Record<string, unknown>;
    expect(used['elasticity']).to.deep.include({ releaseAfter: 300_000, policyParameters: { vms: 3 } });
    const [setting, policy] = used['refusals'] as readonly string[];
    expect(setting).to.match(/releaseAfter is 5: it has no unit; did you mean 5s\?$/);
    expect(policy).to.match(/vms is 0: a whole number from 1 on is expected\.$/);
    expect(used['decision']).to.deep.include({ action: 'allocate', count: 2, rule: 'nightly' });
    expect(used).to.deep.include({ written: [true, true], compared: 1, facts: true, documented: true });
    expect(used['criteria']).to.have.length(1);
  });
});
