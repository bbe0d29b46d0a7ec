// Whose a request is, and whether there may be another one of that client's now. A gateway asks this before it does anything
// else with a request. (What a client may do with its roles the VM knows, which knows its operations.)
import type { KeyObject } from 'node:crypto';
import { Bucket } from './bucket.ts';
import { CLIENT_HEADER, CLIENT_HEADER_NEXT } from '../../epcis/access/client-token.ts';
import type { ClientIdentity } from '../../epcis/access/identity.ts';
import type { CertificateClient, Tenant } from './options.ts';
import type { Terms } from './terms.ts';
import { isJwt, readCredentials } from './credentials.ts';
import { digestOf, hashOf, type KeyRecord } from './keys.ts';
import { readableSubject } from './subject.ts';

export interface AccessRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** The field Authorization. */
  readonly authorization: string | undefined;
  /** The subject of the certificate that came with its connection, where that is good. */
  readonly certificate?: string | undefined;
  /** The field Host. */
  readonly host?: string | undefined;
}

export interface Admitted {
  /** By what it is told from all other clients; undefined: nobody was asked. */
  readonly identity: string | undefined;
  /** Whose client it is. */
  readonly tenant?: string | undefined;
  /** For the VM: the signed word on who asks, as name and value. Empty: about nobody. */
  readonly fields: readonly string[];
  readonly requestClass: string | undefined;
}

export interface Refused {
  readonly status: 401 | 429 | 503;
  readonly reason: string;
  /** Name, value, name, value, ... */
  readonly fields: readonly string[];
}

/** Whom a token of another issuer stands for; rejects with TokenRefused. */
export type TokenReader = (token: string, now: number) => Promise<Recognised>;

export interface Recognised {
  readonly client: ClientIdentity;
  readonly terms: Terms & { readonly tenantByHost?: boolean };
  /** Not to be taken for known later than this, ms. */
  readonly until: number;
}

/** Why a token is not taken, in one sentence; `unavailable`: who could tell does not answer. */
export class TokenRefused extends Error {
  readonly unavailable: boolean;

  constructor(reason: string, unavailable = false) {
    super(reason);
    this.unavailable = unavailable;
  }
}

/** Writes what the VM is told of who asks. */
export interface Signer {
  /** For a data plane that signs by itself: HMAC-SHA-256 of content, method and path, each on a line, in base64url. */
  /** That of the group's secret, and while it is changed of the next one behind it; the same list until then. */
  keys(): readonly KeyObject[];
  /** What is said of the client; good for at least RENEW_MS, and no minute longer. */
  content(client: ClientIdentity, now: number): string;
  /** The same with the signature, for this request alone. */
  sign(content: string, method: string, path: string, key: KeyObject): string;
}

export interface AccessOptions {
  readonly now: () => number;
  readonly signer: Signer;
  readonly readToken?: TokenReader;
  readonly certificates?: readonly CertificateClient[];
  readonly tenants?: readonly Tenant[];
  /** For clients that nothing else is said of; 0: as many as they like. */
  readonly requestsPerSecond: number;
  /** The same, of what VMs count. */
  readonly eventsPerSecond?: number;
  readonly subscriptions?: number;
}

/** What was signed is said anew before it is this old. */
const RENEW_MS = 30_000;
/** Of clients that were recognised, so many are remembered, and no longer fields than this. */
const MOST_KNOWN = 5_000;
const LONGEST_FIELD = 8_192;
const MOST_BUCKETS = 10_000;
/** Requests of one client whose signature is kept, and no longer paths than this. */
const MOST_SAID = 32;
const LONGEST_SAID = 256;

interface Known extends Recognised {
  content: string;
  saidAt: number;
  /** By method and path: most clients ask for little else than a few of them, and a signature costs a tenth of a request. */
  readonly said: Map<string, Admitted>;
}

/** By key. */
const NAMES = [CLIENT_HEADER, CLIENT_HEADER_NEXT];
/** What no field can begin with. */
const BY_CERTIFICATE = '\0';
/** Nor is there a line's end in one. */
const AT_TENANT = '\n';

