// Workers on nodes: the packed provider over the one that the configuration names, with what it needs of this machine.
import { randomBytes, randomUUID } from 'node:crypto';
import type { Provider } from '../act/provider.ts';
import type { Config } from '../config/schema.ts';
import type { ManagerView, ShownJob, ShownNode } from '../loop/view.ts';
import type { Millis, Role } from '../model.ts';
import { createDoor, nodeName } from '../node/door.ts';
import { PackedProvider } from '../packing/packed-provider.ts';
import { isPacked, sizeOf } from '../packing/settings.ts';
import { workersOn, type Node, type PackingState, type Worker } from '../packing/state.ts';
import { FOR_LIFE, groupCertificate } from '../tls/group.ts';
import type { DataFolder } from './data-folder.ts';
import { IDENTITY, NODE, packed } from './node-environment.ts';
import { openOrderKeys } from './order-keys.ts';
import { identityOf } from './own-keys.ts';
import { openPackingFile, PACKING_FILE } from './packing-file.ts';
import { steady } from './steady-clock.ts';

/** Another VM takes the place of this one; rejects where that cannot be now. */
export type Move = (vm: string, role: Role | undefined, why: string) => Promise<void>;

export interface Packing {
  readonly provider: PackedProvider;
  /** What a worker (by id) signs with; undefined: there is no such worker. */
  readonly keysOf: (vm: string) => readonly string[] | undefined;
  /** Those that there are, as what remains of a fleet. */
  nodes(): readonly { readonly id: string; readonly why: string }[];
  shown(): NonNullable<ManagerView['nodes']>;
  /** Who knows of the jobs that workers are at. */
  jobsAre(jobs: () => readonly ShownJob[]): void;
  /** Who moves workers off a node that is to be given back; and whether nothing is decided at the moment. */
  moveBy(move: Move, isHeld: () => boolean): void;
  close(): Promise<void>;
}

const ROTATE_LOOK_MS = 1_000;
/** A worker that is still there is asked about again. */
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
  const keys = await openOrderKeys(folder.file('node-keys.json'), Date.now, steady);
  const door = createDoor({ secret, keys: () => keys.current(), now: Date.now });
  const asked = new Map<string, number>();
  let mover: Move | undefined;
  let isHeld = (): boolean => false;
  let jobs: () => readonly ShownJob[] = () => [];

  function move({ id, role }: Worker, why: string): void {
    const now = steady();
    if (mover === undefined || now - (asked.get(id) ?? -Infinity) < MOVE_AGAIN_MS) return;
    for (const [worker, at] of asked) if (now - at > MOVE_AGAIN_MS) asked.delete(worker);
    asked.set(id, now);
    // not yet ready, say: at the next look
    void mover(id, role, why).catch(() => asked.delete(id));
  }

  /** The same when the order is given again: a provider may hold it against the first one. */
  const nodes = new Map<string, Readonly<Record<string, string>>>();
  function tellNode(mark: string): Readonly<Record<string, string>> {
    const known = nodes.get(mark);
    if (known !== undefined) return known;
    const [newest] = keys.current().slice(-1);
    const trusted = newest === undefined ? [] : [newest.public];
    const certificate = groupCertificate(secret, nodeName(mark), Date.now(), FOR_LIFE);
    const told = { [NODE]: packed({ mark, trusted, certificate, quota: local.quota }) };
    for (const other of nodes.keys()) if (!provider.state.nodes.has(other)) nodes.delete(other);
    nodes.set(mark, told);
    return told;
  }

  const provider: PackedProvider = new PackedProvider({
    ...{ inner, door, move, steady, now: Date.now },
    store: openPackingFile(folder.file(PACKING_FILE)),
    sizeOf: (role) => sizeOf(packing, role),
    isHeld: () => isHeld(),
    isEnding: !isPacked(packing),
    endsIn: (id) => endsIn(id, provider.state, jobs(), Date.now()),
    costs: () => ({ ...BOOTS, drainMs: elasticity.drainDeadline, pools: fleet.pools, moves: packing.consolidate }),
    nodeDeadlineMs: packing.nodeDeadline,
    newMark: randomUUID,
    newKey: () => randomBytes(24).toString('base64url'),
    tellWorker: ({ role, mark }) => ({
      ...told,
      [IDENTITY]: packed(identityOf(secret)),
      ...named(mark),
      ...(role && { MMELIOT_ROLE: role }),
    }),
    tellNode,
  });

  const rotating = setInterval(() => {
    // what a node is told when it is made is the key of then
    const isBooting = [...provider.state.nodes.values()].some(({ up, releasing }) => !up && !releasing);
    if (!isBooting) void keys.rotate(packing.rotateKeys).catch(() => undefined); // a full disk: the next time
    void provider.rekey(packing.rotateKeys).catch(() => undefined);
  }, ROTATE_LOOK_MS);
  rotating.unref();

  return {
    provider,
    keysOf: (vm) => provider.keysOf(vm),
    nodes: () =>
      [...provider.state.nodes.values()].flatMap(({ id }) => (id === undefined ? [] : [{ id, why: 'a node' }])),
    shown: () => shownNodes(provider),
    jobsAre: (next) => (jobs = next),
    moveBy(move, held) {
      mover = move;
      isHeld = held;
    },
    async close() {
      clearInterval(rotating);
      await door.close();
    },
  };
}

/** By what a worker calls itself the manager knows whose a job is. */
const named = (mark: string): Readonly<Record<string, string>> => {
  const [uuid] = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.exec(mark) ?? [];
  return uuid === undefined ? {} : { MMELIOT_WORKER: uuid };
};

/** Until the last of a worker's jobs is done, as far as that can be said. */
export function endsIn(
  id: string,
  { workers }: Pick<PackingState, 'workers'>,
  jobs: readonly ShownJob[],
  now: Millis,
): Millis | undefined {
  const worker = [...workers.values()].find((one) => one.id === id);
  const name = worker && named(worker.mark)['MMELIOT_WORKER'];
  const ends = jobs.flatMap(({ worker: its, end }) =>
    name !== undefined && its !== undefined && name.startsWith(its) && end !== undefined ? [end] : [],
  );
  return ends.length === 0 ? undefined : Math.max(0, Math.max(...ends) - now);
}

function shownNodes(provider: PackedProvider): NonNullable<ManagerView['nodes']> {
  const { state, reports, why } = provider;
  const list = Array.from(state.nodes.values(), (node): ShownNode => {
    const note = provider.trouble(node);
    const workers = workersOn(state, node.mark).filter(({ failed }) => failed === undefined);
    return {
      id: node.id ?? node.mark,
      state: stateOf(node),
      vms: workers.length,
      cores: node.offer.size.vcpu,
      used: workers.reduce((sum, { size }) => sum + size.cpu, 0),
      price: node.offer.price,
      refused: reports.get(node.mark)?.refused ?? {},
      ...(note !== undefined && { note }),
    };
  });
  return { list, why };
}

function stateOf({ releasing, draining, up, silentSince }: Node): ShownNode['state'] {
  if (releasing) return 'releasing';
  if (draining !== undefined) return 'draining';
  if (!up) return 'pending';
  return silentSince === undefined ? 'ready' : 'silent';
}
