// The walk through epcis/access/README.md, as it stands there: from an empty folder to two companies with different views.
import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { appendFileSync, chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startProgram, type Program } from '../helpers/mmeliot.ts';

const ROOT = join(import.meta.dirname, '../..');
const README = readFileSync(join(ROOT, 'epcis/access/README.md'), 'utf8');
const [, SECTION = ''] = README.split('## Two companies, one repository, ten minutes');
const [, README_RULES = ''] = /rules.yaml <<'END'\n([^]*?)END\n/.exec(README) ?? [];
const BLOCKS = [...(SECTION.split('\n## ')[0] ?? '').matchAll(/```sh\n([^]*?)```/g)].map(([, block = '']) => block);

describe('the walk to two companies with different views', function () {
  this.timeout(90_000);
  const folder = mkdtempSync(join(tmpdir(), 'mmeliot-access-'));
  const bin = join(folder, 'mmeliot');
  let up: Program | undefined;

  before(() => {
    writeFileSync(bin, `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, 'src/cli/mmeliot.js')}" "$@"\n`);
    chmodSync(bin, 0o755);
  });
  after(async () => {
    await up?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (script: string) =>
    promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: folder,
      env: { ...process.env, PATH: `${folder}:${process.env['PATH']}` },
    });

  it('goes as the README says', async () => {
    const [start = '', rules = '', events = ''] = BLOCKS;
    expect(BLOCKS).to.have.length(3);
    await run(start.replace('mmeliot up\n', ''));
    // its own ports, not those of whoever tests
    const [gateway, admin] = ['21', '22'].map((end) => 20_000 + (process.pid % 400) * 100 + Number(end));
    appendFileSync(
      join(folder, 'mmeliot.yaml'),
      `gateway: { port: ${gateway} }\nadmin: { port: ${admin} }\ncollector: { port: 0 }\nelasticity: { min: 1, max: 1 }\nlocal: { cpu: 1 }\n`,
    );
    up = startProgram(['up'], { cwd: folder });
    await up.says(/is ready/);
    const told = events.replace('http://127.0.0.1:8080', `http://127.0.0.1:${gateway}`);
    // the shell is the same one to the end
    const marked = told.replace(/^(curl|mmeliot)/gm, 'printf "\\n----\\n"; $1');
    const keys = rules.replaceAll('mmeliot key create', `mmeliot key create --admin http://127.0.0.1:${admin}`);
    const { stdout } = await run(`${keys}\n${marked}`);
    const [before = '', acme = '', beta = '', hidden = '', nobody = '', refused = '', granted = ''] =
      stdout.split('\n----\n');
    expect(before).to.contain('rules.yaml: 3 rules, all sound.').and.contain('Version 1 with 3 rules is applied');
    expect(acme).to.contain('urn:x:1').and.contain('urn:x:2').and.contain('9.99');
    expect(beta).to.contain('urn:x:1').and.not.contain('urn:x:2').and.not.contain('9.99');
    expect(hidden).to.contain('"eventList":[]');
    expect(nobody).to.contain('401');
    expect(refused).to.contain('beta does not get it');
    expect(granted).to.contain(
      'beta gets it by "retailers see what is shipped to them", without https://acme.example/ns#price, sensorElementList',
    );
    const other = README_RULES.replace('EQ_bizStep: shipping, ', '').replace(/hide: \[[^,]*, /, 'hide: [');
    writeFileSync(join(folder, 'other.yaml'), other);
    const tried = await run('mmeliot access try other.yaml; mmeliot access rules history; mmeliot access rules show');
    expect(tried.stdout).to.contain('acme: sees 2 now, 2 then\n');
    expect(tried.stdout).to.contain('one of the group retailers: sees 1 now, 1 then; 1 with other fields hidden\n');
    expect(tried.stdout).to.match(/^1 {2}\S+Z {2}\S+ at \S+ {2}3 rules$/m);
    expect(tried.stdout).to.contain(README_RULES);
    const programs = await run(
      'mmeliot access try other.yaml --json; mmeliot access rules history --json; mmeliot access rules show --json',
    );
    const [tries, versions, shown] = programs.stdout.split(/^(?=[[{])/m).map((part) => JSON.parse(part) as unknown);
    expect(tries).to.deep.include({
      ...{ client: 'acme', sees: { before: 2, after: 2 } },
      ...{ gains: 0, losses: 0, otherFields: 0, examples: { gained: [], lost: [] } },
    });
    expect(versions).to.have.nested.property('[0].rules', 3);
    expect(shown).to.have.property('rules').with.length(3);
  });
});
