// One declaration, four ways in: each accepts and refuses the same values, in the same words.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { startAdminServer, type AdminServer } from '../../src/admin/server.ts';
import type { AdminSource } from '../../src/admin/source.ts';
import { readKeyRequest } from '../../src/access/key-request.ts';
import { parseAssignments, decodeChanges } from '../../src/config/changes.ts';
import { loadConfig } from '../../src/config/load.ts';
import { writtenName } from '../../src/config/names.ts';
import { workParametersOf } from '../../src/config/roles.ts';
import { namedIn } from '../../src/config/rules.ts';
import { settings } from '../../src/config/schema.ts';
import { DEFAULT_PARAMETERS, elasticitySettings, settingsOf } from '../../src/decide/parameters.ts';
import { fleetSettings } from '../../src/fleet/settings.ts';
import { isDeclaration, type Declaration, type Sections } from '../../src/settings/declaration.ts';
import { write } from '../../src/settings/values.ts';
import { createControlLoop, type ControlLoop } from '../../src/loop/control-loop.ts';
import { ScriptedSource } from '../src/admin/scripted-source.ts';
import { NO_AUDIT, NO_KEYS, NO_TLS } from '../helpers/gatekeeper.ts';
import { World } from '../helpers/world.ts';

/** What the rules know beside the declarations, and what is told in a sentence of its own. */
const ACCEPTED: readonly (readonly [section: Section, name: string, value: unknown])[] = [
  ['elasticity', 'period', '1m30s'],
  ['elasticity', 'allocateCooldown', 0],
  ['elasticity', 'policyParameters.nearness', 15],
  ['elasticity', 'policyParameters.preset', 'paper-literal'],
  ['fleet', 'protected', ['vm-1', 'vm-2']],
  ['work', 'min', 0],
  ['work', 'policyParameters.grace', '1m'],
];

const REFUSED: readonly (readonly [section: Section, name: string, value: unknown, sentence: string])[] = [
  ['elasticity', 'min', 0, 'min is 0: a whole number from 1 to 100000 is expected.'],
  ['elasticity', 'target', 500, 'target is 500: a number from 0 to 100 is expected.'],
  ['elasticity', 'period', 10, 'period is 10: it has no unit; did you mean 10s?'],
  ['elasticity', 'period', 5000, 'period is 5000: it has no unit; did you mean 5s?'],
  ['elasticity', 'hihg', 80, 'hihg; did you mean high?'],
  ['elasticity', 'low', 75, 'low (75) must be below high (70): raise high or lower low.'],
  [
    'elasticity',
    'policyParameters.nearness',
    500,
    'policyParameters.nearness is 500: a number from 0 to 100 is expected.',
  ],
  ['elasticity', 'policyParameters.targt', 5, 'policyParameters.targt is unknown to mmeliot; there are: '],
  ['fleet', 'spotShare', 101, 'spotShare is 101: a number from 0 to 100 is expected.'],
  ['fleet', 'quietHours', 'at night', 'quietHours: in "at night" "at" is neither hours, nor days,'],
  ['fleet', 'memory', 512, 'memory is 512: it has no unit; did you mean 512B?'],
  ['work', 'min', -1, 'min is -1: a whole number from 0 to 100000 is expected.'],
  ['work', 'max', 0, 'max is 0: a whole number from 1 to 100000 is expected.'],
  ['work', 'policyParameters.within', 5, 'policyParameters.within is 5: it has no unit; did you mean 5s?'],
  ['work', 'spotShar', 5, 'spotShar; did you mean spotShare?'],
];

/** Of the configuration alone: what can't be changed while it runs. */
const FIXED: readonly (readonly [name: string, value: unknown, sentence: string])[] = [
  ['gateway.port', 70_000, 'gateway.port is 70000: a whole number from 0 to 65535 is expected.'],
  ['gateway.queue.deadline', 5, 'gateway.queue.deadline is 5: it has no unit; did you mean 5s?'],
  ['epcis.restPrefix', 'v2', 'epcis.restPrefix is "v2": a path such as /epcis/v2, or nothing, is expected.'],
  [
    'epcis.limits.captureBytes',
    '1 MB',
    'epcis.limits.captureBytes is "1 MB": a size such as 64kB, 100MB or 1GiB is expected.',
  ],
  ['epcis.pageToken', '500ms', 'epcis.pageToken is 500ms: a duration from 1s on is expected.'],
];

type Section = 'elasticity' | 'fleet' | 'work';

