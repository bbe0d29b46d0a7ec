// Orders to a node, as they travel: a text, and the manager's signature of it (Ed25519). The text says which node is meant, when it
// was written, and a number that is used once; so an order that somebody has recorded is good for no other node, and for no second time.
import { createPrivateKey, createPublicKey, generateKeyPairSync, randomUUID, sign, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { Millis } from '../model.ts';
import type { Order, Refusal } from '../packing/orders.ts';

/** Both in DER, as base64url. */
export interface OrderKey {
  readonly private: string;
  readonly public: string;
}

export interface SignedOrder {
  readonly text: string;
  readonly signature: string;
}

interface Envelope {
  readonly node: string;
  readonly at: Millis;
  readonly nonce: string;
  readonly order: Order;
}

const FORMAT = { format: 'der' } as const;

export function newOrderKey(): OrderKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    private: privateKey.export({ ...FORMAT, type: 'pkcs8' }).toString('base64url'),
    public: publicKey.export({ ...FORMAT, type: 'spki' }).toString('base64url'),
  };
}

export function signOrder(node: string, order: Order, key: OrderKey, at: Millis): SignedOrder {
  const text = JSON.stringify({ node, at, nonce: randomUUID(), order } satisfies Envelope);
  const own = createPrivateKey({ ...FORMAT, key: Buffer.from(key.private, 'base64url'), type: 'pkcs8' });
  return { text, signature: sign(null, Buffer.from(text), own).toString('base64url') };
}

/** An order is good for so long, and two clocks may be so far apart. */
const GOOD_FOR_MS = 60_000;

/** What was obeyed is known for longer than it is good: a clock that is set back by an hour makes it good again. */
const KEPT_MS = 7_200_000;

/** What a node believes. */
export class OrderCheck {
  readonly #node: string;
  #trusted: readonly KeyObject[];
  /** What was obeyed, and how long the node had been up then. */
  readonly #seen = new Map<string, Millis>();

  constructor(node: string, trusted: readonly string[]) {
    this.#node = node;
    this.#trusted = trusted.map(publicKey);
  }

  trust(keys: readonly string[]): void {
    this.#trusted = keys.map(publicKey);
  }

  /**
   * The order, which is not obeyed a second time; or why it isn't at all. `upFor`: since the node began, by a clock that nobody sets (the other one
   * is set right while a machine boots). What was written before that may have been obeyed before, and is not obeyed again.
   */
  read({ text, signature }: SignedOrder, now: Millis, upFor: Millis): Order | Refusal {
    const [bytes, given] = [Buffer.from(text), Buffer.from(signature, 'base64url')];
    if (!this.#trusted.some((key) => verify(null, bytes, key, given))) return 'forged';
    const { node, at, nonce, order } = parsed(text);
    if (typeof at !== 'number' || typeof nonce !== 'string' || !isOrder(order)) return 'malformed';
    if (node !== this.#node) return 'misdirected';
    if (Math.abs(now - at) > GOOD_FOR_MS || now - at > upFor) return 'old';
    for (const [known, then] of this.#seen) {
      if (upFor - then <= KEPT_MS) break;
      this.#seen.delete(known);
    }
    if (this.#seen.has(nonce)) return 'replayed';
    this.#seen.set(nonce, upFor);
    return order;
  }
}

const publicKey = (key: string): KeyObject =>
  createPublicKey({ ...FORMAT, key: Buffer.from(key, 'base64url'), type: 'spki' });

/** Signed by the manager; but one of another version may order what this node doesn't know. */
function parsed(text: string): Partial<Envelope> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

const TEXTS: Readonly<Record<Order['what'], readonly string[]>> = {
  report: [],
  start: [],
  stop: ['mark'],
  log: ['mark'],
  rekey: ['mark', 'key'],
  trust: [],
};

function isOrder(order: unknown): order is Order {
  const { what, worker, keys, ...rest } = (order ?? {}) as Record<string, unknown>;
  if (typeof what !== 'string' || !Object.hasOwn(TEXTS, what)) return false;
  if (!TEXTS[what as Order['what']].every((name) => typeof rest[name] === 'string')) return false;
  if (what === 'trust') return Array.isArray(keys) && keys.length > 0 && keys.every((key) => isKey(key));
  return what !== 'start' || isWorker(worker);
}

function isKey(key: unknown): boolean {
  try {
    return typeof key === 'string' && publicKey(key).asymmetricKeyType === 'ed25519';
  } catch {
    return false;
  }
}

function isWorker(worker: unknown): boolean {
  const { mark, id, key, size, environment } = (worker ?? {}) as Record<string, unknown>;
  const { cpu, memoryBytes } = (size ?? {}) as Record<string, unknown>;
  const texts: readonly unknown[] = [mark, id, key, ...Object.values((environment ?? {}) as Record<string, unknown>)];
  return (
    texts.every((one) => typeof one === 'string') &&
    typeof cpu === 'number' &&
    cpu > 0 &&
    typeof memoryBytes === 'number'
  );
}
