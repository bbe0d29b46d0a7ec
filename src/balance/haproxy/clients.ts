// Which clients HAProxy knows. Who is not in its map goes through the built-in plane, which recognises them; then they are put
// into the map, with what the VM is told of them and (in one beside it) whose they are, until that is stale or the keys change.
import { createHash, type KeyObject } from 'node:crypto';
import type { Access } from '../../access/access.ts';
import { CLIENTS_MAP, KEYS_MAP, TENANTS_MAP } from './text/known-clients.ts';

/** What is said of a client is good for two minutes, and renewed every half. */
const RENEW_MS = 10_000;
/** A command must fit into HAProxy's buffer. */
const LONGEST_COMMAND = 12_000;

export class HaproxyClients {
  readonly #access: Access;
  readonly #command: (command: string) => Promise<string>;
  readonly #now: () => number;
  /** What HAProxy has, by the hash of what the client shows. */
  #told = new Map<string, Told>();
  #toldKeys: readonly KeyObject[] = [];
  #seen = -1;
  #toldAt = -Infinity;
  #last: Promise<unknown> = Promise.resolve();

  constructor(access: Access, command: (command: string) => Promise<string>, now: () => number) {
    this.#access = access;
    this.#command = command;
    this.#now = now;
  }

  /** From now on it knows nobody. */
  forgetAll(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#command(`clear map ${CLIENTS_MAP}`);
      if (this.#access.hasTenants) await this.#command(`clear map ${TENANTS_MAP}`);
      await this.#tellKeys();
      this.#told = new Map();
      this.#toldAt = -Infinity;
    });
  }

  /** What HAProxy knows of clients is said anew with other keys: what it has signed before serves none of it. */
  async #tellKeys(): Promise<void> {
    const keys = this.#access.signingKeys;
    await this.#command(`clear map ${KEYS_MAP}`);
    for (const [i, key] of keys.entries())
      await this.#command(`add map ${KEYS_MAP} ${i} ${key.export().toString('base64')}`);
    this.#toldKeys = keys;
  }

  /** Before a VM is asked that may know the newest key only. */
  async tellChangedKeys(): Promise<void> {
    if (this.#access.signingKeys !== this.#toldKeys) await this.forgetAll();
  }

  /** Called every now and then. */
  async keepUp(): Promise<void> {
    await this.tellChangedKeys();
    const somebodyNew = this.#seen !== this.#access.recognised;
    if (!somebodyNew && this.#now() - this.#toldAt < RENEW_MS) return Promise.resolve();
    return this.#inTurn(async () => {
      this.#seen = this.#access.recognised;
      this.#toldAt = this.#now();
      const all = [...this.#access.unlimited()];
      const wanted = new Map(all.map(([shown, content, tenant]) => [hashOf(shown), { content, tenant }]));
      const told = this.#told;
      this.#told = wanted;
      for (const commands of inPieces(changes(told, wanted))) await this.#command(commands);
    });
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.catch(() => undefined).then(work);
    this.#last = done;
    return done;
  }
}

/** HAProxy takes a field's bytes as they came: Node reads them as Latin-1. */
const hashOf = (shown: string): string => createHash('sha256').update(shown, 'latin1').digest('hex');

interface Told {
  readonly content: string;
  readonly tenant: string | undefined;
}

/** Who shows the same is of the same tenant as before. */
function* changes(told: ReadonlyMap<string, Told>, wanted: ReadonlyMap<string, Told>): Generator<string> {
  for (const [hash, { content, tenant }] of wanted) {
    const before = told.get(hash)?.content;
    // first whose it is: from the moment that HAProxy knows it, it is counted
    if (before === undefined && tenant !== undefined) yield `add map ${TENANTS_MAP} ${hash} ${tenant}`;
    if (before === undefined) yield `add map ${CLIENTS_MAP} ${hash} ${content}`;
    else if (before !== content) yield `set map ${CLIENTS_MAP} ${hash} ${content}`;
  }
  for (const [hash, { tenant }] of told) {
    if (wanted.has(hash)) continue;
    yield `del map ${CLIENTS_MAP} ${hash}`;
    if (tenant !== undefined) yield `del map ${TENANTS_MAP} ${hash}`;
  }
}

function* inPieces(commands: Iterable<string>): Generator<string> {
  let piece = '';
  for (const command of commands) {
    if (piece.length + command.length > LONGEST_COMMAND && piece !== '') {
      yield piece;
      piece = '';
    }
    piece += piece === '' ? command : `; ${command}`;
  }
  if (piece !== '') yield piece;
}
