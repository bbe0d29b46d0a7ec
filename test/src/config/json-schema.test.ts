// The JSON schema, which editors show people's files by, and the program take the same.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { readConfigText } from '../../../src/config/file.ts';
import { parseConfig } from '../../../src/config/load.ts';
import { jsonSchema, listed } from '../../../src/config/print.ts';
import { schema, settings } from '../../../src/config/schema.ts';
import { isDeclaration, type Declaration, type Sections } from '../../../src/settings/declaration.ts';
import { read, write } from '../../../src/settings/values.ts';
import { seeded } from '../../../src/random.ts';
import { writtenName } from '../../../src/config/names.ts';
import { runs } from '../../helpers/runs.ts';
import { pick, type Random } from '../../fuzz/queries/chance.ts';

const validate = new Ajv2020({ strict: false }).compile(jsonSchema());
const described = (value: unknown): boolean => validate(value) === true;

const ODD: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    1,
    -1,
    0.5,
    7,
    8080,
    70_000,
    1e300,
    '',
    ' ',
    'auto',
    'a',
    'A b',
    '/',
    '/a',
    '*',
    'off',
    '-',
  ],
  ...['0', '5', '5s', '1h30m', '1m30', '5 s', '-5s', '1.5d', '100MB', '1 GB', '8KiB', 'http://a', 'https://a.b:1/c'],
  ...['a; b', '/a;/b', [], ['a'], ['/a'], ['https://a'], ['a', 1], [null], {}, { a: 1 }, 'ftp://x@y', 'subnet-0a'],
];
const OWN_FORM = 'data';

/** Of its own kind and near it. */
const valuesFor = (declaration: Declaration): readonly unknown[] => {
  const { min = 0, max = 9 } = declaration as { min?: number; max?: number };
  const near = [min, max, min - 1, max + 1, min + 0.5].map((value) => write(declaration, value));
  const choices = declaration.type === 'choice' ? declaration.choices : [];
  return [...ODD, ...near, ...choices, write(declaration, declaration.default)];
};

/** A duration or a size with its unit, be it too long or too short. */
const isQuantity = ({ type }: Declaration, value: unknown): boolean =>
  ['duration', 'size'].includes(type) && 'value' in read({ type: type as 'size', default: 0, doc: '' }, value);

const within = (path: readonly string[], value: unknown): unknown =>
  path.reduceRight((inner, name) => ({ [name]: inner }), value);

const isTaken = (text: string, env = {}): boolean => {
  try {
    const { value } = readConfigText(text, 'a.yaml', env);
    return parseConfig(value, 'a.yaml') !== undefined;
  } catch {
    return false;
  }
};

/** A configuration with a few settings, most of them as they may be. */
function some(random: Random, sections: Sections): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(sections)
      .filter(() => random() < 0.25)
      .map(([name, entry]): [string, unknown] => {
        if (!isDeclaration(entry)) return [writtenName(name), random() < 0.1 ? null : some(random, entry)];
        const values = valuesFor(entry);
        const right = values.filter((value) => 'value' in read(entry, value));
        return [writtenName(name), pick(random, random() < 0.97 ? right : values)];
      }),
  );
}

