import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { loadConfig, parseConfig } from '../../../src/config/load.ts';
import { exampleFile, jsonSchema, reference, toYaml } from '../../../src/config/print.ts';
import { MmeliotError } from '../../../src/errors.ts';

const OF_CLOUD =
  'repository: { url: "mysql://u:p@10.0.0.2:3306/d" }, opennebula: { user: u, password: p, collector: "10.0.0.3:1" }';
const ISSUER = '{ name: a, issuer: i, audience: u, jwks: /f, roles: [query] }';

const DEFAULTS = loadConfig({ env: {} });

const sentenceOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    expect(error).to.be.instanceOf(MmeliotError);
    return (error as MmeliotError).message;
  }
  throw new Error('it was accepted');
};

describe('configuration', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mmeliot-config-'));
  const file = join(folder, 'mmeliot.yaml');
  const withFile = (text: string, env = {}, set: string[] = []) => {
    writeFileSync(file, text);
    return loadConfig({ file, env, set });
  };

  after(() => rmSync(folder, { recursive: true }));

  it('takes an IPv6 address with its port for what it is, though it begins as a list does', () => {
    expect(withFile('', {}, ['opennebula.collector=[fd00::1]:8082']).opennebula.collector).to.equal('[fd00::1]:8082');
  });

  it('works without any file', () => {
    expect(loadConfig({ env: {}, set: ['gateway.port=9001'] }).gateway.port).to.equal(9001);
    expect(loadConfig({ env: {} }).gateway.port, 'after another without any').to.equal(8080);
  });

  it('takes --set over the file and the file over the defaults', () => {
    const config = withFile('{ access: open, gateway: { port: 9000, host: 0.0.0.0 } }', {}, ['gateway.port=9001']);
    expect(config.gateway).to.include({ port: 9001, host: '0.0.0.0' });
  });

  it('reads a setting of the command line as what it looks like', () => {
    const config = loadConfig({ env: {}, set: ['repository.url=mysql://a:b@c:3306/d', 'local.cpu=0.5'] });
    expect(config.repository.url).to.equal('mysql://a:b@c:3306/d');
    expect(config.local.cpu).to.equal(0.5);
  });

  it('takes a section whose settings are all commented out for one that says nothing', () => {
    expect(withFile('gateway:\n  # port: 1\nelasticity:\nadmin: { port: 9 }')).to.deep.equal(
      withFile('admin: { port: 9 }'),
    );
    expect(sentenceOf(() => withFile('gateway:\n  port:\n'))).to.include('gateway.port is null: a whole number');
  });

  it('reads a file with the mark of its encoding, and refuses one that is no UTF-8', () => {
    expect(withFile('\uFEFFadmin: { port: 9 }\r\n').admin.port).to.equal(9);
    writeFileSync(file, Buffer.from('dataDir: /home/j\xfcrgen', 'latin1'));
    expect(sentenceOf(() => loadConfig({ file, env: {} }))).to.match(/is no text in UTF-8: save it as such\.$/);
  });

  it('puts environment variables into strings', () => {
    expect(withFile('repository: { url: "mysql://u:${PASS}@h/d" }', { PASS: 'x' }).repository.url).to.equal(
      'mysql://u:x@h/d',
    );
    expect(sentenceOf(() => withFile('repository: { url: "${PASS}" }'))).to.match(/PASS.*not set in the environment/);
  });

  const wrong: Record<string, [string, RegExp]> = {
    'an unknown key': [
      'gateway: { prt: 1 }',
      /line 1, column 12: there is no setting gateway.prt; did you mean port\?$/,
    ],
    'a duration by the name that code has': [
      'gateway: { queue: { deadlineMs: 5000 } }',
      /there is no setting gateway\.queue\.deadlineMs: write deadline, with its unit \(5s\)\.$/,
    ],
    'the deadline of a class by its former name': [
      'gateway: { queue: { classes: [{ name: all, deadlineMs: 5000 }] } }',
      /line 1, column \d+: there is no setting gateway\.queue\.classes\.0\.deadlineMs: write deadline, with its unit \(5s\)\.$/,
    ],
    'the deadline of a class without its unit': [
      'gateway: { queue: { classes: [{ name: all, deadline: 5 }] } }',
      /gateway\.queue\.classes\.0\.deadline is 5: it has no unit; did you mean 5s\?$/,
    ],
    'a wrong type': [
      'gateway: { port: abc }',
      /line 1, column 12: gateway\.port is "abc": a whole number from 0 to 65535 is expected\.$/,
    ],
    'a value out of range': ['gateway: { port: 70000 }', /gateway\.port is 70000: .*65535/],
    'a bad choice': ['provider: amazon', /provider is "amazon": one of local, opennebula, ec2/],
    'a choice with a slip': ['elasticity: { policy: raect }', /one of eliot, .* is expected; did you mean react\?$/],
    'a section that is a text': [
      'repository: sqlite:x',
      /line 1, column 1: repository is a section, with settings such as repository\.url\.$/,
    ],
    'a section that is a list': [
      'gateway: [{ port: 1 }]',
      /: gateway is a section, with settings such as gateway\.host\.$/,
    ],
    'a path as one key': [
      'elasticity.period: 5s',
      /line 1, column 1: there is no setting elasticity\.period; did you mean elasticity: \{ period: … \}\?$/,
    ],
    'a setting of another section': [
      'gateway: { high: 60 }',
      /there is no setting gateway\.high; did you mean elasticity\.high\?$/,
    ],
    'a setting of another section, with a slip': [
      'perod: 5s',
      /there is no setting perod; did you mean elasticity\.period\?$/,
    ],
    'a setting of several sections': [
      'url: x',
      /there is no setting url; did you mean repository\.url or opennebula\.url\?$/,
    ],
    'an alias of nothing': [
      'elasticity:\n  max: *b',
      /line 2, column 8: \*b stands for nothing: there is no &b before it\.$/,
    ],
    'low above high': ['elasticity: { low: 80, high: 70 }', /line 1, column 15: .*low.*high/],
    'min above max': ['elasticity:\n  min: 5\n  max: 4', /line 2, column 3: elasticity: min.*max/],
    'a bad duration': ['elasticity: { period: 10 seconds }', /elasticity\.period is "10 seconds": a duration such as/],
    'a bad repository URL': ['repository: { url: "postgres://x/y" }', /repository\.url/],
    'HTTP/2 that nothing speaks': ['gateway: { http2: true }', /gateway\.dataPlane to haproxy/],
    'two listeners on one port': ['admin: { port: 8080 }', /both 8080/],
    'a gateway that others reach, and nobody said whom it serves': [
      'gateway: { host: 0.0.0.0 }',
      /set access to known .* or to open/,
    ],
    'VMs of OpenNebula that answer whoever goes round a gateway on loopback': [
      `{ provider: opennebula, ${OF_CLOUD} }`,
      /provider is opennebula: its VMs can be reached .* set access to known .* or to open/,
    ],
    'traces that VMs elsewhere would send to themselves': [
      `{ provider: opennebula, access: open, tracing: { endpoint: "http://localhost:4318" }, ${OF_CLOUD} }`,
      /tracing.endpoint is http:\/\/localhost:4318: VMs of opennebula would look for it on themselves/,
    ],
    'a collector with a login in its URL': [
      'tracing: { endpoint: "http://me:secret@127.0.0.1:4318" }',
      /tracing.endpoint .*without a login in it/,
    ],
    'VMs of EC2 that do': [
      `{ provider: ec2, access: auto, ${OF_CLOUD} }`,
      /provider is ec2: its VMs .* set access to known/,
    ],
    'a gateway elsewhere that would be told the secret in plain text': [
      'manager: { gateways: ["http://[::1]:8083", "http://10.0.0.7:8083"] }',
      /manager\.gateways http:\/\/10\.0\.0\.7:8083: .* write https\.$/,
    ],
    'a tenant without a repository': [
      '{ identity: { tenantTerms: [{ name: west }] }, epcis: { tenants: [north] } }',
      /identity\.tenantTerms: tenant west is not among epcis\.tenants, so it has no repository; there are: north/,
    ],
    'a host of two tenants': [
      '{ identity: { tenantTerms: [{ name: a, hosts: [x.org] }, { name: b, hosts: [x.org] }] }, epcis: { tenants: [a, b] } }',
      /identity\.tenantTerms: x\.org is a host of two/,
    ],
    'an origin that is empty': [
      'epcis: { corsOrigins: [""] }',
      /: epcis\.corsOrigins is \[""\]: a list, each an origin such as https:\/\/app\.example\.org, or \*, is expected\./,
    ],
    'an origin that no browser sends': [
      'epcis: { corsOrigins: ["https://app.example.org:443"] }',
      /^[^:]*: epcis: 'https:\/\/app\.example\.org:443' is no origin: write it like https:/,
    ],
    'a path of both versions of EPCIS': ['epcis: { restPrefix: /epcis }', /epcis: '\/epcis' cannot be both/],
    'tenants of nobody': ['epcis: { tenants: [north] }', /epcis: There are tenants, and access is off/],
    'a target of subscriptions that is none': [
      'epcis: { subscriptionTargets: ["crm.example.org:https"] }',
      /epcis\.subscriptionTargets: 'crm\.example\.org:https' is no target: write it like/,
    ],
    'a certificate for a tenant without a repository': [
      'identity: { certificates: [{ subject: CN=a, client: a, roles: [query], tenant: west }] }',
      /identity\.certificates, a: tenant west is not among epcis\.tenants/,
    ],
    'an issuer whose clients wait in a class that there is not': [
      'identity: { issuers: [{ name: a, issuer: i, audience: u, jwks: /f, roles: [query], requestClass: first }] }',
      /identity\.issuers, a: requestClass first is not among gateway\.queue\.classes; there are: /,
    ],
    'an issuer whose clients may do nothing': [
      'identity: { issuers: [{ name: a, issuer: i, audience: u, jwks: /f }] }',
      /identity\.issuers, a: give roles or rolesClaim/,
    ],
    'an issuer whose clients would go by hosts that there are not': [
      'identity: { issuers: [{ name: a, issuer: i, audience: u, jwks: /f, roles: [query], tenantByHost: true }] }',
      /identity\.issuers, a: tenantByHost goes by the hosts in identity\.tenantTerms, and there are none/,
    ],
    'an open admin page without a token': ['admin: { host: 0.0.0.0 }', /admin\.token/],
    'no mapping': ['- 1', /mapping/],
    'no YAML': ['a: [', /not a YAML/],
    'what is nested too deeply': [`${'- '.repeat(20_000)}\n- b`, /it is nested too deeply/],
    'several documents': [
      'group: a\n---\ngroup: b\n',
      /line 2.*: several documents stand in it \(---\), and one is read\.$/,
    ],
    'a tag that nothing here knows': [
      'admin:\n  token: !vault abc\n',
      /line 2, column 10: .*nothing here knows the tag: !vault; write the value itself\.$/,
    ],
    'an alias that stands for what it is a part of': [
      'gateway: &a [*a]',
      /column 14: \*a stands for what it is a part of/,
    ],
  };
  for (const [what, [text, message]] of Object.entries(wrong)) {
    it(`refuses ${what} in one sentence`, () => {
      const sentence = sentenceOf(() => withFile(text));
      expect(sentence).to.match(message);
      expect(sentence).not.to.include('\n');
    });
  }

  for (const provider of ['opennebula', 'ec2'])
    for (const access of ['access: open', 'access: known', `identity: { issuers: [${ISSUER}] }`])
      it(`takes VMs of ${provider} with ${access.split(':', 2).join(':')}`, () => {
        expect(withFile(`{ provider: ${provider}, ${access}, ${OF_CLOUD} }`).provider).to.equal(provider);
      });

  it('refuses a key that only JavaScript knows', () => {
    for (const assignment of ['__proto__.x=1', 'gateway.__proto__.port=1', '__proto__=1', 'constructor.prototype=1'])
      expect(
        sentenceOf(() => loadConfig({ set: [assignment], env: {} })),
        assignment,
      ).to.match(/there is no setting/);
    expect(({} as Record<string, unknown>)['x']).to.equal(undefined);
  });

  for (const [what, content, sentence] of [
    ['is empty, such as a secret that was not mounted', '\n', /token, which is to be put here, is empty\.$/],
    ['is no text', Buffer.of(0xff, 0xfe, 0), /token, which is to be put here, is no text in UTF-8\.$/],
  ] as const)
    it(`refuses to put in what a file holds that ${what}: nobody would be asked for it, or could say it`, () => {
      const token = join(folder, 'token');
      writeFileSync(token, content);
      expect(sentenceOf(() => withFile(`admin: { token: "\${file:${token}}" }`))).to.match(sentence);
    });

  for (const [what, path, why] of [
    ['a device that never ends', '/dev/zero', 'has more than 8 MiB'],
    ['a device that holds nothing', '/dev/null', 'is empty'],
    ['a folder', folder, 'is a folder'],
  ] as const)
    it(`says of ${what}, which is to be put in, that it is none to put in`, () => {
      expect(sentenceOf(() => withFile(`admin: { token: "\${file:${path}}" }`))).to.match(
        new RegExp(`${path}, which is to be put here, ${why}\\.$`),
      );
      if (path !== '/dev/null')
        expect(sentenceOf(() => loadConfig({ file: path, env: {} }))).to.equal(
          `the configuration file ${path} ${why}.`,
        );
    });

  it('shows the beginning of a value that is very long', () => {
    expect(sentenceOf(() => withFile(`group: ${'X'.repeat(5_000)}`)).length).to.be.below(300);
  });

  it('says of a key that is a list what it says of every key, and nothing beside', () => {
    const warnings: Error[] = [];
    const listen = (warning: Error) => void warnings.push(warning);
    process.on('warning', listen);
    expect(sentenceOf(() => withFile('? [a, b]\n: 1\n'))).to.match(/there is no setting \[ a, b \]/);
    return new Promise((resolve) => setImmediate(resolve)).then(() => {
      process.off('warning', listen);
      expect(warnings).to.deep.equal([]);
    });
  });

  it('refuses a file that does not exist', () => {
    expect(sentenceOf(() => loadConfig({ file: '/nowhere/x.yaml', env: {} }))).to.match(/does not exist/);
  });

  it('ships an example file that equals the defaults', () => {
    const text = readFileSync('src/config/mmeliot.example.yaml', 'utf8');
    expect(text, 'run: npm run docs').to.equal(exampleFile());
    expect(parseConfig(parse(text), 'example')).to.deep.equal(DEFAULTS);
  });

  it('ships a reference of all settings', () => {
    expect(readFileSync('src/config/CONFIG.md', 'utf8'), 'run: npm run docs').to.equal(reference());
  });

  it('describes every setting', () => {
    for (const line of reference().split('\n').slice(6)) expect(line).to.not.match(/\|\s+\|$/);
  });

  it('prints what it would read again, without secrets', () => {
    const printed = toYaml(loadConfig({ env: {}, set: ['repository.url=mysql://u:hush@h/d', 'admin.token=hush'] }));
    expect(printed).to.include('mysql://u:***@h/d').and.not.include('hush');
    expect(parseConfig(parse(toYaml(DEFAULTS)), 'printed')).to.deep.equal(DEFAULTS);
  });

  it('reads and prints the deadline of a class as every duration', () => {
    const config = withFile('gateway: { queue: { classes: [{ name: all, deadline: 250ms }] } }');
    expect(config.gateway.queue.classes).to.deep.equal([{ name: 'all', deadline: 250 }]);
    expect(parse(toYaml(config))).to.have.nested.property('gateway.queue.classes[0].deadline', '250ms');
  });

  it('has a JSON schema that knows its keys', () => {
    expect(jsonSchema()).to.have.nested.property('properties.gateway.properties.port');
  });
});
