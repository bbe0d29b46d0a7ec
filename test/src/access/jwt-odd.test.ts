// Tokens that an issuer did sign, and that say odd things: what is not plainly good is refused, in a sentence.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { TokenRefused } from '../../../src/access/refusals.ts';
import { TokenIssuer } from '../../helpers/gatekeeper.ts';

const NOW = Date.UTC(2026, 0);
const SOON = NOW / 1000 + 300;
const HEADER = '{"alg":"RS256","kid":"one"}';
const NAMED = '"iss":"https://login.example.org","aud":"epcis","sub":"alice"';
/** Of what stands twice the second counts. */
const claims = (more = '') => `{${NAMED},"exp":${SOON}${more === '' ? '' : `,${more}`}}`;
const until = (exp: string) => `{${NAMED},"exp":${exp}}`;

const EXP = 'its claim "exp" does not hold';
const NBF = 'its claim "nbf" does not hold';
const AUD = 'its claim "aud" does not hold';
const NOBODY = 'does not say whom it is for';
const UNREADABLE = 'none that can be read';
const ELSEWHERE = 'Tokens of this issuer';
const UNSIGNED = 'not signed by its issuer, or not in a way';
const EXPIRED = 'has expired';

const ODD_CLAIMS: readonly (readonly [claims: string, outcome: string])[] = [
  [claims(), 'taken'],
  [until(`${SOON}.5`), 'taken'],
  [until('1e300'), 'taken'],
  [until('1e400'), 'taken'],
  [until(`"${SOON}"`), EXP],
  [until(`[${SOON}]`), EXP],
  [until('true'), EXP],
  [until('null'), EXP],
  [until('-1'), EXPIRED],
  [until('-1e300'), EXPIRED],
  [until('0'), EXPIRED],
  [until(`${SOON},"exp":1`), EXPIRED],
  [`{${NAMED}}`, EXP],
  [claims('"nbf":"0"'), NBF],
  [claims('"nbf":1e300'), NBF],
  [claims('"nbf":1e400'), NBF],
  [claims('"nbf":null'), NBF],
  [claims('"nbf":-1e300'), 'taken'],
  [claims('"aud":["other","epcis"]'), 'taken'],
  [claims('"aud":[["epcis"]]'), AUD],
  [claims('"aud":{"epcis":true}'), AUD],
  [claims('"aud":[]'), AUD],
  [claims('"aud":null'), AUD],
  [claims('"aud":"EPCIS"'), AUD],
  [claims('"aud":"epcis "'), AUD],
  [claims('"iss":["https://login.example.org"]'), ELSEWHERE],
  [claims('"iss":"https://login.example.org/"'), ELSEWHERE],
  [claims('"iss":"https://evil.example.org"'), ELSEWHERE],
  [claims('"iss":null'), ELSEWHERE],
  ...['["alice"]', '7', '{"name":"alice"}', '""', 'null', 'true'].map(
    (sub) => [claims(`"sub":${sub}`), NOBODY] as const,
  ),
  // a line of a log or of a list that nobody wrote
  ...['alice\\nadmin', 'alice\\u0000', 'alice\\u001b[2K', 'alice\\u0085', '\\u202eecila', 'a\\u2028b'].map(
    (sub) => [claims(`"sub":"${sub}"`), NOBODY] as const,
  ),
  [`[${claims()}]`, UNREADABLE],
  ['null', UNREADABLE],
  ['"claims"', UNREADABLE],
  ['', UNREADABLE],
  [`${claims()}}`, UNREADABLE],
  [claims(`"deep":${'['.repeat(5000)}${']'.repeat(5000)}`), 'taken'],
];

const header = (more: string) => `{"alg":"RS256",${more}}`;
const ODD_HEADERS: readonly string[] = [
  ...['"../../etc/passwd"', `"' OR 1=1 --"`, '"one\\n"', '"__proto__"', '1', '["one"]', 'null', '{}'].map((kid) =>
    header(`"kid":${kid}`),
  ),
  ...['["exp"],"exp":1', '[]', '"b64","b64":false', '["b64"],"b64":false', '["http://x/y"],"http://x/y":1'].map(
    (crit) => header(`"kid":"one","crit":${crit}`),
  ),
  // keys are those of the issuer, not those that a token names
  header('"kid":"two","jku":"http://127.0.0.1:9/keys","x5u":"http://127.0.0.1:9/"'),
  ...['["RS256"]', '"rs256"', '"PS256"', '"ES256"', '"none"', 'null'].map((alg) => `{"alg":${alg},"kid":"one"}`),
  header('"kid":"one","alg":"none"'),
  ...['["RS256"]', 'null', '{', ''],
];

describe('an odd token of another issuer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mmeliot-odd-'));
  const issuer = new TokenIssuer(folder);
  before(() => issuer.rotate('one'));
  after(() => rmSync(folder, { recursive: true }));

  /** Whatever it says, it is refused: it makes nothing fail, and nobody ask again later. */
  const outcomeOf = async (head: string, said: string) =>
    issuer
      .reader()(await issuer.signed(head, said), NOW)
      .then(
        ({ client, until: good }) => (client.client === 'corp:alice' && good === NOW + 300_000 ? 'taken' : 'odd'),
        (error: unknown) => (error instanceof TokenRefused && !error.unavailable ? error.message : String(error)),
      );

  for (const [said, outcome] of ODD_CLAIMS)
    it(`${outcome === 'taken' ? 'is taken' : 'is refused'} with ${said.replace(NAMED, '…').slice(0, 80)}`, async () => {
      expect(await outcomeOf(HEADER, said)).to.include(outcome);
    });

  for (const head of ODD_HEADERS)
    it(`is refused with the header ${head}`, async () => {
      expect(await outcomeOf(head, claims())).to.include(UNSIGNED);
    });

  it('gives no role, group or tenant by what stands within a claim', async () => {
    const read = issuer.reader({ rolesClaim: 'scope', tenantClaim: 'org', claims: ['country', 'constructor'] });
    const of = async (more: string) => (await read(await issuer.signed(HEADER, claims(more)), NOW)).client;
    for (const scope of ['{"query":true}', '[["query"]]', '"QUERY"', '"query\\tcapture"', 'true', '[{"0":"query"}]'])
      expect((await of(`"scope":${scope}`)).roles, scope).to.deep.equal([]);
    const nothing = { client: 'corp:alice', groups: [], roles: [], issuer: 'https://login.example.org' };
    expect(await of('"__proto__":{"org":"north","scope":"query"},"groups":{"a":1}')).to.deep.equal(nothing);
  });
});
