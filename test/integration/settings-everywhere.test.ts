// One declaration, four ways in: each accepts and refuses the same values, in the same words.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { startAdminServer, type AdminServer } from '../../src/admin/server.ts';
import type { AdminSource } from '../../src/admin/source.ts';
import { parseAssignments, decodeChanges } from '../../src/config/changes.ts';
import { loadConfig } from '../../src/config/load.ts';
import { DEFAULT_PARAMETERS } from '../../src/decide/parameters.ts';
import type { ControlLoop } from '../../src/loop/control-loop.ts';
import { ScriptedSource } from '../src/admin/scripted-source.ts';
import { NO_AUDIT, NO_KEYS, NO_TLS } from '../helpers/gatekeeper.ts';
import { World } from '../helpers/world.ts';

const ACCEPTED: readonly (readonly [name: string, value: unknown])[] = [
  ['high', 80],
  ['min', 2],
  ['target', 100],
  ['period', '5s'],
  ['period', '1m30s'],
  ['allocateCooldown', 0],
  ['noFlap', true],
  ['noFlap', 'auto'],
  ['policy', 'hpa'],
  ['policyParameters.nearness', 15],
  ['policyParameters.preset', 'paper-literal'],
];

const REFUSED: readonly (readonly [name: string, value: unknown, sentence: string])[] = [
  ['min', 0, 'min is 0: a whole number from 1 to 100000 is expected.'],
  ['target', 500, 'target is 500: a number from 0 to 100 is expected.'],
  ['high', 'much', 'high is "much": a number from 0 to 100 is expected.'],
  ['window', 2.5, 'window is 2.5: a whole number from 1 to 60 is expected.'],
  ['period', 10, 'period is 10: it has no unit; did you mean 10s?'],
  ['period', 5000, 'period is 5000: it has no unit; did you mean 5s?'],
  ['period', '2d', 'period is 2d: a duration from 100ms to 1h is expected.'],
  ['period', 'soon', 'period is "soon": a duration such as 500ms, 10s, 2m, 1h30m or 7d is expected.'],
  ['noFlap', 'yes', 'noFlap is "yes": one of auto, true, false is expected.'],
  ['policy', 'magic', 'policy is "magic": one of '],
  ['hihg', 80, 'hihg; did you mean high?'],
  ['low', 75, 'low (75) must be below high (70): raise high or lower low.'],
  ['policyParameters.nearness', 500, 'policyParameters.nearness is 500: a number from 0 to 100 is expected.'],
  ['policyParameters.targt', 5, 'policyParameters.targt is unknown to mmeliot; there are: '],
];

describe('a value of a setting', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mmeliot-settings-'));
  let loop: ControlLoop;
  let admin: AdminServer;

  before(async () => {
    loop = new World().loop();
    const source: AdminSource = Object.assign(new ScriptedSource(), {
      async setParameters(changes: Readonly<Record<string, unknown>>) {
        const warnings = await loop.setParameters(decodeChanges(changes, DEFAULT_PARAMETERS), 'a test');
        return { parameters: DEFAULT_PARAMETERS, warnings };
      },
    });
    const metrics = { contentType: 'text/plain', text: async () => '' };
    const log = { error: () => undefined };
    admin = await startAdminServer(
      { host: '127.0.0.1', port: 0, token: '', viewerToken: '', tls: NO_TLS },
      { source, keys: NO_KEYS, audit: NO_AUDIT, metrics, log },
    );
  });
  after(async () => {
    await admin.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => (loop = new World().loop()));

  async function complaint(act: () => unknown): Promise<string> {
    try {
      await act();
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  }

  function byFile(name: string, value: unknown): unknown {
    const [key = '', own] = name.split('.');
    const file = join(folder, 'mmeliot.yaml');
    writeFileSync(file, stringify({ elasticity: { [key]: own === undefined ? value : { [own]: value } } }));
    return loadConfig({ file, env: {} });
  }

  const bySet = (name: string, value: unknown): unknown =>
    loadConfig({ env: {}, set: [`elasticity.${name}=${String(value)}`] });

  const byCommand = (name: string, value: unknown): unknown => byApi(parseAssignments([`${name}=${String(value)}`]));

  async function byApi(changes: Readonly<Record<string, unknown>>): Promise<void> {
    const answer = await fetch(`${admin.url}api/parameters`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(changes),
    });
    const { error } = (await answer.json()) as { error?: { message: string } };
    if (error !== undefined) throw new Error(error.message);
  }

  const ways = {
    'a file': byFile,
    '--set': bySet,
    'mmeliot set': byCommand,
    'the API': (name: string, value: unknown) => byApi({ [name]: value }),
  };

  for (const [name, value] of ACCEPTED)
    it(`is taken by all: ${name} ${JSON.stringify(value)}`, async () => {
      for (const [way, act] of Object.entries(ways)) {
        loop = new World().loop();
        expect(await complaint(() => act(name, value)), way).to.equal('');
      }
    });

  for (const [name, value, sentence] of REFUSED)
    it(`is refused by all: ${name} ${JSON.stringify(value)}`, async () => {
      const told = [];
      for (const act of Object.values(ways)) told.push(await complaint(() => act(name, value)));
      for (const [i, text] of told.entries()) expect(text, Object.keys(ways)[i]).to.include(sentence);
      // the same to its end, whatever says where it stands
      const ends = told.map((text) => text.slice(text.indexOf(sentence)));
      expect(new Set(ends).size, ends.join('\n')).to.equal(1);
      expect(told[0]).to.match(/^\/.*mmeliot\.yaml(, line \d, column \d)?: /);
    });
});
