// Who may use the admin server: whoever shows a token of the configuration or the key of a client that administers, for each
// request (programs) or once for a session (the page).
import { createHash, randomBytes } from 'node:crypto';

/** A viewer sees everything, an operator changes it, too. */
export interface Visitor {
  readonly name: string;
  readonly role: 'viewer' | 'operator';
}

export interface AdminTokens {
  /** Operators'. Empty: nobody has to show any. */
  readonly token: string;
  readonly viewerToken: string;
}

const SESSION_MS = 12 * 3_600_000;
const MOST_SESSIONS = 1_000;

interface Session {
  /** Of the token that began it: a session ends with its token. */
  readonly token: string;
  readonly until: number;
}

export class Logins {
  readonly #tokens: ReadonlyMap<string, Visitor>;
  readonly #administrator: (hash: string) => string | undefined;
  readonly #sessions = new Map<string, Session>();
  /** Nobody has to say who they are. */
  readonly isOpen: boolean;

  /** `administrator`: whose key has that hash, where its client may administer. */
  constructor({ token, viewerToken }: AdminTokens, administrator: (hash: string) => string | undefined) {
    this.isOpen = token === '';
    this.#administrator = administrator;
    const viewers = viewerToken === '' ? [] : [[hashOf(viewerToken), { name: 'viewer', role: 'viewer' }] as const];
    this.#tokens = new Map<string, Visitor>([...viewers, [hashOf(token), { name: 'operator', role: 'operator' }]]);
  }

  byToken(token: string): Visitor | undefined {
    return token === '' ? undefined : this.#byHash(hashOf(token));
  }

  /** What names a new session of whom that token is; undefined: it is nobody's. */
  begin(token: string, now: number): string | undefined {
    if (this.byToken(token) === undefined) return undefined;
    const id = randomBytes(24).toString('base64url');
    const oldest = this.#sessions.keys().next();
    if (this.#sessions.size >= MOST_SESSIONS && oldest.done !== true) this.#sessions.delete(oldest.value);
    this.#sessions.set(hashOf(id), { token: hashOf(token), until: now + SESSION_MS });
    return id;
  }

  bySession(id: string, now: number): Visitor | undefined {
    const session = this.#sessions.get(hashOf(id));
    return session === undefined || session.until <= now ? undefined : this.#byHash(session.token);
  }

  end(id: string): void {
    this.#sessions.delete(hashOf(id));
  }

  /** Looked up by hash: how long it takes tells nothing of the token. */
  #byHash(hash: string): Visitor | undefined {
    const name = this.#administrator(hash);
    return this.#tokens.get(hash) ?? (name === undefined ? undefined : { name, role: 'operator' });
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
