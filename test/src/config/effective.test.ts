import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { effective } from '../../../src/config/effective.ts';
import { loadWithOrigins } from '../../../src/config/load.ts';
import type { ParameterPatch } from '../../../src/loop/journal.ts';

const FILE = `dataDir: ./data
elasticity:
  min: 2
  policyParameters: { preset: paper-literal }
repository:
  url: mysql://u:\${DB_PASSWORD}@db/epcis
`;

describe('the files that hold secrets', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mmeliot-secrets-'));
  const file = join(folder, 'mmeliot.yaml');
  const password = join(folder, 'password');
  after(() => rmSync(folder, { recursive: true }));

  function holders(text: string, set: readonly string[] = []) {
    writeFileSync(file, text);
    return loadWithOrigins({ file, set, env: { DB_PASSWORD: 'from-outside' } }).secretFiles;
  }

  it('are those that are named for it, and the configuration where one is written into it', () => {
    writeFileSync(password, 'in-a-file\n');
    expect(holders('admin: { port: 1 }')).to.deep.equal([]);
    expect(holders('repository: { url: "mysql://u:${DB_PASSWORD}@db/epcis" }')).to.deep.equal([]);
    expect(holders('repository: { url: mysql://u:hush@db/epcis }')).to.deep.equal([file]);
    expect(holders(`repository: { url: "mysql://u:\${file:${password}}@db/epcis" }`)).to.deep.equal([password]);
    expect(holders('gateway: { tls: { certificate: a.crt, key: a.key } }')).to.deep.equal(['a.key']);
    expect(holders('{}', ['admin.token=hush'])).to.deep.equal(['/proc/self/cmdline']);
  });
});

describe('the settings in force', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mmeliot-effective-'));
  const file = join(folder, 'mmeliot.yaml');
  after(() => rmSync(folder, { recursive: true }));

  function inForce(set: readonly string[] = [], saved: ParameterPatch = {}) {
    writeFileSync(file, FILE);
    const { config, originOf } = loadWithOrigins({ file, set, env: { DB_PASSWORD: 'hush' } });
    const { settings, warnings } = effective(config, originOf, saved);
    const setting = (name: string) => settings.find((each) => each.name === name);
    return { setting, settings, warnings };
  }

  it('say where they come from: default, file, environment', () => {
    const { setting } = inForce();
    expect(setting('gateway.port')).to.deep.equal({ name: 'gateway.port', value: 8080, origin: 'default' });
    expect(setting('elasticity.max')?.origin).to.equal('default');
    expect(setting('elasticity.min')).to.deep.include({ value: 2, origin: `${file}, line 3, column 3` });
    expect(setting('repository.url')).to.deep.include({
      value: 'mysql://u:***@db/epcis',
      origin: `${file}, line 6, column 3 and environment \${DB_PASSWORD}`,
    });
  });

  it('come from the command line where that said something, also below or above', () => {
    const { setting } = inForce(['elasticity.min=3', 'elasticity.policyParameters.nearness=9', 'local={cpu: 0.2}']);
    expect(setting('elasticity.min')).to.deep.include({ value: 3, origin: 'command line' });
    expect(setting('local.cpu')).to.deep.include({ value: 0.2, origin: 'command line' });
    expect(setting('elasticity.policyParameters')?.origin).to.equal(`${file}, line 4, column 3 and command line`);
  });

  it('are those that were changed while it ran, over all others, with what the configuration says', () => {
    const { setting } = inForce(['elasticity.min=3'], { min: 4, period: 5_000 });
    expect(setting('elasticity.min')).to.deep.equal({
      name: 'elasticity.min',
      value: 4,
      origin: 'mmeliot set',
      configured: { value: 3, origin: 'command line' },
    });
    expect(setting('elasticity.period')).to.deep.include({
      value: '5s',
      configured: { value: '10s', origin: 'default' },
    });
  });

  it('are the configured ones where what was saved contradicts them, with a warning', () => {
    const { setting, warnings } = inForce(['elasticity.max=3'], { min: 4 });
    expect(setting('elasticity.min')).to.deep.include({ value: 2, origin: `${file}, line 3, column 3` });
    expect(warnings[0]).to.match(/contradict the configuration and are dropped/);
  });

  it('show no secret', () => {
    expect(JSON.stringify(inForce(['admin.token=hush']).settings)).to.not.include('hush');
  });
});