/** Values at the bounds of a declaration and beyond them, as people write them. */
function tried(declaration: Declaration): readonly unknown[] {
  switch (declaration.type) {
    case 'number':
    case 'whole': {
      const { min = -1, max = 1e9, or } = declaration;
      return [min, min - 1, max + 1, min + 0.5, 'much', ...(or === undefined ? [] : [or])];
    }
    case 'duration':
    case 'size': {
      const { min = 0, max = 1e9 } = declaration;
      return [
        write(declaration, min),
        write(declaration, max),
        write(declaration, max + 1),
        min - 1,
        10,
        'soon',
        '5 s',
      ];
    }
    case 'choice':
      return [declaration.choices[0], 'magic', 7];
    case 'flag':
      return [true, 'yes'];
    case 'text':
      return [declaration.default, 'a b', 5];
    case 'list':
      return [declaration.default, 'a b', [5]];
    case 'name':
      return [declaration.default, -1];
    case 'data':
      return [];
  }
}

/** Every declaration with its path, as it stands in a file. */
const leaves = (sections: Sections, above: readonly string[] = []): readonly (readonly [string, Declaration])[] =>
  Object.entries(sections).flatMap(([name, entry]) => {
    const path = [...above, writtenName(name)];
    return isDeclaration(entry) ? [[path.join('.'), entry] as const] : leaves(entry, path);
  });

