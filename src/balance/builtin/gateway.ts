// The built-in data plane: this process carries the traffic.
import type { Server, ServerResponse } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import { type AddressInfo, Server as NetServer } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import type { KeyRecord } from '../../access/keys.ts';
import type { Address } from '../../model.ts';
import { contextOf, readPair, watchPair } from '../../tls/certificate.ts';
import { hasTls, type TlsFiles } from '../../settings/tls.ts';
import { ABANDONED_PER_SECOND, ABANDONED_SAVED_MS } from '../core/abandoned.ts';
import { AnswerMemory } from '../core/answer-memory.ts';
import { Admission } from '../core/admission.ts';
import type { Gateway, GatewayDeps, VmView } from '../core/contract.ts';
import type { BuiltInVm, Core, Front } from './core.ts';
import { Tally } from '../core/counters.ts';
import type { Counters } from '../core/counters.ts';
import { VmConnections } from './vm-connections.ts';
import { HealthCheck } from './health-check.ts';
import { KnownStreams } from './known-streams.ts';
import { createListener } from './listener.ts';
import { byTls, namesVm, type GatewayOptions } from '../core/options.ts';
import { classifier, compileAny } from '../core/request-rules.ts';
import { Rates } from '../core/rates.ts';
import { UPGRADES_SAVED_MS } from '../core/upgrades.ts';
import { RetryBudget } from '../core/retry-budget.ts';
import { SELECTORS } from '../core/selectors/index.ts';
import { checkVm, isEmpty } from '../core/vm-pool.ts';

const SWEEP_MS = 100;
const BYTES_SAVED_MS = 100;
const CONNECTIONS_SAVED_MS = 1_000;
const STRANGERS_SAVED_MS = 10_000;
/** Who shows what nobody was given, all the time, is answered later and later; one that was set up wrongly is to be told before it gives up. */
const LONGEST_STRANGER_MS = 10_000;

/**
 * What a connection leaves is found by full collections only, and V8 would let it grow to several times of what is in use first: by 400 MB within a minute,
 * of a client that connects and resets without end.
 */
const HEAP_GROWING_PERCENT = 50;

