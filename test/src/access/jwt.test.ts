import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { TokenReader } from '../../../src/access/recognise.ts';
import { TokenRefused } from '../../../src/access/refusals.ts';
import { readRules } from '../../../epcis/access/rules/read.ts';
import { isAbout } from '../../../epcis/access/rules/rights.ts';
import { issuerComplaint } from '../../../src/access/options.ts';
import { TokenIssuer } from '../../helpers/gatekeeper.ts';
import { listening } from '../../helpers/listening.ts';

const b64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Its header names no key. */
const unnamed = async (issuer: TokenIssuer): Promise<string> => {
  const [, payload = ''] = (await issuer.token()).split('.');
  return issuer.signed('{"alg":"RS256"}', Buffer.from(payload, 'base64url').toString());
};

describe('a token of another issuer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mmeliot-jwt-'));
  const issuer = new TokenIssuer(folder);
  before(() => issuer.rotate('one'));
  after(() => rmSync(folder, { recursive: true }));

  const reason = (token: string, now = Date.now()) =>
    issuer
      .reader()(token, now)
      .then(
        () => 'taken',
        (error: unknown) => (error as TokenRefused).message,
      );

  it('says who its client is, with what of its claims rules may go by', async () => {
    const read = issuer.reader({
      groupsClaim: 'teams',
      rolesClaim: 'scope',
      tenantClaim: 'org',
      claims: ['country', 'plants'],
    });
    const token = await issuer.token({
      ...{ teams: ['a', 'b'], scope: 'openid query nonsense', org: 'north' },
      ...{ country: 'DE', plants: ['p1', 'p2'], salary: 'secret' },
    });
    const now = Date.now();
    const { client, until } = await read(token, now);
    expect(client).to.deep.equal({
      ...{ client: 'corp:alice', groups: ['a', 'b'], roles: ['query'], issuer: 'https://login.example.org' },
      ...{ claims: { country: 'DE', plants: ['p1', 'p2'] }, tenant: 'north' },
    });
    expect(until).to.equal(now + 300_000);
  });

  it('has claims that are numbers and truth values, which rules write as texts: a denial by one must hold', async () => {
    const read = issuer.reader({ groupsClaim: 'gids', claims: ['external', 'level', 'plants', 'nothing', 'deep'] });
    const claims = {
      external: true,
      level: 3,
      plants: ['p1', 7, false, null, {}],
      nothing: null,
      deep: { external: false },
    };
    const { client } = await read(await issuer.token({ gids: [100, 'b'], ...claims }), Date.now());
    expect(client).to.deep.include({
      groups: ['100', 'b'],
      claims: { external: 'true', level: '3', plants: ['p1', '7', 'false'] },
    });
    const denying = (of: object) => {
      const rules = readRules({ rules: [{ name: 'r', for: { claims: of }, deny: 'everything' }] });
      return rules.some((rule) => isAbout(rule, client));
    };
    expect([{ external: true }, { level: 3 }, { plants: [7] }, { external: false }].map(denying)).to.deep.equal([true, true, true, false]); // prettier-ignore
  });

  it('is refused where it says in another way than by a text whose client it has, who else would have the main repository', async () => {
    const read = issuer.reader({ tenantClaim: 'org' });
    const tenantOf = async (org: unknown) =>
      read(await issuer.token({ org }), Date.now()).then(
        ({ client }) => client.tenant ?? 'none',
        ({ message }: Error) => message,
      );
    expect([await tenantOf('north'), await tenantOf(undefined)]).to.deep.equal(['north', 'none']);
    for (const odd of [['north'], 7, { name: 'north' }, true, '', null])
      expect(await tenantOf(odd)).to.equal('The token does not say whose client it has: its claim "org" is no name.');
  });

  it('is refused for another audience or issuer, out of its time, or signed in another way', async () => {
    const [, payload = ''] = (await issuer.token()).split('.');
    const hs256 = `${b64({ alg: 'HS256', kid: 'one' })}.${payload}`;
    const confused = createHmac('sha256', JSON.stringify(issuer.public)).update(hs256).digest('base64url');
    const rs = await issuer.token();
    expect(await reason(rs)).to.equal('taken');
    const wrongs: Readonly<Record<string, string>> = {
      [await issuer.token({ aud: 'another' })]: 'its claim "aud" does not hold.',
      [await issuer.token({ iss: 'https://evil.example.org' })]: 'Tokens of this issuer are not taken here.',
      [await issuer.token({}, Math.floor(Date.now() / 1000) - 31)]: 'The token has expired.',
      [await issuer.token({ nbf: Math.floor(Date.now() / 1000) + 40 })]: 'its claim "nbf" does not hold.',
      [await issuer.token({ sub: '' })]: 'The token does not say whom it is for.',
      [`${b64({ alg: 'none' })}.${payload}.`]: 'not signed by its issuer',
      [`${b64({ alg: 'None', kid: 'one' })}.${payload}.AAAA`]: 'not signed by its issuer',
      [`${hs256}.${confused}`]: 'not signed by its issuer',
      [`${rs.slice(0, -6)}AAAAAA`]: 'not signed by its issuer',
      'a.b.c': 'The token is none that can be read.',
    };
    for (const [token, sentence] of Object.entries(wrongs)) expect(await reason(token), token).to.include(sentence);
  });

  it('may be as late as clocks may be apart', async () => {
    expect(await reason(await issuer.token({}, Math.floor(Date.now() / 1000) - 25))).to.equal('taken');
  });

  it('is good by a new key of its issuer, and by an old one until that is dropped', async () => {
    const old = await issuer.token();
    await issuer.rotate('two');
    const both = [old, await issuer.token()];
    expect(await Promise.all(both.map((one) => reason(one)))).to.deep.equal(['taken', 'taken']);
    issuer.forget();
    expect(await reason(old)).to.include('not signed by its issuer');
  });

  it('is good by each of several keys of its issuer that it does not tell apart, and by no other', async () => {
    const own = mkdtempSync(join(folder, 'twins-'));
    const [twins, stranger] = [new TokenIssuer(own), new TokenIssuer(mkdtempSync(join(own, 'stranger-')))];
    await twins.rotate('same');
    const tokens = [await twins.token(), await unnamed(twins)];
    await twins.rotate('same');
    await stranger.rotate('same');
    tokens.push(await twins.token(), await unnamed(twins));
    const read = twins.reader();
    for (const token of tokens) expect((await read(token, Date.now())).client.client).to.equal('corp:alice');
    for (const token of [
      await stranger.token(),
      await unnamed(stranger),
      await twins.token({}, 1),
      await twins.token({ aud: 'another' }),
    ])
      expect(await read(token, Date.now()).catch((error: unknown) => error)).to.be.instanceOf(TokenRefused);
  });

  it('is neither taken nor refused while its issuer cannot be asked', async () => {
    const read = issuer.reader({ jwks: join(folder, 'missing.json') });
    const error = await read(await issuer.token(), Date.now()).catch((one: unknown) => one);
    expect(error).to.be.instanceOf(TokenRefused).and.include({ unavailable: true });
  });

  describe('whose issuer is asked by HTTP', () => {
    const MINUTE = 60_000;
    let answer: (response: ServerResponse) => void;
    let asked = 0;
    const server = createServer((_, response) => {
      asked++;
      answer(response);
    });
    const keys = (response: ServerResponse) => response.end(readFileSync(issuer.jwks));
    let jwks = '';
    before(async () => {
      jwks = `http://127.0.0.1:${await listening(server)}/keys`;
    });
    after(() => server.close());
    const outcome = (read: TokenReader, token: string, now: number) =>
      read(token, now).then(
        () => 'taken',
        (error: TokenRefused) => (error.unavailable ? 'unavailable' : 'refused'),
      );
    /** Each instead of an answer. */
    const failures: Readonly<Record<string, (response: ServerResponse) => void>> = {
      'breaks off': (response) => response.destroy(),
      'answers an error': (response) => void response.writeHead(500).end(),
      'sends elsewhere': (response) => void response.writeHead(302, { location: '/other' }).end(),
      'answers a page': (response) => void response.end('<html>Sign in</html>'),
      'answers what is no set of keys': (response) => void response.end('{"keys":{"kty":"RSA"}}'),
      'answers without end': (response) => {
        const more = () => {
          while (response.write('{'.repeat(100_000)));
        };
        response.on('drain', more).on('error', () => undefined);
        more();
      },
    };

    for (const [what, fail] of Object.entries(failures))
      it(`is good for an hour after that last answered, when it ${what}`, async () => {
        const read = issuer.reader({ jwks });
        const token = await issuer.token({}, '1d');
        const start = Date.now();
        answer = fail;
        expect(await outcome(read, token, start)).to.equal('unavailable');
        expect(await outcome(read, token, start + 1_000)).to.equal('unavailable');
        answer = keys;
        expect(await outcome(read, token, start + 3_000)).to.equal('taken');
        answer = fail;
        expect(await outcome(read, token, start + 50 * MINUTE)).to.equal('taken');
        expect(await outcome(read, token, start + 62 * MINUTE)).to.equal('unavailable');
        answer = keys;
        expect(await outcome(read, token, start + 63 * MINUTE)).to.equal('taken');
        // a clock that was set back
        expect(await outcome(read, token, start)).to.equal('taken');
      });

    it('makes it be asked for a key that is not known, but seldom', async () => {
      answer = keys;
      const read = issuer.reader({ jwks });
      const start = Date.now();
      expect(await outcome(read, await issuer.token(), start)).to.equal('taken');
      await issuer.rotate('three');
      const token = await issuer.token();
      asked = 0;
      expect(await outcome(read, token, start + 1_000)).to.equal('refused');
      expect(asked).to.equal(0);
      expect(await outcome(read, token, start + 31_000)).to.equal('taken');
      const forged = `${b64({ alg: 'RS256', kid: 'none' })}.${token.split('.').slice(1).join('.')}`;
      for (let i = 0; i < 5; i++) expect(await outcome(read, forged, start + 32_000 + i)).to.equal('refused');
      expect(asked).to.equal(1);
    });
  });

  it('keeps the keys of a file that is half written', async () => {
    const read = issuer.reader();
    const token = await issuer.token();
    const whole = readFileSync(issuer.jwks, 'utf8');
    const taken = () =>
      read(token, Date.now()).then(
        () => true,
        () => false,
      );
    expect(await taken()).to.equal(true);
    writeFileSync(issuer.jwks, whole.slice(0, 50));
    expect(await taken()).to.equal(true);
    rmSync(issuer.jwks);
    expect(await taken()).to.equal(true);
    writeFileSync(issuer.jwks, '{"keys":[]}');
    expect(await taken()).to.equal(false);
    writeFileSync(issuer.jwks, whole);
    expect(await taken()).to.equal(true);
  });

  it('reads no more of a file than keys have, and waits for nobody who writes into it', async () => {
    const odd = new TokenIssuer(mkdtempSync(join(folder, 'odd-')));
    await odd.rotate('one');
    const { jwks } = odd;
    const token = await odd.token();
    for (const made of [['ln', '-s', '/dev/zero'], ['mkfifo']] as const) {
      const [command, ...given] = made;
      rmSync(jwks, { force: true });
      execFileSync(command, [...given, jwks]);
      const error: unknown = await odd
        .reader()(token, Date.now())
        .catch((reason: unknown) => reason);
      expect((error as Error).message, command).to.match(/keys cannot be had at present/);
    }
  });

  it('needs keys that nobody can change on their way', () => {
    const about = { name: 'corp', issuer: 'i', audience: 'a', roles: ['query'] as const };
    for (const jwks of ['https://a.example/jwks', 'http://127.0.0.1:1/jwks', 'http://[::1]:1/j', '/etc/jwks.json'])
      expect(issuerComplaint({ ...about, jwks }, []), jwks).to.equal(undefined);
    for (const jwks of ['http://a.example/jwks', 'ftp://a.example/jwks', 'file:///etc/jwks.json'])
      expect(issuerComplaint({ ...about, jwks }, []), jwks).to.include('an https URL or a file is expected');
  });
});