/** A client that says who it is by a field is that one, whatever its connection shows. */
const shownBy = ({ authorization, certificate }: AccessRequest): string | undefined =>
  authorization ?? (certificate === undefined ? undefined : BY_CERTIFICATE + certificate);

export type Verdict = Admitted | Refused;

/** A browser asks whether it may before it says who it is; whoever watches may see that somebody is ready. */
const isForAnybody = ({ method, path }: AccessRequest): boolean =>
  method === 'OPTIONS' || (path === '/ready' && (method === 'GET' || method === 'HEAD'));

const ANYBODY: Admitted = { identity: undefined, fields: [], requestClass: undefined };

export class Access {
  readonly #options: AccessOptions;
  readonly #tenants: ReadonlyMap<string, Tenant>;
  readonly #tenantAt: ReadonlyMap<string, string>;
  readonly #buckets = new Map<string, Bucket>();
  /** By what they show: checking a signature for each request would cost more than the request. */
  readonly #known = new Map<string, Known>();
  #keys: ReadonlyMap<string, KeyRecord> = new Map();
  #digest = digestOf([]);
  #recognised = 0;
  #signedBy: readonly KeyObject[] = [];

  constructor(options: AccessOptions, keys: readonly KeyRecord[] = []) {
    this.#options = options;
    const { tenants = [] } = options;
    this.#tenants = new Map(tenants.map((tenant) => [tenant.name, tenant]));
    this.#tenantAt = new Map(tenants.flatMap(({ name, hosts = [] }) => hosts.map((host) => [host, name])));
    this.setKeys(keys);
  }

  /** From now on these are good, and no others. */
  setKeys(keys: readonly KeyRecord[]): void {
    this.#keys = new Map(keys.map((key) => [key.hash, key]));
    this.#digest = digestOf(keys);
    this.#known.clear();
    this.#buckets.clear();
  }

  /** Which keys it knows. */
  get digest(): string {
    return this.#digest;
  }

  get hasTenants(): boolean {
    return this.#tenants.size > 0;
  }

