// Workers on nodes: the packed provider over the one that the configuration names, with what it needs of this machine.
import { randomBytes, randomUUID } from 'node:crypto';
import { clientKey } from '../../epcis/access/client-token.ts';
import type { Provider } from '../act/provider.ts';
import type { Config } from '../config/schema.ts';
import type { ManagerView, ShownNode } from '../loop/view.ts';
import type { Role } from '../model.ts';
import { createDoor, nodeName } from '../node/door.ts';
import { PackedProvider } from '../packing/packed-provider.ts';
import { sizeOf } from '../packing/settings.ts';
import { workersOn, type Node, type Worker } from '../packing/state.ts';
import { FOR_LIFE, groupCertificate, VM_NAME } from '../tls/group.ts';
import type { DataFolder } from './data-folder.ts';
import { IDENTITY, NODE, packed } from './node-environment.ts';
import { openOrderKeys } from './order-keys.ts';
import { openPackingFile } from './packing-file.ts';

/** Another VM takes the place of this one, if that can be. */
export type Move = (vm: string, role: Role | undefined, why: string) => void;

export interface Packing {
  readonly provider: PackedProvider;
  /** What a worker (by id) signs with; undefined: there is no such worker. */
  readonly keysOf: (vm: string) => readonly string[] | undefined;
  /** Those that there are, as what remains of a fleet. */
  nodes(): readonly { readonly id: string; readonly why: string }[];
  shown(): NonNullable<ManagerView['nodes']>;
  /** Who moves workers off a node that is to be given back. */
  moveBy(move: Move): void;
  close(): Promise<void>;
}

const ROTATE_LOOK_MS = 1_000;
/** A worker that could not be moved is asked about again. */
const MOVE_AGAIN_MS = 30_000;
/** Until boots have been measured. */
const BOOTS = { nodeBootMs: 60_000, workerBootMs: 5_000 };

export async function openPacking(
  config: Config,
  folder: DataFolder,
  secret: string,
  inner: Provider,
  /** What every VM of the fleet is told; not who it is. */
  told: Readonly<Record<string, string>>,
): Promise<Packing> {
  const { packing, elasticity, fleet, local } = config;
  const keys = await openOrderKeys(folder.file('node-keys.json'), Date.now);
  const door = createDoor({ secret, keys: () => keys.current(), now: Date.now });
  const asked = new Map<string, number>();
  let mover: Move | undefined;

  function move({ id, role }: Worker, why: string): void {
    const now = Date.now();
    if (mover === undefined || now - (asked.get(id) ?? -Infinity) < MOVE_AGAIN_MS) return;
    for (const [worker, at] of asked) if (now - at > MOVE_AGAIN_MS) asked.delete(worker);
    asked.set(id, now);
    mover(id, role, why);
  }

  /** The same when the order is given again: a provider may hold it against the first one. */
  const nodes = new Map<string, Readonly<Record<string, string>>>();
  function tellNode(mark: string): Readonly<Record<string, string>> {
    const [newest] = keys.current().slice(-1);
    const trusted = newest === undefined ? [] : [newest.public];
    const certificate = groupCertificate(secret, nodeName(mark), Date.now(), FOR_LIFE);
    const told = nodes.get(mark) ?? { [NODE]: packed({ mark, trusted, certificate, quota: local.quota }) };
    nodes.set(mark, told);
    return told;
  }

  const provider = new PackedProvider({
    ...{ inner, door, move, now: Date.now },
    store: openPackingFile(folder.file('packing.json')),
    sizeOf: (role) => sizeOf(packing, role),
    costs: () => ({ ...BOOTS, drainMs: elasticity.drainDeadline, pools: fleet.pools, moves: packing.consolidate }),
    nodeDeadlineMs: packing.nodeDeadline,
    newMark: randomUUID,
    newKey: () => randomBytes(24).toString('base64url'),
    tellWorker: ({ role }) => ({ ...told, [IDENTITY]: packed(identity(secret)), ...(role && { MMELIOT_ROLE: role }) }),
    tellNode,
  });

  const rotating = setInterval(() => {
    void keys.rotate(packing.rotateKeys).catch(() => undefined); // a full disk: the next time
    void provider.rekey(packing.rotateKeys).catch(() => undefined);
  }, ROTATE_LOOK_MS);
  rotating.unref();

  return {
    provider,
    keysOf: (vm) => provider.keysOf(vm),
    nodes: () =>
      [...provider.state.nodes.values()].flatMap(({ id }) => (id === undefined ? [] : [{ id, why: 'a node' }])),
    shown: () => shownNodes(provider),
    moveBy: (next) => (mover = next),
    async close() {
      clearInterval(rotating);
      await door.close();
    },
  };
}

function shownNodes({ state, reports, why }: PackedProvider): NonNullable<ManagerView['nodes']> {
  const list = Array.from(state.nodes.values(), (node): ShownNode => {
    const workers = workersOn(state, node.mark).filter(({ failed }) => failed === undefined);
    return {
      id: node.id ?? node.mark,
      state: stateOf(node),
      vms: workers.length,
      cores: node.offer.size.vcpu,
      used: workers.reduce((sum, { size }) => sum + size.cpu, 0),
      price: node.offer.price,
      refused: reports.get(node.mark)?.refused ?? {},
    };
  });
  return { list, why };
}

function stateOf({ releasing, draining, up, silentSince }: Node): ShownNode['state'] {
  if (releasing) return 'releasing';
  if (draining) return 'draining';
  if (!up) return 'pending';
  return silentSince === undefined ? 'ready' : 'silent';
}

/** The certificate is of any VM, as gateways know VMs; its key is this worker's. */
const identity = (secret: string) => ({
  clientKey: clientKey(secret).toString('base64url'),
  certificate: groupCertificate(secret, VM_NAME, Date.now(), FOR_LIFE),
});
