// A gateway in another process, as its manager sees it. What it counts is read every half second; while it can't be
// reached the last reading stands, and calls that would change it reject, so that the manager tries again.
import { X509Certificate } from 'node:crypto';
import { checkServerIdentity, getCACertificates, type ConnectionOptions } from 'node:tls';
import { buildConnector, Client } from 'undici';
import type { KeyRecord } from '../../access/keys.ts';
import type { Address } from '../../model.ts';
import type { GroupTrust } from '../../tls/group.ts';
import type { Gateway, GatewayLog, VmView } from '../core/contract.ts';
import type { Counters, VmCounters } from '../core/counters.ts';
import { Tally } from '../core/counters.ts';
import { negative, sumCounters, withoutGauges } from '../core/sum-counters.ts';

/** What `GET /state` answers: a Map is no JSON. */
export interface GatewayState {
  readonly address: Address;
  readonly secure: boolean;
  readonly fleet: readonly VmView[];
  readonly keys: string;
  /** Undefined: one of a version that does not say. */
  readonly tenants?: readonly string[];
  readonly settings?: Readonly<Record<string, string>>;
  /** As it says them itself; undefined: the same. */
  readonly problems?: readonly string[];
  readonly counters: Omit<Counters, 'vms'> & { readonly vms: readonly (readonly [string, VmCounters])[] };
}

export interface RemoteGatewayOptions {
  /** Of its control door. */
  readonly url: string;
  /** The group's, the newest first: two while it is changed. */
  readonly secrets: () => readonly string[];
  /** Roots of its certificate (PEM); undefined: those that the machine knows. */
  readonly ca?: string;
  /** It may show a certificate of the group instead, whatever its address. */
  readonly group?: GroupTrust;
  /** Those that it has to know: of others it would keep neither hosts nor limits. */
  readonly tenants?: readonly string[];
}

const READ_MS = 500;
const CALL_MS = 5_000;

/** A certificate of the group is good for its name; no other authority is asked for that name, and that one for no other. */
function trusting(ca: string | undefined, group: GroupTrust | undefined): ConnectionOptions {
  if (group === undefined) return ca === undefined ? {} : { ca };
  const roots = group.ca.split(/(?<=-----END CERTIFICATE-----\n)/).map((one) => new X509Certificate(one).publicKey);
  return {
    ca: [...(ca === undefined ? getCACertificates() : [ca]), group.ca],
    checkServerIdentity: (host, shown) =>
      checkServerIdentity(roots.some((root) => new X509Certificate(shown.raw).verify(root)) ? group.name : host, shown),
  };
}

type Method = 'GET' | 'PUT' | 'POST' | 'DELETE';

interface Said {
  readonly status: number;
  readonly value: unknown;
}

/** It did not answer. */
class NoAnswer extends Error {}

/**
 * Connects to all of them; rejects with one sentence when none answers, or one refuses. Those that answer come first; who is away is
 * taken up when it is back.
 */
export async function connectGateways(
  all: readonly RemoteGatewayOptions[],
  log: GatewayLog,
): Promise<readonly Gateway[]> {
  const gateways = all.map((options) => new RemoteGateway(options, log));
  try {
    await Promise.all(gateways.map((gateway) => gateway.begin()));
    const away = gateways.flatMap((gateway) => gateway.away ?? []);
    const [first] = away;
    if (first !== undefined && away.length === gateways.length) throw new Error(first);
  } catch (error) {
    await Promise.all(gateways.map((gateway) => gateway.close()));
    throw error;
  }
  for (const gateway of gateways) gateway.keepReading();
  return gateways.toSorted((a, b) => Number(a.away !== undefined) - Number(b.away !== undefined));
}

/** Why it is not steered by this secret now, in one sentence; undefined: it is. */
export async function whyNotBy(secret: string, options: RemoteGatewayOptions): Promise<string | undefined> {
  const gateway = new RemoteGateway({ ...options, secrets: () => [secret] }, { info: () => {}, warn: () => {} });
  try {
    await gateway.read();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await gateway.close();
  }
}

const UNCOUNTED = new Tally([]).read(0, () => 0);
const UNREAD: GatewayState = {
  ...{ address: { host: '', port: 0 }, secure: false, fleet: [], keys: '' },
  counters: { ...UNCOUNTED, vms: [] },
};

class RemoteGateway implements Gateway {
  readonly #options: RemoteGatewayOptions;
  readonly #log: GatewayLog;
  readonly #client: Client;
  #state = UNREAD;
  #counters: Counters = UNCOUNTED;
  /** What it had counted before it was restarted: counters only ever grow. Of one that was away first: less what it counted until then. */
  #before?: Counters;
  #timer?: NodeJS.Timeout;
  /** One sentence. */
  away: string | undefined;
  #complained?: string;

  constructor(options: RemoteGatewayOptions, log: GatewayLog) {
    this.#options = options;
    this.#log = log;
    this.#client = this.#connect();
  }

