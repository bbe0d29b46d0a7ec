// Whose a request is, and whether there may be another one of that client's now. A gateway asks this before it does anything
// else with a request. (What a client may do with its roles the VM knows, which knows its operations.)
import type { KeyObject } from 'node:crypto';
import { Buckets } from './bucket.ts';
import { CLIENT_HEADER, CLIENT_HEADER_NEXT } from '../../epcis/access/client-token.ts';
import type { ClientIdentity } from '../../epcis/access/identity.ts';
import { digestOf, type KeyRecord } from './keys.ts';
import type { Tenant } from './options.ts';
import { atTenant, isByCertificate, recognise, shownBy, type Marks, type Recognised } from './recognise.ts';
import { NOBODY, refusalOf, tooMany, type Refused } from './refusals.ts';
import type { Terms } from './terms.ts';

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

/** Writes what the VM is told of who asks. */
export interface Signer {
  /**
   * For a data plane that signs by itself: HMAC-SHA-256 of content, method and path, each on a line, in base64url. That of the group's
   * secret, and while it is changed of the next one behind it; the same list until then.
   */
  keys(): readonly KeyObject[];
  /** What is said of the client; good for at least RENEW_MS, and no minute longer. */
  content(client: ClientIdentity, now: number): string;
  /** The same with the signature, for this request alone. */
  sign(content: string, method: string, path: string, key: KeyObject): string;
}

export interface AccessOptions extends Marks {
  readonly now: () => number;
  readonly signer: Signer;
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
/** No field has a line's end in it. */
const AT_TENANT = '\n';

export type Verdict = Admitted | Refused;

/** A browser asks whether it may before it says who it is; whoever watches may see that somebody is ready. */
const isForAnybody = ({ method, path }: AccessRequest): boolean =>
  method === 'OPTIONS' || (path === '/ready' && (method === 'GET' || method === 'HEAD'));

const ANYBODY: Admitted = { identity: undefined, fields: [], requestClass: undefined };

export class Access {
  readonly #options: AccessOptions;
  readonly #tenants: ReadonlyMap<string, Tenant>;
  readonly #tenantAt: ReadonlyMap<string, string>;
  readonly #buckets = new Buckets();
  /** By what they show: checking a signature for each request would cost more than the request. */
  readonly #known = new Map<string, Known>();
  #keys: ReadonlyMap<string, KeyRecord> = new Map();
  #digest = digestOf([]);
  #recognised = 0;
  #signedBy: readonly KeyObject[] = [];

  constructor(options: AccessOptions, keys: readonly KeyRecord[]) {
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
        !isByCertificate(authorization) &&
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
    const recognised = recognise(own, now, this.#keys, this.#options);
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
    const wait = this.#buckets.take(`${rate} ${nameOf(client)}`, rate, now);
    const tenant = this.#tenantOf(client);
    return wait ?? (tenant && this.#buckets.take(`tenant ${tenant.name}`, tenant.requestsPerSecond ?? 0, now));
  }

  #tenantOf({ tenant }: ClientIdentity): Tenant | undefined {
    return tenant === undefined ? undefined : this.#tenants.get(tenant);
  }
}

/** In a form in which no part can pass for two: an issuer's client may be called "corp:acme of north". */
const nameOf = ({ issuer = '', client, tenant = '' }: ClientIdentity): string =>
  JSON.stringify([issuer, client, tenant]);

/** `North.example.org.:8443` is north.example.org. */
const hostIn = (host = ''): string => host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