/** Starts listening. Fails when the port is taken or a rule is no regular expression. */
export async function startBuiltInGateway(options: GatewayOptions, deps: GatewayDeps, front?: Front): Promise<Gateway> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`);
  const gateway = new BuiltInGateway(options, deps, front);
  await gateway.listen();
  return gateway;
}

class BuiltInGateway implements Gateway {
  readonly #core: Core;
  readonly #server: Server | TlsServer;
  readonly #stopWatching: () => void;
  readonly #health: HealthCheck;
  readonly #sweep: NodeJS.Timeout;
  #address: Address;
  #closed: Promise<void> | undefined;
  #idleUntil = 0;

  constructor(options: GatewayOptions, deps: GatewayDeps, front: Front | undefined) {
    const { queue, retry, selector, limits } = options;
    const prefix = `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`;
    this.#core = {
      options,
      namesVm: namesVm(options),
      way: { protocol: hasTls(options.tls) ? 'https' : 'http', trusted: options.trustForwarded },
      deps,
      front,
      admission: new Admission<VmConnections>(options, {
        now: deps.now,
        random: Math.random,
        selector: SELECTORS[selector],
      }),
      tally: new Tally(queue.classes.map((one) => one.name)),
      budget: new RetryBudget(retry.budget, retry.perRequest),
      classify: classifier(queue.classes),
      mayRepeat: compileAny(retry.safe),
      uploadRates: new Rates(limits.uploadBytesPerSecond, BYTES_SAVED_MS),
      answerRates: new Rates(limits.answerBytesPerSecond, BYTES_SAVED_MS),
      connectionRates: new Rates(limits.connectionsPerSecond, CONNECTIONS_SAVED_MS),
      upgradeRates: new Rates(limits.upgradesPerSecond, UPGRADES_SAVED_MS),
      strangerRates: new Rates(limits.strangersPerSecond, STRANGERS_SAVED_MS, LONGEST_STRANGER_MS),
      abandonedRates: new Rates(ABANDONED_PER_SECOND, ABANDONED_SAVED_MS, ABANDONED_SAVED_MS),
      answerMemory: new AnswerMemory({ each: limits.answerBytes, all: limits.answersBytes }),
      streams: deps.access && new KnownStreams(deps.access),
      waitingForClient: new Set(),
      // a number would tell each client how many requests others make
      nextRequestId: () => `${prefix}-${Math.random().toString(36).slice(2)}`,
      vmFailed: (vm, failure, why) => this.#vmFailed(vm, failure, why),
      tellApart: () => void this.#health.tellApart(),
    };
    this.#address = { host: options.host, port: options.port };
    // a proxy of our own in front of it speaks TLS with the clients
    const files = front === undefined && hasTls(options.tls) ? options.tls : undefined;
    this.#server = createListener(this.#core, files && readPair(files));
    this.#stopWatching = files === undefined ? () => {} : this.#watch(files);
    this.#health = new HealthCheck(this.#core);
    this.#sweep = setInterval(() => this.#tidy(), SWEEP_MS);
    this.#sweep.unref();
  }

  get address(): Address {
    return this.#address;
  }

  get secure(): boolean {
    return hasTls(this.#core.options.tls);
  }

  listen(): Promise<void> {
    const { host, port } = this.#core.options;
    return new Promise((resolve, reject) => {
      this.#server.once('error', (error) => {
        this.#stopTimers();
        reject(error);
      });
      this.#server.listen(port, host, () => {
        this.#address = { host, port: (this.#server.address() as AddressInfo).port };
        resolve();
      });
    });
  }

  async add(id: string, address: Address): Promise<void> {
    checkVm(id, address);
    const { admission, tally, options, deps } = this.#core;
    const known = admission.pool.get(id);
    if (known !== undefined) {
      const same = known.address.host === address.host && known.address.port === address.port;
      if (same && !known.draining) return;
      await this.remove(id);
    }
    tally.addVm(id);
    const trust = byTls(options, address) ? deps.vmTrust : undefined;
    admission.add(id, address, new VmConnections(address, options.timeouts, trust));
    deps.log.info({ vm: id, ...address }, 'VM takes requests');
  }

  drain(id: string, deadlineMs: number): Promise<boolean> {
    const vm = this.#core.admission.pool.get(id);
    if (vm === undefined) return Promise.resolve(true);
    vm.draining = true;
    if (isEmpty(vm)) return Promise.resolve(true);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), deadlineMs);
    const before = vm.onEmpty;
    vm.onEmpty = () => {
      before?.();
      clearTimeout(timer);
      resolve(true);
    };
    return promise;
  }

  async remove(id: string): Promise<void> {
    const { admission, tally } = this.#core;
    const vm = admission.pool.get(id);
    if (vm === undefined) return;
    vm.draining = true;
    admission.pool.delete(id);
    tally.vms.delete(id);
    // ends its requests (repeated elsewhere where that is safe) and its tunnels
    for (const cut of vm.tunnels) cut();
    await vm.handle.destroy();
  }

  reportLoad(id: string, load: number): void {
    const vm = this.#core.admission.pool.get(id);
    if (vm !== undefined) vm.load = load;
  }

  fleet(): readonly VmView[] {
    const { pool } = this.#core.admission;
    const now = this.#core.deps.now();
    return pool.all().map((vm) => ({
      id: vm.id,
      address: vm.address,
      state: vm.draining ? 'draining' : vm.out === undefined ? 'ready' : 'out',
      ...(vm.out !== undefined && { note: vm.out }),
      inFlight: vm.inFlight + vm.resting,
      limit: vm.limit,
      tunnels: vm.tunnels.size,
      share: pool.shareOf(vm, now),
      responseTime: vm.peak,
    }));
  }

  async setKeys(keys: readonly KeyRecord[]): Promise<void> {
    this.#core.deps.access?.setKeys(keys);
    this.#core.streams?.endUnknown();
  }

  get keys(): string {
    return this.#core.deps.access?.digest ?? '';
  }

  counters(): Counters {
    const { tally, deps, admission } = this.#core;
    return tally.read(deps.now(), (level) => admission.queue.sizeOf(level));
  }

  close(lastRequestsMs = 0): Promise<void> {
    this.#closed ??= this.#close(lastRequestsMs);
    return this.#closed;
  }

  async #close(lastRequestsMs: number): Promise<void> {
    const { admission, options, deps } = this.#core;
    this.#idleUntil = deps.now() + lastRequestsMs;
    this.#server.prependListener('request', (_, response: ServerResponse) => {
      response.shouldKeepAlive = false;
    });
    // Node's HTTP server would close idle connections at once
    const closed = new Promise((resolve) => NetServer.prototype.close.call(this.#server, resolve));
    if (lastRequestsMs === 0) this.#server.closeIdleConnections();
    // upgraded connections have no end to wait for
    for (const vm of admission.pool.all()) for (const cut of vm.tunnels) cut();
    const { closeMs } = options.timeouts;
    const timers = [
      setTimeout(() => admission.turnAllAway(), closeMs),
      setTimeout(() => this.#server.closeAllConnections(), closeMs + SWEEP_MS),
    ];
    await closed;
    for (const timer of timers) clearTimeout(timer);
    this.#stopTimers();
    await Promise.all(admission.pool.all().map((vm) => this.remove(vm.id)));
  }

  #vmFailed(vm: BuiltInVm, failure: string, why: string): void {
    const { admission, deps } = this.#core;
    if (admission.pool.get(vm.id) !== vm || vm.draining) return;
    if (failure === 'errors' || admission.pool.takeOut(vm, why, deps.now())) {
      deps.log.warn({ vm: vm.id, failure, why }, 'VM gets no requests until its probe succeeds');
      if (failure !== 'errors') this.#health.checkNow(vm);
    }
  }

  #tidy(): void {
    const { admission, waitingForClient, streams, deps } = this.#core;
    const { uploadRates, answerRates, connectionRates, upgradeRates, strangerRates, abandonedRates } = this.#core;
    const now = deps.now();
    streams?.keepUp(now);
    admission.expire(now);
    admission.serveQueue();
    // of a closing server: connections that have become idle since
    if (!this.#server.listening && now >= this.#idleUntil) this.#server.closeIdleConnections();
    for (const rates of [uploadRates, answerRates, connectionRates, upgradeRates, strangerRates, abandonedRates])
      rates.forget(now);
    for (const exchange of waitingForClient) exchange.look(now);
  }

  /** Connections that are open go on with what they began with. */
  #watch(files: TlsFiles): () => void {
    const { log } = this.#core.deps;
    return watchPair(
      files,
      (pair) => {
        if ('setSecureContext' in this.#server) this.#server.setSecureContext(contextOf(pair));
        log.info({ file: files.certificate }, 'New connections get the new certificate');
      },
      (problem) => log.warn({ file: files.certificate }, `The certificate stays as it was: ${problem.message}`),
    );
  }

  #stopTimers(): void {
    this.#stopWatching();
    clearInterval(this.#sweep);
    this.#health.stop();
  }
}