  #connect(): Client {
    const { url, ca, group } = this.#options;
    // by the certificates that are good when it connects
    return new Client(url, { pipelining: 1, connect: (to, done) => buildConnector(trusting(ca, group))(to, done) });
  }

  get address(): Address {
    return this.#state.address;
  }

  get secure(): boolean {
    return this.#state.secure;
  }

  async add(id: string, address: Address): Promise<void> {
    await this.#call('PUT', `/vms/${encodeURIComponent(id)}`, address);
    await this.read();
  }

  async drain(id: string, deadlineMs: number): Promise<boolean> {
    // a connection of its own: the answer comes when the VM is empty, and the readings must not wait for it
    const client = this.#connect();
    try {
      const path = `/vms/${encodeURIComponent(id)}/drain`;
      const answer = await this.#call('POST', path, { deadlineMs }, deadlineMs + CALL_MS, client);
      return (answer as { empty: boolean }).empty;
    } finally {
      await client.close();
    }
  }

  async remove(id: string): Promise<void> {
    await this.#call('DELETE', `/vms/${encodeURIComponent(id)}`);
    await this.read();
  }

  reportLoad(id: string, load: number): void {
    void this.#call('PUT', `/vms/${encodeURIComponent(id)}/load`, { load }).catch(() => undefined); // the next period reports again
  }

  fleet(): readonly VmView[] {
    return this.#state.fleet;
  }

  async setKeys(keys: readonly KeyRecord[]): Promise<void> {
    await this.#call('PUT', '/keys', { keys });
    await this.read();
  }

  get keys(): string {
    return this.#state.keys;
  }

  counters(): Counters {
    return this.#counters;
  }

  get settings(): Readonly<Record<string, string>> {
    return this.#state.settings ?? {};
  }

  get problems(): readonly string[] {
    if (this.away !== undefined) return [this.away];
    const own = (this.#state.problems ?? []).map((problem) => `The gateway at ${this.#options.url} says: ${problem}`);
    return [this.complaint ?? [], own].flat();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#client.destroy();
  }

  /** The first reading. It may be away then, but not refuse. */
  async begin(): Promise<void> {
    try {
      await this.read();
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      this.#noteAway(error.message);
    }
    if (this.complaint !== undefined) throw new Error(this.complaint);
  }

  async read(): Promise<void> {
    const state = (await this.#call('GET', '/state')) as GatewayState;
    const counters = { ...state.counters, vms: new Map(state.counters.vms) };
    if (this.#state === UNREAD && this.away !== undefined) this.#before = negative(withoutGauges(counters));
    this.#state = state;
    const total = this.#before === undefined ? counters : sumCounters([this.#before, counters]);
    const last = this.#counters;
    if (total.arrived < last.arrived) this.#before = withoutGauges(last);
    this.#counters = this.#before === undefined ? counters : sumCounters([this.#before, counters]);
  }

  get complaint(): string | undefined {
    const { url, tenants = [] } = this.#options;
    const known = this.#state.tenants;
    const unknown = known === undefined ? [] : tenants.filter((tenant) => !known.includes(tenant));
    if (unknown.length === 0) return undefined;
    return `The gateway at ${url} does not know ${unknown.join(', ')}: give it the manager's epcis.tenants and identity, or hosts and limits of tenants do not hold there.`;
  }

  keepReading(): void {
    this.#timer = setTimeout(() => {
      void this.read()
        .then(
          () => this.#noteRead(),
          ({ message }: Error) => this.#noteAway(message),
        )
        .finally(() => {
          if (!this.#client.destroyed) this.keepReading();
        });
    }, READ_MS).unref();
  }

  #noteRead(): void {
    this.#noteAway(undefined);
    const { complaint } = this;
    if (complaint !== undefined && complaint !== this.#complained) this.#log.warn({}, complaint);
    this.#complained = complaint;
  }

  #noteAway(away: string | undefined): void {
    const isNews = (away === undefined) !== (this.away === undefined);
    this.away = away;
    if (!isNews || this.#client.destroyed) return;
    const { url } = this.#options;
    if (away !== undefined)
      this.#log.warn({ url }, 'The gateway does not answer; it serves on with the VMs it knows, if it runs');
    else this.#log.info({ url }, 'The gateway answers again');
  }

  /** By the secret that everybody knows; while that is changed, who has let go of it already takes the next one. */
  async #call(method: Method, path: string, ...more: [body?: object, timeoutMs?: number, client?: Client]) {
    const { url, secrets } = this.#options;
    let said: Said = { status: 401, value: {} };
    for (const secret of secrets().toReversed()) {
      said = await this.#ask(secret, method, path, ...more);
      if (said.status === 200) return said.value;
      if (said.status !== 401) break;
    }
    throw new Error(`The gateway at ${url} refuses: ${(said.value as { error?: string }).error ?? said.status}`);
  }

  async #ask(
    secret: string,
    method: Method,
    path: string,
    body?: object,
    timeoutMs = CALL_MS,
    client = this.#client,
  ): Promise<Said> {
    const { url } = this.#options;
    try {
      const answer = await client.request({
        method,
        path,
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: body === undefined ? null : JSON.stringify(body),
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      });
      return { status: answer.statusCode, value: await answer.body.json() };
    } catch (error) {
      if (error instanceof SyntaxError) throw new Error(`What answers at ${url} is no control door of a gateway.`);
      const { code } = error as NodeJS.ErrnoException;
      throw new NoAnswer(`The gateway at ${url} does not answer (${code}).`, { cause: error });
    }
  }
}