describe('a value of a setting', function () {
  this.timeout(60_000);
  const folder = mkdtempSync(join(tmpdir(), 'mmeliot-settings-'));
  const loops: Record<'clients' | 'work', ControlLoop> = { clients: new World().loop(), work: new World().loop() };
  let admin: AdminServer;

  /** What the role's loop goes by before anything is changed. */
  const BEFORE = {
    clients: DEFAULT_PARAMETERS,
    work: workParametersOf(loadConfig({ env: {}, set: ['roles={work: {}}'] })) ?? DEFAULT_PARAMETERS,
  };
  const anew = () => {
    loops.clients = new World().loop();
    loops.work = createControlLoop({ ...new World().deps(BEFORE.work), role: 'work' });
  };

  before(async () => {
    const sourceOf = (role: 'clients' | 'work'): AdminSource =>
      Object.assign(new ScriptedSource(), {
        async setParameters(changes: Readonly<Record<string, unknown>>) {
          const patch = decodeChanges(changes, BEFORE[role], role === 'work' ? role : undefined);
          const warnings = await loops[role].setParameters(patch, 'a test');
          return { parameters: DEFAULT_PARAMETERS, warnings };
        },
      });
    const source = Object.assign(sourceOf('clients'), { work: sourceOf('work') });
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
  beforeEach(anew);

  async function complaint(act: () => unknown): Promise<string> {
    try {
      await act();
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  }

  const inFile = (path: readonly string[], value: unknown): unknown =>
    path.reduceRight<unknown>((inside, key) => ({ [key]: inside }), value);

  function byFile(path: readonly string[], value: unknown): unknown {
    const file = join(folder, 'mmeliot.yaml');
    writeFileSync(file, stringify(inFile(path, value)));
    return loadConfig({ file, env: {} });
  }

  const typed = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
  const bySet = (path: readonly string[], value: unknown): unknown =>
    loadConfig({ env: {}, set: [`${path.join('.')}=${typed(value)}`] });

  async function byApi(role: string, changes: Readonly<Record<string, unknown>>): Promise<void> {
    const answer = await fetch(`${admin.url}api${role}/parameters`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(changes),
    });
    const { error } = (await answer.json()) as { error?: { message: string } };
    if (error !== undefined) throw new Error(error.message);
  }

  type Way = (section: Section, name: string, value: unknown) => unknown;

  const placeOf = (section: Section, name: string): readonly string[] => [
    ...(section === 'work' ? ['roles', 'work'] : [section]),
    ...(section === 'work' ? [name] : name.split('.')),
  ];
  const roleOf = (section: Section): string => (section === 'work' ? '/roles/work' : '');
  const ways: Readonly<Record<string, Way>> = {
    'a file': (section, name, value) => byFile(placeOf(section, name), value),
    '--set': (section, name, value) =>
      section === 'work'
        ? bySet(['roles'], inFile(placeOf(section, name).slice(1), value))
        : bySet(placeOf(section, name), value),
    'mmeliot set': (section, name, value) => byApi(roleOf(section), parseAssignments([`${name}=${typed(value)}`])),
    'the API': (section, name, value) => byApi(roleOf(section), { [name]: value }),
  };

  async function toldOf(section: Section, name: string, value: unknown): Promise<readonly string[]> {
    const told: string[] = [];
    for (const act of Object.values(ways)) {
      anew();
      told.push(await complaint(() => act(section, name, value)));
    }
    return told;
  }

  for (const [section, name, value] of ACCEPTED)
    it(`is taken by all: ${section} ${name} ${JSON.stringify(value)}`, async () => {
      expect(await toldOf(section, name, value)).to.deep.equal(['', '', '', '']);
    });

  for (const [section, name, value, sentence] of REFUSED)
    it(`is refused by all: ${section} ${name} ${JSON.stringify(value)}`, async () => {
      const told = await toldOf(section, name, value);
      for (const [i, text] of told.entries()) expect(text, Object.keys(ways)[i]).to.include(sentence);
      // the same to its end, whatever says where it stands
      const ends = told.map((text) => text.slice(text.indexOf(sentence)));
      expect(new Set(ends).size, ends.join('\n')).to.equal(1);
      expect(told[0]).to.match(/^\/.*mmeliot\.yaml(, line \d, column \d)?: /);
    });

  /** Without where it stands, and the section, which some know. */
  const endOf = (text: string): string =>
    text
      .replace(/^(\/.*?mmeliot\.yaml(, line \d+, column \d+)?|--set .*?=.*?|the command line): /, '')
      .replace(/^(roles\.work|elasticity): /, '')
      .replace(/^(elasticity|fleet)\./, '');

  for (const section of ['elasticity', 'fleet', 'work'] as const)
    it(`is judged alike by all four, whichever setting of ${section} it is`, async () => {
      const { min, max, policy, period, spotShare, memory } = settingsOf('work');
      const work = { min, max, policy, period, spotShare, memory };
      const declared = { elasticity: elasticitySettings, fleet: fleetSettings, work }[section];
      for (const [name, declaration] of leaves(declared))
        for (const value of tried(declaration)) {
          const told = (await toldOf(section, name, value)).map(endOf);
          expect(new Set(told).size, `${name}=${JSON.stringify(value)}\n${told.join('\n')}`).to.equal(1);
        }
    });

  it('is judged alike by a file and --set, whichever other setting it is, and has no place while it runs', async () => {
    const own = ['elasticity', 'fleet', 'roles'];
    const others = Object.fromEntries(Object.entries(settings).filter(([name]) => !own.includes(name)));
    let refused = 0;
    for (const [name, declaration] of leaves(others))
      for (const value of tried(declaration)) {
        const path = name.split('.');
        const told = [await complaint(() => byFile(path, value)), await complaint(() => bySet(path, value))];
        const [one, other] = told.map(endOf);
        expect(one, `${name}=${JSON.stringify(value)}`).to.equal(other);
        if (one !== '') refused++;
      }
    expect(refused).to.be.greaterThan(200);
    for (const [name, value, sentence] of FIXED) {
      expect(await complaint(() => byFile(name.split('.'), value))).to.include(sentence);
      for (const act of [
        () => byApi('', { [name]: value }),
        () => byApi('', parseAssignments([`${name}=${typed(value)}`])),
      ])
        expect(await complaint(act)).to.equal(
          `${name} cannot be changed while it runs: set it in the configuration, and start again.`,
        );
    }
  });

  it('is judged alike in the file and with a key, when it is said of a client', async () => {
    const said: readonly (readonly [string, unknown])[] = [
      ['client', 'acme@north'],
      ['client', 'a:b'],
      ['roles', ['root']],
      ['roles', []],
      ['groups', ['a b']],
      ['tenant', 'south'],
      ['requestsPerSecond', 0],
      ['requestsPerSecond', -1],
      ['eventsPerSecond', 'many'],
      ['subscriptions', 1.5],
      ['requestClass', 'bulk'],
      ['requestClass', 'first'],
    ];
    const named = namedIn(loadConfig({ env: {} }));
    const verdicts = [];
    for (const [name, value] of said) {
      const client = { client: 'acme', roles: ['query'], [name]: value };
      const file = endOf(await complaint(() => byFile(['identity', 'certificates'], [{ subject: 'CN=a', ...client }])));
      const key = readKeyRequest(client, named, 0);
      // a file says which of its clients it is
      const ofFile = file.replace(/^identity\.certificates(\.0\.|, [^:]+: )/, '');
      verdicts.push(typeof key === 'string' ? '' : name);
      expect(ofFile, `${name}=${JSON.stringify(value)}`).to.equal(typeof key === 'string' ? key : ROOTS);
    }
    expect(verdicts.filter((name) => name !== '')).to.deep.equal(['client', 'requestsPerSecond', 'requestClass']);
  });
});

/** What a file with certificates lacks besides. */
const ROOTS = 'identity.certificates: set gateway.tls.clientCa to the roots that these certificates come from.';