  /** Where only clients of one tenant are let in. */
  get tenantHosts(): readonly string[] {
    return [...this.#tenantAt.keys()];
  }

  get signingKeys(): readonly KeyObject[] {
    return this.#options.signer.keys();
  }

  /**
   * Who was recognised and may go on without being asked again, for a data plane that remembers for itself: by what they
   * show, with what is said of them, renewed. Not those with limits or a class of their own, who are counted here.
   */
  *unlimited(): Generator<readonly [authorization: string, content: string, tenant: string | undefined]> {
    const now = this.#options.now();
    for (const [authorization, known] of this.#known) {
      const { client, terms, until } = known;
      const tenant = this.#tenantOf(client);
      if (
        until > now &&
        !authorization.startsWith(BY_CERTIFICATE) &&
        !authorization.includes(AT_TENANT) &&
        this.#rateOf(terms) === 0 &&
        (terms.requestClass ?? tenant?.requestClass ?? tenant?.requestsPerSecond) === undefined
      )
        yield [authorization, this.#contentOf(known, now), tenant?.name];
    }
  }

  /** Grows when there is somebody new among them. */
  get recognised(): number {
    return this.#recognised;
  }

  admit(request: AccessRequest): Verdict | Promise<Verdict> {
    const shown = this.#shownBy(request);
    if (shown === undefined) return isForAnybody(request) ? ANYBODY : NOBODY;
    const now = this.#options.now();
    const known = this.#find(shown, now);
    const verdict = (one: Known | Refused): Verdict => ('status' in one ? one : this.#allow(one, request, now));
    return known instanceof Promise ? known.then(verdict) : verdict(known);
  }

  /** Whether who was let in with this request would be recognised now: what it opened may last longer than what it showed. */
  async isStillKnown(request: AccessRequest): Promise<boolean> {
    const shown = this.#shownBy(request);
    return shown === undefined || !('status' in (await this.#find(shown, this.#options.now())));
  }

  /** On a tenant's host that is part of it. */
  #shownBy(request: AccessRequest): string | undefined {
    const tenant = this.#tenantAt.get(hostIn(request.host));
    const own = shownBy(request);
    return own === undefined || tenant === undefined ? own : own + AT_TENANT + tenant;
  }

  #find(shown: string, now: number): Known | Refused | Promise<Known | Refused> {
    const known = this.#known.get(shown);
    if (known !== undefined && known.until > now) return known;
    const [own = '', tenant] = shown.split(AT_TENANT);
    const recognised = this.#recognise(own, now);
    if (!(recognised instanceof Promise)) return this.#judge(recognised, shown, tenant);
    return recognised.then(
      (one) => this.#judge(one, shown, tenant),
      (error: unknown) => refusalOf(error),
    );
  }

  #judge(recognised: Recognised | Refused, shown: string, tenant: string | undefined): Known | Refused {
    if ('status' in recognised) return recognised;
    const here = atTenant(recognised, tenant);
    if ('status' in here) return here;
    const known = { ...here, content: '', saidAt: -Infinity, said: new Map<string, Admitted>() };
    if (shown.length <= LONGEST_FIELD) this.#remember(shown, known);
    return known;
  }

  #remember(shown: string, known: Known): void {
    this.#recognised++;
    const oldest = this.#known.keys().next();
    if (this.#known.size >= MOST_KNOWN && oldest.done !== true) this.#known.delete(oldest.value);
    this.#known.set(shown, known);
  }

  #recognise(shown: string, now: number): Recognised | Refused | Promise<Recognised> {
    if (shown.startsWith(BY_CERTIFICATE)) return this.#bySubject(shown.slice(1));
    const credentials = readCredentials(shown);
    if (credentials === undefined) return refused('It says who it is in a way that is not understood here: ');
    const { readToken } = this.#options;
    if (credentials.kind === 'token' && readToken !== undefined && isJwt(credentials.token))
      return readToken(credentials.token, now);
    const { kind } = credentials;
    const record = this.#keys.get(hashOf(kind === 'token' ? credentials.token : credentials.key));
    if (record === undefined || (kind === 'key' && credentials.client !== record.client))
      return refused('This key is not known here, or was revoked: ');
    const until = record.expiresAt === undefined ? Infinity : Date.parse(record.expiresAt);
    if (until <= now) return refused('This key has expired: ');
    const { client, groups, roles, tenant } = record;
    return { client: { client, groups, roles, ...(tenant !== undefined && { tenant }) }, terms: record, until };
  }

  #bySubject(shown: string): Recognised | Refused {
    const { certificates = [] } = this.#options;
    const subject = readableSubject(shown);
    const found = certificates.find((one) => readableSubject(one.subject) === subject);
    if (found === undefined) return refused(`The subject of this certificate, ${subject}, is not known here: `);
    const { client, roles, groups = [], tenant } = found;
    return {
      client: { client, groups, roles, ...(tenant !== undefined && { tenant }) },
      terms: found,
      until: Infinity,
    };
  }