describe('the JSON schema of the configuration', () => {
  for (const { path, declaration } of listed()) {
    if (declaration.type === OWN_FORM) continue;
    it(`takes for ${path.join('.')} what the program takes`, () => {
      for (const value of valuesFor(declaration)) {
        // whose bounds no schema can say
        if (isQuantity(declaration, value)) continue;
        const taken = 'value' in read(declaration, value);
        expect(described(within(path, value)), JSON.stringify(value)).to.equal(taken);
      }
    });
  }

  it('takes sections with nothing below', () => {
    const texts = [
      '',
      'gateway:',
      'gateway: { tls: }',
      'roles:',
      'roles: { work: }',
      'elasticity:',
      'ec2:',
      'roles: {}',
    ];
    for (const text of texts) {
      expect(isTaken(text), text).to.equal(true);
      const given = text === '' ? null : readAs(text);
      expect(described(given), text).to.equal(true);
    }
    for (const text of ['gateway: { port: }', 'epcis: { work: { jobClasses: } }', 'gateway: 1', 'roles: { walk: }']) {
      expect(isTaken(text), text).to.equal(false);
      expect(described(readAs(text)), text).to.equal(false);
    }
  });

  it('takes what the environment is to be put in', () => {
    const texts = [
      'elasticity: { period: "${P}" }',
      'elasticity: { policy: "${P}" }',
      'group: "${P}"',
      'gateway: { perVm: "${P}" }',
    ];
    for (const [text, P] of texts.map((each, i) => [each, ['10s', 'mmeliot', 'a', 'auto'][i]])) {
      expect(isTaken(text ?? '', { P }), text).to.equal(true);
      expect(described(readAs(text ?? '')), text).to.equal(true);
    }
    expect(isTaken('gateway: { port: "${P}" }', { P: '80' }), 'a text is no number').to.equal(false);
    expect(described({ gateway: { port: '${P}' } })).to.equal(false);
  });

  it('and the program take the same of what has a form of its own', () => {
    const client = { subject: 'CN=a', client: 'a', roles: ['query'] };
    const issuer = { name: 'a', issuer: 'i', audience: 'u', jwks: '/f', roles: ['query'] };
    const wholes: readonly (readonly [config: unknown, taken: boolean])[] = [
      [{ identity: { certificates: [client] } }, true],
      [{ identity: { certificates: [{ ...client, roles: 'query; capture' }] } }, true],
      [{ identity: { certificates: [{ ...client, roles: ['fly'] }] } }, false],
      [{ identity: { certificates: [{ client: 'a', roles: ['query'] }] } }, false],
      [{ identity: { certificates: [{ subject: 'CN=a', roles: ['query'] }] } }, false],
      [{ identity: { issuers: [issuer] } }, true],
      [{ identity: { issuers: [{ ...issuer, name: undefined }] } }, false],
      [{ identity: { issuers: {} } }, false],
      [{ gateway: { queue: { classes: [{ name: 'a', deadline: '1s' }] } } }, true],
      [{ gateway: { queue: { classes: [{ name: 'a', deadline: 1 }] } } }, false],
      [{ gateway: { queue: { classes: [] } } }, false],
      [
        { epcis: { work: { jobClasses: [{ name: 'a', rules: [{ bytes: '1MB' }, { bytes: 5 }, { path: '/a' }] }] } } },
        true,
      ],
      [{ epcis: { work: { jobClasses: [{ name: 'a', rules: [{ bytes: -1 }] }] } } }, false],
      [{ epcis: { work: { jobClasses: [{ name: 'a', rules: [{ bytes: 'much' }] }] } } }, false],
      [{ roles: { work: { max: 4 } } }, true],
      [{ roles: { work: [] } }, false],
      [{ elasticity: { policyParameters: { preset: 'paper-literal' } } }, true],
      [{ elasticity: { policyParameters: [] } }, false],
    ];
    for (const [config, taken] of wholes) {
      const text = stringify(config);
      expect(schema.safeParse(readAs(text)).success, text).to.equal(taken);
      expect(described(readAs(text)), text).to.equal(taken);
    }
  });

  it('and the program take the same, whatever is set', () => {
    const { numRuns, seed = 18 } = runs(300, 18);
    const random = seeded(seed);
    let [taken, refused] = [0, 0];
    for (let n = 0; n < numRuns; n++) {
      const config = some(random, settings);
      const text = stringify(config);
      const byEditor = described(config);
      if (isTaken(text)) {
        taken++;
        expect(byEditor, `case ${n} of seed ${seed}: ${JSON.stringify(validate.errors)}\n${text}`).to.equal(true);
      } else if (!byEditor) refused++;
      // what settings may not be together is seen only by the program
      if (byEditor) expect(whyNot(config), `case ${n} of seed ${seed}\n${text}`).to.deep.equal([]);
    }
    expect(Math.min(taken, refused)).to.be.greaterThan(numRuns / 50);
  });
});

/** As an editor sees it: nothing put in. */
const readAs = (text: string): unknown => readConfigText(text, 'a.yaml', { P: '${P}' }).value;

/** What is wrong with single settings, but for bounds of quantities and what policies say of their own. */
function whyNot(config: unknown): readonly string[] {
  const result = schema.safeParse(JSON.parse(JSON.stringify(config, (_, value: unknown) => value ?? undefined)));
  const messages = result.error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`) ?? [];
  return messages.filter((message) => !/: a (duration|size) (from|up)|policyParameters/.test(message));
}
