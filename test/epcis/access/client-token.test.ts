import { expect } from 'chai';
import { clientKey, readClient } from '../../../epcis/access/client-token.ts';
import { writeClient } from '../../helpers/access.ts';
import type { ClientIdentity } from '../../../epcis/access/identity.ts';

const ACME: ClientIdentity = {
  client: 'acme',
  groups: ['retailers'],
  roles: ['query', 'subscribe'],
  issuer: 'https://login.example',
  claims: { gln: ['0614141000005'] },
  tenant: 'north',
};
const key = clientKey('group secret');
const REQUEST = { method: 'GET', path: '/events?EQ_bizStep=shipping' };
const NOW = Date.UTC(2026, 0);
const at = (now: number) => (expires: number) => expires > now;

describe('the header that says who asks', () => {
  const text = writeClient(ACME, REQUEST, key, NOW);

  it('says it', () => {
    expect(readClient(text, REQUEST, key, at(NOW))).to.deep.equal(ACME);
  });

  it('is worth nothing on another request', () => {
    expect(readClient(text, { ...REQUEST, method: 'POST' }, key, at(NOW))).to.equal(undefined);
    expect(readClient(text, { ...REQUEST, path: '/events' }, key, at(NOW))).to.equal(undefined);
  });

  it('is worth nothing after a minute', () => {
    expect(readClient(text, REQUEST, key, at(NOW + 59_000))).to.deep.equal(ACME);
    expect(readClient(text, REQUEST, key, at(NOW + 60_000))).to.equal(undefined);
  });

  it('is worth nothing where it was written by somebody else, or changed', () => {
    const [content = '', signature = ''] = text.split('.');
    const other = Buffer.from(JSON.stringify({ ...ACME, client: 'other', expires: NOW + 1e6 })).toString('base64url');
    const wrong = [
      writeClient(ACME, REQUEST, clientKey('another secret'), NOW),
      `${other}.${signature}`,
      content,
      `${content}.`,
      `${text}.x`,
      `.${signature}`,
      '',
      '.',
    ];
    for (const each of wrong) expect(readClient(each, REQUEST, key, at(NOW)), each).to.equal(undefined);
  });

  it('gives no role that this version does not know', () => {
    const newer = { ...ACME, roles: ['query', 'fly'] } as unknown as ClientIdentity;
    expect(readClient(writeClient(newer, REQUEST, key, NOW), REQUEST, key, at(NOW))?.roles).to.deep.equal(['query']);
  });
});
