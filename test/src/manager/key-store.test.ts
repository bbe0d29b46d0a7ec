import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { digestOf, hashOf, type KeyRecord } from '../../../src/access/keys.ts';
import { openKeyStore, readKeys } from '../../../src/manager/key-store.ts';

const NOW = Date.UTC(2026, 0, 1);

describe('the store of the clients’ keys', () => {
  let folder: string;
  let file: string;
  let told: readonly KeyRecord[][];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mmeliot-keys-'));
    file = join(folder, 'keys.json');
    told = [];
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const store = (tell: () => Promise<void> = () => Promise.resolve()) =>
    openKeyStore({
      file,
      named: { tenants: ['north'], classes: ['interactive', 'bulk'] },
      now: () => NOW,
      tell: (keys) => {
        told = [...told, [...keys]];
        return tell();
      },
    });
  const refusal = (act: Promise<unknown>) =>
    act.then(
      () => 'none',
      (error: Error) => error.message,
    );

  it('keeps a key as a hash where only this user reads it, and shows it once', async () => {
    const { key, ...shown } = await store().create(
      { client: 'acme', roles: ['query', 'query'], groups: ['eu'] },
      'eva',
    );
    expect(shown).to.deep.include({ client: 'acme', roles: ['query'], groups: ['eu'], createdBy: 'eva' });
    expect(key)
      .to.match(/^mm_[0-9a-f]{12}_[\w-]{32}$/)
      .and.include(shown.id);
    const text = readFileSync(file, 'utf8');
    expect(text).to.include(hashOf(key)).and.not.include(key);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect(store().list()).to.deep.equal([shown]);
  });

  it('tells the gateways of each change, one after the other, when it is on the disk', async () => {
    const keys = store(async () => void expect(readKeys(file)).to.deep.equal(told.at(-1)));
    const made = await Promise.all(['a', 'b', 'c'].map((client) => keys.create({ client, roles: ['query'] }, 'eva')));
    await Promise.all(made.map(({ id }) => keys.revoke(id)));
    expect(told.map((each) => each.length)).to.deep.equal([1, 2, 3, 2, 1, 0]);
    expect(new Set(told.map(digestOf)).size).to.equal(6);
  });

  it('forgets no revocation because no gateway can be told of it', async () => {
    const { id } = await store().create({ client: 'acme', roles: ['query'] }, 'eva');
    const away = store(() => Promise.reject(new Error('The gateway does not answer.')));
    expect(await refusal(away.revoke(id))).to.equal(
      'The change is kept, but no gateway could be told yet: The gateway does not answer.',
    );
    expect(store().list()).to.deep.equal([]);
    expect(await refusal(store().revoke(id))).to.equal(`There is no key ${id}.`);
  });

  it('says in one sentence that a change cannot be written, and changes nothing', async () => {
    const { id } = await store().create({ client: 'acme', roles: ['query'] }, 'eva');
    const keys = store();
    mkdirSync(`${file}.new`); // in place of a full disk
    const sentence = `The change was not made: ${file} cannot be written (EISDIR).`;
    expect(await refusal(keys.revoke(id))).to.equal(sentence);
    expect(await refusal(keys.create({ client: 'beta', roles: ['query'] }, 'eva'))).to.equal(sentence);
    expect([keys.list().length, told.length]).to.deep.equal([1, 1]);
    rmSync(`${file}.new`, { recursive: true });
    await keys.revoke(id);
    expect(keys.list()).to.deep.equal([]);
  });

  it('refuses what can be no key, in one sentence', async () => {
    const asked: readonly (readonly [unknown, string])[] = [
      [undefined, 'A key is asked for by a JSON object such as {"client": "acme", "roles": ["query"]}.'],
      [{ roles: ['query'] }, 'client is not given: a name of letters, digits'],
      [{ client: 'a:b', roles: ['query'] }, 'client is "a:b": a name of letters, digits'],
      [
        { client: 'acme' },
        'roles is not given: a list, each one of capture, query, subscribe, administer, is expected.',
      ],
      [{ client: 'acme', roles: [] }, 'roles is empty: one of capture, query, subscribe, administer is expected'],
      [{ client: 'acme', roles: ['root'] }, 'roles is ["root"]: a list, each one of capture'],
      [{ client: 'acme', roles: ['query'], groups: ['a b'] }, 'groups is ["a b"]: a list, each a name of'],
      [{ client: 'acme', roles: ['query'], tenant: 'south' }, 'tenant south is not among epcis.tenants, so it has no'],
      [{ client: 'acme', roles: ['query'], expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt is a time to come'],
      [
        { client: 'acme', roles: ['query'], requestsPerSecond: -1 },
        'requestsPerSecond is -1: a number from 0 on is expected.',
      ],
      [
        { client: 'acme', roles: ['query'], subscriptions: 1.5 },
        'subscriptions is 1.5: a whole number from 0 on is expected.',
      ],
      [
        { client: 'acme', roles: ['query'], eventsPerSecond: 'many' },
        'eventsPerSecond is "many": a number from 0 on is expected.',
      ],
      [
        { client: 'acme', roles: ['query'], requestClass: 'first' },
        'requestClass first is not among gateway.queue.classes; there are: interactive, bulk.',
      ],
      [{ client: 'acme', roles: ['query'], role: 'query' }, 'A key has no "role": it has client, roles,'],
    ];
    for (const [request, sentence] of asked) expect(await refusal(store().create(request, 'eva'))).to.include(sentence);
    expect(told).to.deep.equal([]);
  });

  it('takes who administers a tenant for no operator of the group', async () => {
    const keys = store();
    const roles = ['query', 'administer'];
    const { key } = await keys.create({ client: 'eva', roles }, 'eva');
    const { key: tenants } = await keys.create({ client: 'nora', roles, tenant: 'north' }, 'eva');
    const { key: queries } = await keys.create({ client: 'acme', roles: ['query'] }, 'eva');
    expect([key, tenants, queries].map((one) => keys.administrator(hashOf(one)))).to.deep.equal([
      'eva',
      undefined,
      undefined,
    ]);
  });

  it('does not take a damaged file for one without keys', () => {
    for (const text of ['', '[{', '{}', 'null']) {
      writeFileSync(file, text);
      expect(() => store(), text).to.throw(`The clients' keys in ${file} cannot be read`);
    }
  });
});
