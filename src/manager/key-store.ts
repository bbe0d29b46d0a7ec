// The clients' keys: kept as hashes in the data folder, told to all gateways with every change.
import { readFileSync } from 'node:fs';
import type { ClientKeys, ShownKey } from '../admin/source.ts';
import { readKeyRequest } from '../access/key-request.ts';
import { newKey, type KeyRecord } from '../access/keys.ts';
import type { Named } from '../access/terms.ts';
import { MmeliotError } from '../errors.ts';
import { writeWhole } from '../files/write-whole.ts';

export interface KeyStoreOptions {
  readonly file: string;
  /** What a key may name. */
  readonly named: Named;
  readonly now: () => number;
  /** Tells all gateways; a change is done when they know. */
  readonly tell: (keys: readonly KeyRecord[]) => Promise<void>;
}

export function openKeyStore({ file, named, now, tell }: KeyStoreOptions): ClientKeys {
  let keys = readKeys(file);
  let last: Promise<unknown> = Promise.resolve();
  /** One change after the other; what is on the disk is never behind what gateways know. */
  const change = (next: () => readonly KeyRecord[]): Promise<void> => {
    const done = last
      .catch(() => undefined)
      .then(async () => {
        const changed = next();
        const text = `${JSON.stringify(changed, null, 1)}\n`;
        await writeWhole(file, text, { durable: true, mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
          const what = `The change was not made: ${file} cannot be written (${error.code}).`;
          throw new MmeliotError('CONFIG_INVALID', what, { cause: error });
        });
        keys = changed;
        await tell(keys).catch((error: Error) => {
          const what = `The change is kept, but no gateway could be told yet: ${error.message}`;
          throw new MmeliotError('NOT_RUNNING', what, { cause: error });
        });
      });
    last = done;
    return done;
  };
  return {
    administrator: (hash) =>
      keys.find(
        (one) =>
          one.hash === hash &&
          one.roles.includes('administer') &&
          one.tenant === undefined &&
          (one.expiresAt === undefined || Date.parse(one.expiresAt) > now()),
      )?.client,
    list: () => keys.map(shown),
    async create(given, who) {
      const request = readKeyRequest(given, named, now());
      if (typeof request === 'string') throw new MmeliotError('BAD_REQUEST', request);
      const { id, key, hash } = newKey();
      const record = { id, ...request, createdAt: new Date(now()).toISOString(), createdBy: who };
      await change(() => [...keys, { ...record, hash }]);
      return { ...record, key };
    },
    async revoke(id) {
      const revoked = keys.find((one) => one.id === id);
      if (revoked === undefined) throw new MmeliotError('BAD_REQUEST', `There is no key ${id}.`);
      await change(() => keys.filter((one) => one.id !== id));
      return shown(revoked);
    },
  };
}

const shown = ({ hash: _, ...rest }: KeyRecord): ShownKey => rest;

/** A file that can't be read is no empty one: nobody's key is forgotten for it. */
export function readKeys(file: string): readonly KeyRecord[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw damaged(file, error);
  }
  try {
    const records: unknown = JSON.parse(text);
    if (!Array.isArray(records)) throw new TypeError('Keys are a list.');
    return records as readonly KeyRecord[];
  } catch (error) {
    throw damaged(file, error);
  }
}

const damaged = (file: string, cause: unknown): MmeliotError =>
  new MmeliotError(
    'CONFIG_INVALID',
    `The clients' keys in ${file} cannot be read: put the file right, or remove it and make new keys.`,
    {
      cause,
    },
  );
