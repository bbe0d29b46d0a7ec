import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { TokenRefused } from '../../../src/access/access.ts';
import { issuerComplaint } from '../../../src/access/options.ts';
import { TokenIssuer } from '../../helpers/gatekeeper.ts';

const b64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

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
      ...{ country: 'DE', plants: ['p1', 7], salary: 'secret' },
    });
    const now = Date.now();
    const { client, until } = await read(token, now);
    expect(client).to.deep.equal({
      ...{ client: 'corp:alice', groups: ['a', 'b'], roles: ['query'], issuer: 'https://login.example.org' },
      ...{ claims: { country: 'DE', plants: ['p1'] }, tenant: 'north' },
    });
    expect(until).to.equal(now + 300_000);
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

  it('is neither taken nor refused while its issuer cannot be asked', async () => {
    const read = issuer.reader({ jwks: join(folder, 'missing.json') });
    const error = await read(await issuer.token(), Date.now()).catch((one: unknown) => one);
    expect(error).to.be.instanceOf(TokenRefused).and.include({ unavailable: true });
  });

  it('needs keys that nobody can change on their way', () => {
    const about = { name: 'corp', issuer: 'i', audience: 'a', roles: ['query'] as const };
    for (const jwks of ['https://a.example/jwks', 'http://127.0.0.1:1/jwks', 'http://[::1]:1/j', '/etc/jwks.json'])
      expect(issuerComplaint({ ...about, jwks }), jwks).to.equal(undefined);
    for (const jwks of ['http://a.example/jwks', 'ftp://a.example/jwks', 'file:///etc/jwks.json'])
      expect(issuerComplaint({ ...about, jwks }), jwks).to.include('an https URL or a file is expected');
  });
});
