// Several gateways over one manager, steered as one. A gateway that was away is brought in line when it is back.
import { showAddress } from '../../../epcis/domain/address.ts';
import { digestOf, type KeyRecord } from '../../access/keys.ts';
import type { Address } from '../../model.ts';
import type { Gateway, GatewayLog, VmView } from '../core/contract.ts';
import type { Counters } from '../core/counters.ts';
import { sumCounters } from '../core/sum-counters.ts';

const ALIGN_MS = 1_000;

/** One or more gateways; what they serve already they go on serving until they are told otherwise. */
export function gatewayCluster(members: readonly [Gateway, ...Gateway[]], log: GatewayLog): Gateway {
  return new GatewayCluster(members, log);
}

class GatewayCluster implements Gateway {
  readonly #members: readonly [Gateway, ...Gateway[]];
  readonly #log: GatewayLog;
  /** VMs that requests may go to: what every member should know. */
  readonly #wanted = new Map<string, Address>();
  /** Those that go, each with what its requests have to end in: a reading of a member may be older than that. */
  readonly #draining = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  /** Undefined: nobody has said yet, what they know from before stands. */
  #keys: { readonly records: readonly KeyRecord[]; readonly digest: string } | undefined;

  constructor(members: readonly [Gateway, ...Gateway[]], log: GatewayLog) {
    this.#members = members;
    this.#log = log;
    for (const { id, address, state } of this.fleet()) if (state !== 'draining') this.#wanted.set(id, address);
    this.#timer = setInterval(() => this.#members.forEach((member) => void this.#align(member)), ALIGN_MS).unref();
  }

  /** Of the first; the others are found the way clients are spread over them (DNS, a virtual address). */
  get address(): Address {
    return this.#members[0].address;
  }

  get secure(): boolean {
    return this.#members[0].secure;
  }

  async add(id: string, address: Address): Promise<void> {
    this.#wanted.set(id, address);
    await this.#reach((member) => member.add(id, address));
  }

  /** Empty when it is at every member that can be reached. */
  async drain(id: string, deadlineMs: number): Promise<boolean> {
    this.#wanted.delete(id);
    this.#draining.set(id, deadlineMs);
    try {
      return (await this.#reach((member) => member.drain(id, deadlineMs))).every(Boolean);
    } finally {
      this.#draining.delete(id);
    }
  }

  async remove(id: string): Promise<void> {
    this.#wanted.delete(id);
    await this.#reach((member) => member.remove(id));
  }

  reportLoad(id: string, load: number): void {
    for (const member of this.#members) member.reportLoad(id, load);
  }

  fleet(): readonly VmView[] {
    const vms = new Map<string, VmView>();
    for (const vm of this.#members.flatMap((member) => member.fleet())) {
      const other = vms.get(vm.id);
      // 3 in flight of 8 at one gateway and 2 of 8 at another: 5 of 16
      vms.set(
        vm.id,
        other === undefined ? vm : { ...vm, inFlight: vm.inFlight + other.inFlight, limit: vm.limit + other.limit },
      );
    }
    return [...vms.values()];
  }

  /** Told to all; one that can't be reached is told when it is back. */
  async setKeys(records: readonly KeyRecord[]): Promise<void> {
    this.#keys = { records, digest: digestOf(records) };
    await this.#reach((member) => member.setKeys(records));
  }

  get keys(): string {
    return this.#keys?.digest ?? this.#members[0].keys;
  }

  counters(): Counters {
    return sumCounters(this.#members.map((member) => member.counters()));
  }

  get problems(): readonly string[] {
    return [...this.#members.flatMap(({ problems = [] }) => problems), ...differences(this.#members)];
  }

  async close(lastRequestsMs?: number): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#members.map((member) => member.close(lastRequestsMs)));
  }

  /** What the members that can be reached answer; rejects when none can. */
  async #reach<T>(call: (member: Gateway) => Promise<T>): Promise<readonly T[]> {
    const results = await Promise.allSettled(this.#members.map(call));
    const reached = results.filter((result) => result.status === 'fulfilled').map((result) => result.value);
    const failure = results.find((result) => result.status === 'rejected');
    if (reached.length === 0 && failure !== undefined) throw failure.reason;
    return reached;
  }

  /** What is wanted is looked up anew at each step: it may change while one is under way. */
  async #align(member: Gateway): Promise<void> {
    const known = new Map(member.fleet().map((vm) => [vm.id, vm]));
    const keys = this.#keys;
    let [added, removed] = [0, 0];
    try {
      if (keys !== undefined && member.keys !== '' && member.keys !== keys.digest) await member.setKeys(keys.records);
      for (const [id, address] of this.#wanted) {
        if (known.has(id)) continue;
        added++;
        await member.add(id, address);
      }
      for (const { id, state } of known.values()) {
        if (this.#wanted.has(id) || state === 'draining') continue;
        const deadlineMs = this.#draining.get(id);
        if (deadlineMs !== undefined) {
          // one that was away when it was told; whoever knows of it already takes it for said
          void member.drain(id, deadlineMs).catch(() => undefined);
          continue;
        }
        removed++;
        await member.remove(id);
      }
    } catch {
      return; // still away; the next round tries again
    }
    if (added + removed > 0) this.#log.info({ gateway: member.address, added, removed }, 'Gateway brought in line');
  }
}

/** Of settings that both know: beside one of another version, each may have others. */
function differences([first, ...others]: readonly [Gateway, ...Gateway[]]): readonly string[] {
  return others.flatMap((other) => {
    const { settings = {} } = other;
    const differ = Object.entries(first.settings ?? {}).flatMap(([name, digest]) =>
      (settings[name] ?? digest) === digest ? [] : [name],
    );
    if (differ.length === 0) return [];
    const both = [first, other].map(({ address }) => showAddress(address)).join(' and ');
    return `The gateways at ${both} were started with different settings, and clients get the one or the other: give both the same ${differ.join(', ')}.`;
  });
}
