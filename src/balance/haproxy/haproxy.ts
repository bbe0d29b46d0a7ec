// The other data plane: an HAProxy carries the traffic, this steers it. VMs come and go through its runtime API without
// a reload; what it says of each request on its log stream goes into the same counters as the built-in plane's.
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import type { Socket } from 'node:dgram';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseAddress } from '../../../epcis/domain/address.ts';
import type { KeyRecord } from '../../access/keys.ts';
import type { Address } from '../../model.ts';
import { watchPair, type Pair } from '../../tls/certificate.ts';
import { hasTls } from '../../settings/tls.ts';
import { startBuiltInGateway } from '../builtin/gateway.ts';
import type { Gateway, GatewayDeps, VmView } from '../core/contract.ts';
import type { Counters } from '../core/counters.ts';
import { CERTIFICATE_FIELD, CLIENT_FIELD, FRONT_FIELD } from '../core/headers.ts';
import { sumCounters } from '../core/sum-counters.ts';
import { HaproxyAccount } from './account.ts';
import { HaproxyClients } from './clients.ts';
import { HaproxyHealth, vmProbe } from './health.ts';
import { HaproxyLimits } from './limits.ts';
import { parseLogLine } from './text/log.ts';
import type { HaproxyRequest } from './text/log.ts';
import { addServer } from './text/servers.ts';
import { HaproxyProcess } from './process.ts';
import { parseStat, Silent } from './runtime.ts';
import type { ServerStat } from './runtime.ts';
import type { GatewayOptions } from '../core/options.ts';
import { checkVm } from '../core/vm-pool.ts';

const POLL_MS = 250;
const SOON_MS = 50;
const GONE_MS = 5_000;

interface KnownVm {
  readonly address: Address;
  draining: boolean;
}

export async function startHaproxyGateway(options: GatewayOptions, deps: GatewayDeps): Promise<Gateway> {
  const gateway = new HaproxyGateway(options, deps);
  await gateway.start();
  return gateway;
}

