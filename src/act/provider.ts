// Port: the cloud that VMs come from. It is the truth about which VMs exist.
// Implementations: local-provider.ts (processes), opennebula/provider.ts, simulated-cloud.ts. One contract suite for all of them.
import type { Address, Millis, Offer, Role } from '../model.ts';

export interface Provider {
  readonly name: string;

  /** While VMs boot it is asked for its list so often, as that costs it nothing; default: once a second, as always. */
  readonly lookEvery?: Millis;

  /** All VMs that carry the group's mark and still exist, whoever allocated them. */
  list(): Promise<readonly ProvidedVm[]>;

  /** What may be asked for, at today's prices: at least one offer on demand. Without a market: `onlyOffer`. */
  offers(role?: Role): Promise<readonly Offer[]>;

  /**
   * Asks for one VM. Resolves when the provider has accepted, with the id that `list` will show;
   * the VM boots afterwards. Asking again with the same mark returns the VM that already carries it,
   * whatever the offer. Rejects with NO_CAPACITY where the offer's pool has no room, or costs more than `maxPrice`: then
   * there is no such VM and will be none, and another pool may be asked at once.
   */
  allocate(request: AllocationRequest): Promise<string>;

  /**
   * Asks for a VM to be given back. Resolves when the provider has accepted; the release is finished when
   * `list` no longer shows the VM. Releasing a VM that is gone or on its way out is no error.
   */
  release(id: string): Promise<void>;

  /** Whether a VM may still come of an `allocate` that ended with an error: an empty list is no end then. Without it: none. */
  mayCome?(): boolean;

  /** The end of what the VM printed, also of one that is gone, where the provider knows; undefined: it doesn't. */
  log?(id: string): Promise<string | undefined>;
}

export interface AllocationRequest {
  /** Unique for each allocation the manager wants, kept by the VM: the same mark never makes a second VM. */
  readonly mark: string;
  /** One of `offers`, by its id; without one the provider takes its first. */
  readonly offer?: Offer;
  /** Of an interruptible VM: the most to be paid an hour, also later; default: what the cloud asks. */
  readonly maxPrice?: number;
  /** What the VM is told that it does (MMELIOT_ROLE); default: both. */
  readonly role?: Role;
  /** What this VM is told beside what all are: more of its environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** While a VM is being asked for, asking again with its mark is the same request. */
export function onceByMark(allocate: Provider['allocate']): Provider['allocate'] {
  const allocating = new Map<string, Promise<string>>();
  return (request) => {
    const id = allocating.get(request.mark) ?? allocate(request).finally(() => allocating.delete(request.mark));
    allocating.set(request.mark, id);
    return id;
  };
}

/** How a VM is told its role, among its other environment variables. */
export const roleVariable = (role: Role | undefined): Readonly<Record<string, string>> =>
  role === undefined ? {} : { MMELIOT_ROLE: role };

export interface ProvidedVm {
  readonly id: string;
  /** The mark it was allocated with; undefined when somebody else started it. */
  readonly mark?: string;
  /** `running`: the provider says so (the readiness check is the manager's). `failed`: it will not come up any more. */
  readonly state: 'pending' | 'running' | 'failed' | 'releasing';
  /** The provider's own word for where the VM is, for the operator. */
  readonly stage?: string;
  /** Pending, and no host has it: its boot has not begun, and how long that may take is the provider's to judge. */
  readonly waiting?: true;
  /** Known at the latest when `running`. */
  readonly address?: Address;
  readonly createdAt: Millis;
  /** One sentence for the operator where something is in the way ("no host has room"). */
  readonly note?: string;
  /** The provider's own monitoring, the fallback for a silent agent. */
  readonly monitoring?: { readonly at: Millis; readonly cpu: number };
  /** The machine that carries it, where several VMs may be on one. */
  readonly node?: string;
  /** What it is, with its price now; without it: the provider's first offer. */
  readonly offer?: Offer;
  /** The cloud has given notice that it takes the VM then; absent again when it has withdrawn the notice. */
  readonly interruptAt?: Millis;
  /** The cloud could not be asked for notices: that there is none says nothing. */
  readonly noticeUnknown?: true;
}

/** All that a provider without markets offers. */
export const onlyOffer = (name: string, price = 1, vcpu = 1): Offer => ({
  id: name,
  size: { name, vcpu },
  market: 'on-demand',
  pool: name,
  price,
});

/** The provider's list, indexed once when it arrives. */
export interface ProviderList {
  readonly vms: readonly ProvidedVm[];
  readonly byId: ReadonlyMap<string, ProvidedVm>;
  readonly byMark: ReadonlyMap<string, ProvidedVm>;
}

export function indexed(said: readonly ProvidedVm[]): ProviderList {
  const vms = atTheirOwn(said);
  return {
    vms,
    byId: new Map(vms.map((vm) => [vm.id, vm])),
    byMark: new Map(vms.flatMap((vm) => (vm.mark === undefined ? [] : [[vm.mark, vm]]))),
  };
}

/** Of VMs that are said to be at one address only one can be, and that is the oldest: what another answers there says nothing of it. */
function atTheirOwn(vms: readonly ProvidedVm[]): readonly ProvidedVm[] {
  const first = new Map<string, ProvidedVm>();
  for (const vm of vms) {
    const where = whereOf(vm);
    const other = first.get(where ?? '');
    if (where !== undefined && (other === undefined || vm.createdAt < other.createdAt)) first.set(where, vm);
  }
  if (first.size === vms.length) return vms;
  return vms.map((vm) => {
    const where = whereOf(vm);
    const owner = where === undefined ? vm : first.get(where);
    if (where === undefined || owner === undefined || owner.id === vm.id) return vm;
    return {
      ...vm,
      state: 'pending',
      note: `It is said to be at ${where}, as VM ${owner.id} is, which was there before.`,
    };
  });
}

const whereOf = ({ state, address }: ProvidedVm): string | undefined =>
  state === 'running' && address !== undefined ? `${address.host}:${address.port}` : undefined;
