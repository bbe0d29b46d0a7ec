// The keys that the manager signs orders to nodes with: the newest, and those before, by which nodes are told the newest that were away.
import { readFileSync } from 'node:fs';
import { MmeliotError } from '../errors.ts';
import { writeWhole } from '../files/write-whole.ts';
import type { Millis } from '../model.ts';
import { newOrderKey, type OrderKey } from '../node/signed-orders.ts';

interface DatedKey extends OrderKey {
  readonly since: Millis;
}

export interface OrderKeys {
  /** The newest last. */
  current(): readonly OrderKey[];
  /** Another one, where the newest is older than that. */
  rotate(olderThan: Millis): Promise<void>;
}

/** A node may be away for as many changes of the key, and is lost only then. */
const MOST_KEYS = 10;

/** `steady`: a clock that nobody sets, by which the newest key ages; the other one says how old it was at the start. */
export async function openOrderKeys(file: string, now: () => Millis, steady: () => Millis): Promise<OrderKeys> {
  let keys = read(file);
  let newestSince = steady() - Math.max(0, now() - (keys.at(-1)?.since ?? 0));
  const renew = async (): Promise<void> => {
    const next = [...keys.slice(1 - MOST_KEYS), { ...newOrderKey(), since: now() }];
    // kept before a node is told: a manager that is killed now can still give orders
    await writeWhole(file, JSON.stringify(next), { durable: true, mode: 0o600 });
    keys = next;
    newestSince = steady();
  };
  if (keys.length === 0) await renew();
  return {
    current: () => keys,
    async rotate(olderThan) {
      if (steady() - newestSince > olderThan) await renew();
    },
  };
}

function read(file: string): readonly DatedKey[] {
  try {
    const keys: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (!Array.isArray(keys)) throw new TypeError('Keys are a list.');
    return keys as readonly DatedKey[];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    const what = `The keys to the nodes in ${file} cannot be read (${code ?? 'damaged'}): put the file aside, and the nodes are replaced.`;
    throw new MmeliotError('CONFIG_INVALID', what, { cause: error });
  }
}