class HaproxyGateway implements Gateway {
  readonly #options: GatewayOptions;
  readonly #deps: GatewayDeps;
  readonly #haproxy: HaproxyProcess;
  readonly #account: HaproxyAccount;
  readonly #vms = new Map<string, KnownVm>();
  #log: Socket | undefined;
  #logMark = randomBytes(9).toString('base64url');
  /** Uploads go through a gateway of the built-in plane, which HAProxy has in its configuration. */
  #uploads: Gateway | undefined;
  /** By which the two know each other. */
  #proof = randomBytes(24).toString('base64url');
  /** Undefined: anybody may come in. */
  readonly #clients: HaproxyClients | undefined;
  readonly #health: HaproxyHealth;
  /** Undefined: they are configured. */
  readonly #limits: HaproxyLimits | undefined;
  #stats: ServerStat[] = [];
  #asksSoon = false;
  #closing = false;
  #stopWatching: () => void = () => {};
  #polling: Promise<void> | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: GatewayOptions, deps: GatewayDeps) {
    if (deps.haproxy === undefined)
      throw new Error('The haproxy data plane needs a folder and a way to start HAProxy.');
    this.#options = options;
    this.#deps = deps;
    this.#haproxy = new HaproxyProcess(options, deps);
    const command = (text: string) => this.#haproxy.command(text);
    this.#health = new HaproxyHealth(options.health, deps, { command, probe: vmProbe(options, deps) });
    this.#limits = options.perVm === 'auto' ? new HaproxyLimits(command, deps.now) : undefined;
    this.#clients = deps.access && new HaproxyClients(deps.access, command, deps.now);
    this.#account = new HaproxyAccount(options.queue.classes.map((one) => one.name));
  }

  get address(): Address {
    return { host: this.#options.host, port: this.#haproxy.port };
  }

  get secure(): boolean {
    return hasTls(this.#options.tls);
  }

  /** Takes an HAProxy over that a former manager started with the same configuration; else starts one. */
  async start(): Promise<void> {
    const running = await this.#haproxy.findRunning();
    this.#logMark = running?.logMark ?? this.#logMark;
    this.#log = await this.#listen(running?.logPort ?? 0);
    try {
      this.#uploads = await this.#startUploads(running?.uploadPort ?? 0, running?.proof);
      if (running === undefined) await this.#startProcess();
      else await this.#takeOver();
    } catch (error) {
      await this.close();
      throw error;
    }
    this.#polling = this.#poll();
    if (hasTls(this.#options.tls)) this.#stopWatching = this.#watchCertificate();
  }

  async add(id: string, address: Address): Promise<void> {
    checkVm(id, address);
    const known = this.#vms.get(id);
    if (known !== undefined) {
      if (!known.draining && known.address.host === address.host && known.address.port === address.port) return;
      await this.remove(id);
    }
    this.#vms.set(id, { address, draining: false });
    this.#health.add(id, address);
    this.#account.addVm(id);
    await this.#clients?.tellChangedKeys();
    await Promise.all([this.#uploads?.add(id, address), this.#addServer(id, address)]);
    this.#deps.log.info({ vm: id, ...address }, 'VM takes requests');
  }

  async drain(id: string, deadlineMs: number): Promise<boolean> {
    const vm = this.#vms.get(id);
    if (vm === undefined) return true;
    vm.draining = true;
    this.#health.drain(id);
    const deadline = this.#deps.now() + deadlineMs;
    const uploadsEnded = this.#uploads?.drain(id, deadlineMs);
    await this.#haproxy.command(`set server vms/${id} state drain`);
    for (;;) {
      await this.#refresh();
      const stat = this.#stats.find((one) => one.name === id);
      if (stat === undefined || stat.inFlight + stat.queued === 0) return (await uploadsEnded) ?? true;
      if (this.#deps.now() >= deadline) return false;
      await sleep(20);
    }
  }

  async remove(id: string): Promise<void> {
    if (!this.#vms.delete(id)) return;
    this.#account.deleteVm(id);
    this.#health.delete(id);
    this.#limits?.delete(id);
    await this.#uploads?.remove(id);
    await this.#haproxy.command(`set server vms/${id} state maint; shutdown sessions server vms/${id}`);
    // a server can be deleted when its last connection has been closed
    for (const deadline = this.#deps.now() + GONE_MS; this.#deps.now() < deadline; await sleep(20)) {
      const answer = await this.#haproxy.command(`del server vms/${id}`);
      if (/deleted|No such server/i.test(answer)) return;
    }
    throw new Error(`HAProxy does not let go of VM ${id}.`);
  }

  reportLoad(): void {
    // HAProxy's selectors don't go by load
  }

  fleet(): readonly VmView[] {
    const uploads = new Map(this.#uploads?.fleet().map((vm) => [vm.id, vm]));
    return [...this.#vms].map(([id, { address, draining }]) => {
      const stat = this.#stats.find((one) => one.name === id);
      const why = this.#health.whyOut(id);
      const up = stat?.isUp === true && why === undefined;
      return {
        id,
        address,
        state: draining ? 'draining' : up ? 'ready' : 'out',
        ...(!draining && !up && { note: why ?? stat?.check ?? 'HAProxy does not know it (yet)' }),
        inFlight: (stat?.inFlight ?? 0) + (uploads.get(id)?.inFlight ?? 0),
        limit: stat?.limit ?? 0,
        tunnels: 0,
        share: (stat?.throttle ?? 100) / 100,
        responseTime: stat?.responseTime ?? 0,
      };
    });
  }

  async setKeys(keys: readonly KeyRecord[]): Promise<void> {
    await this.#uploads?.setKeys(keys);
    await this.#clients?.forgetAll();
  }

  get keys(): string {
    return this.#uploads?.keys ?? '';
  }

  counters(): Counters {
    const own = this.#account.counters(this.#stats, this.#deps.now());
    return this.#uploads === undefined ? own : sumCounters([own, this.#uploads.counters()]);
  }

  close(lastRequestsMs = 0): Promise<void> {
    this.#closed ??= this.#close(lastRequestsMs);
    return this.#closed;
  }

  /** Lets go of HAProxy as a crash would: it carries the traffic on, for the next manager to take over. */
  async abandon(): Promise<void> {
    this.#closed ??= this.#letGo();
    await this.#closed;
  }

  async #close(lastRequestsMs: number): Promise<void> {
    this.#closing = true;
    await this.#haproxy.shut();
    await this.#polling;
    await this.#haproxy.stop(lastRequestsMs);
    await this.#letGo();
  }

  async #letGo(): Promise<void> {
    this.#closing = true;
    this.#stopWatching();
    await this.#polling;
    await this.#uploads?.close();
    await new Promise<void>((resolve) => (this.#log === undefined ? resolve() : this.#log.close(() => resolve())));
  }

  // --- keeping in step
  async #startProcess(): Promise<void> {
    await this.#haproxy.start({
      ...{ logPort: this.#log?.address().port ?? 0, logMark: this.#logMark },
      ...{ uploadPort: this.#uploads?.address.port ?? 0, proof: this.#proof },
    });
    this.#account.startAnew();
    this.#health.startAnew();
    await this.#clients?.forgetAll();
    for (const [id, { address, draining }] of this.#vms) if (!draining) await this.#addServer(id, address);
    await this.#refresh();
  }

  /** Every now and then: what the VMs do; a VM that HAProxy has forgotten, or an HAProxy that is gone, comes again. */
  async #poll(): Promise<void> {
    while (!this.#closing) {
      await this.#restBetween();
      if (this.#closing) return;
      try {
        await this.#refresh();
        await this.#clients?.keepUp();
        for (const [id, { address, draining }] of this.#vms) {
          if (!draining && !this.#stats.some((one) => one.name === id)) await this.#addServer(id, address);
        }
      } catch (error) {
        if (error instanceof Silent && (await this.#haproxy.answersNow())) continue;
        this.#deps.log.warn({ error: (error as Error).message }, 'HAProxy does not answer; starting it again');
        this.#account.isGone();
        await this.#startProcess().catch((failure: unknown) => {
          this.#deps.log.warn({ error: (failure as Error).message }, 'HAProxy could not be started');
        });
      }
    }
  }

  /** Clients that take their answers slowly fill a VM within some ms: while requests come it is asked more often. */
  async #restBetween(): Promise<void> {
    await sleep(SOON_MS);
    for (let rested = SOON_MS; rested < POLL_MS && !this.#asksSoon && !this.#closing; rested += SOON_MS)
      await sleep(SOON_MS);
  }

  #watchCertificate(): () => void {
    const { tls } = this.#options;
    const { log } = this.#deps;
    const problem = (error: Error) =>
      log.warn({ file: tls.certificate }, `The certificate stays as it was: ${error.message}`);
    const change = (pair: Pair) =>
      void this.#haproxy
        .changeCertificate(pair)
        .then(() => log.info({ file: tls.certificate }, 'New connections get the new certificate'), problem);
    return watchPair(tls, change, problem);
  }

  // --- what it says
  async #refresh(): Promise<void> {
    const { ended } = this.#account;
    this.#stats = parseStat(await this.#haproxy.command('show stat vms 6 -1'));
    this.#health.look(this.#stats);
    this.#asksSoon = this.#limits?.look(this.#stats) ?? false;
    this.#account.look(this.#stats, ended);
  }

  async #takeOver(): Promise<void> {
    await this.#clients?.forgetAll();
    await this.#refresh();
    for (const { name, address: text, status, limit } of this.#stats) {
      const address = parseAddress(text);
      if (name === 'BACKEND' || address === undefined) continue;
      const vm = { address, draining: /^(DRAIN|MAINT)/.test(status) };
      this.#vms.set(name, vm);
      this.#account.addVm(name);
      this.#health.add(name, address);
      this.#limits?.begin(name, limit);
      if (vm.draining) this.#health.drain(name);
      // one that was told apart is so again by itself
      else await this.#haproxy.command(`set server vms/${name} weight 100%`);
      if (!vm.draining) await this.#uploads?.add(name, vm.address);
    }
  }

  async #addServer(id: string, address: Address): Promise<void> {
    await this.#haproxy.keepRoots();
    const answer = await this.#haproxy.command(addServer(this.#options, id, address, this.#deps.vmTrust?.name));
    if (!/registered|Already exists/i.test(answer)) throw new Error(`HAProxy does not take VM ${id}: ${answer}`);
    this.#limits?.begin(id);
    // as well as any: by itself a new server is one whose first check decides
    await this.#haproxy.command(`enable health vms/${id}; enable server vms/${id}; set server vms/${id} health up`);
    await this.#refresh();
  }

  #startUploads(port: number, proof = this.#proof): Promise<Gateway> {
    this.#proof = proof;
    const deps = { ...this.#deps, log: { info: () => {}, warn: this.#deps.log.warn.bind(this.#deps.log) } };
    const fields = { clientField: CLIENT_FIELD, certificateField: CERTIFICATE_FIELD, proofField: FRONT_FIELD };
    return startBuiltInGateway({ ...this.#options, dataPlane: 'builtin', host: '127.0.0.1', port }, deps, {
      ...fields,
      proof,
    });
  }

  #listen(port: number): Promise<Socket> {
    const socket = createSocket({ type: 'udp4', recvBufferSize: 4 << 20 });
    socket.on('message', (line) => this.#read(line.toString('latin1')));
    return new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.bind(port, '127.0.0.1', () => resolve(socket));
    });
  }

  #read(line: string): void {
    const request = parseLogLine(line, this.#logMark);
    if (request !== undefined) this.#asksSoon = this.#limits !== undefined;
    if (request !== undefined && request.lost === undefined) this.#limits?.answered(request);
    for (let i = 0; i < (request?.standsFor ?? 0); i++) this.#count(request as HaproxyRequest);
  }

  #count(request: HaproxyRequest): void {
    if (request.lost !== 'malformed') this.#health.ended(request);
    this.#account.tellsOf(request, this.#deps.now());
  }
}