  #allow(known: Known, { method, path }: AccessRequest, now: number): Verdict {
    const { signer } = this.#options;
    const { client, terms } = known;
    const wait = this.#tooMany(client, terms, now);
    if (wait !== undefined) return tooMany(wait);
    const content = this.#contentOf(known, now);
    const request = `${method} ${path}`;
    const before = known.said.get(request);
    if (before !== undefined) return before;
    const admitted = {
      identity: nameOf(client),
      tenant: client.tenant,
      fields: this.#signedBy.flatMap((key, i) => [NAMES[i] ?? '', signer.sign(content, method, path, key)]),
      requestClass: terms.requestClass ?? this.#tenantOf(client)?.requestClass,
    };
    if (known.said.size < MOST_SAID && path.length < LONGEST_SAID) known.said.set(request, admitted);
    return admitted;
  }

  #contentOf(known: Known, now: number): string {
    const keys = this.#options.signer.keys();
    if (keys !== this.#signedBy) {
      this.#signedBy = keys;
      for (const one of this.#known.values()) one.saidAt = -Infinity;
    }
    if (now - known.saidAt > RENEW_MS) {
      known.content = this.#options.signer.content(this.#withLimits(known), now);
      known.saidAt = now;
      known.said.clear();
    }
    return known.content;
  }

  /** What VMs count they are told; 0 is no limit. */
  #withLimits({ client, terms }: Known): ClientIdentity {
    const { eventsPerSecond = 0, subscriptions = 0 } = { ...this.#options, ...terms };
    return { ...client, ...(eventsPerSecond > 0 && { eventsPerSecond }), ...(subscriptions > 0 && { subscriptions }) };
  }

  #rateOf(terms: Terms): number {
    return terms.requestsPerSecond ?? this.#options.requestsPerSecond;
  }

  #tooMany(client: ClientIdentity, terms: Terms, now: number): number | undefined {
    const rate = this.#rateOf(terms);
    // keys with different rates are held to each its own, whichever is shown first
    const wait = this.#take(`${rate} ${nameOf(client)}`, rate, now);
    const tenant = this.#tenantOf(client);
    return wait ?? (tenant && this.#take(`tenant ${tenant.name}`, tenant.requestsPerSecond ?? 0, now));
  }

  #tenantOf({ tenant }: ClientIdentity): Tenant | undefined {
    return tenant === undefined ? undefined : this.#tenants.get(tenant);
  }

  #take(name: string, rate: number, now: number): number | undefined {
    if (rate === 0) return undefined;
    let bucket = this.#buckets.get(name);
    if (bucket === undefined) {
      if (this.#buckets.size >= MOST_BUCKETS) this.#dropFull(now);
      this.#buckets.set(name, (bucket = new Bucket(rate, now)));
    }
    return bucket.take(now);
  }

  /** A full bucket is as good as none. */
  #dropFull(now: number): void {
    for (const [name, bucket] of this.#buckets) if (bucket.isFull(now)) this.#buckets.delete(name);
  }
}

/** In a form in which no part can pass for two: an issuer's client may be called "corp:acme of north". */
const nameOf = ({ issuer = '', client, tenant = '' }: ClientIdentity): string =>
  JSON.stringify([issuer, client, tenant]);

/** `North.example.org.:8443` is north.example.org. */
const hostIn = (host = ''): string => host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');

/** On a tenant's host there is nobody but its clients; elsewhere who belongs to a tenant by its host would have the main repository. */
function atTenant(recognised: Recognised, tenant: string | undefined): Recognised | Refused {
  const { client, terms } = recognised;
  if (tenant === undefined && client.tenant === undefined && terms.tenantByHost === true)
    return refused(
      'This client belongs to the tenant on whose host it asks, and this is no host of one: ask there, or ',
    );
  if (tenant === undefined || client.tenant === tenant) return recognised;
  if (client.tenant !== undefined || terms.tenantByHost !== true)
    return refused('This client has no business on this host: ask on its own, or ');
  return { ...recognised, client: { ...client, tenant } };
}

const HOW = 'send "Authorization: Bearer <key or token>", or by HTTP Basic the client\'s name and its key.';

const CHALLENGE = ['www-authenticate', 'Bearer realm="mmeliot"', 'www-authenticate', 'Basic realm="mmeliot"'];
const INVALID = ['www-authenticate', 'Bearer realm="mmeliot", error="invalid_token"', ...CHALLENGE.slice(2)];

const NOBODY: Refused = { status: 401, reason: `Say who you are: ${HOW}`, fields: CHALLENGE };

const refused = (why: string): Refused => ({ status: 401, reason: `${why}${HOW}`, fields: INVALID });

const tooMany = (wait: number): Refused => ({
  status: 429,
  reason: 'This client makes more requests than it may.',
  fields: ['retry-after', String(Math.max(1, Math.ceil(wait / 1000)))],
});

/** Whatever a token makes go wrong, its request is answered. */
function refusalOf(error: unknown): Refused {
  if (error instanceof TokenRefused && !error.unavailable)
    return { status: 401, reason: error.message, fields: INVALID };
  const reason = error instanceof TokenRefused ? error.message : 'The token cannot be checked at present.';
  return { status: 503, reason, fields: ['retry-after', '5'] };
}
