// Whatever packing waits for goes by a clock that nobody sets.
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { onlyOffer } from '../../../src/act/provider.ts';
import { openPackingFile } from '../../../src/manager/packing-file.ts';
import { PackedProvider } from '../../../src/packing/packed-provider.ts';
import { carriedOver, type Node, type PackingState, type Worker } from '../../../src/packing/state.ts';
import { MmeliotError } from '../../../src/errors.ts';
import { FakeProvider } from '../../helpers/fake-provider.ts';
import { answering, PACKED_COSTS, packedOn } from '../../helpers/packed.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

const BEGIN = 1_700_000_000_000;
const DAY = 86_400_000;

type Step =
  | { readonly what: 'pass'; readonly ms: number }
  | { readonly what: 'allocate' | 'release' | 'silence' | 'refuse' | 'wait' | 'restart' };

const steps = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom(1_000, 20_000, 61_000, 301_000).map((ms) => ({ what: 'pass', ms }) as const),
    },
    fc.constantFrom('allocate', 'release', 'silence', 'refuse', 'wait', 'restart').map((what) => ({ what })),
  ),
  { minLength: 4, maxLength: 30 },
);

/** What there is after each step; `sets`: by how much the clock is set before it. */
async function play(script: readonly Step[], sets: readonly number[]): Promise<readonly unknown[]> {
  let [steady, set, marks] = [0, 0, 0];
  const [silent, refusing] = [new Set<string>(), new Set<string>()];
  const inner = new FakeProvider(() => BEGIN + steady);
  inner.bootMs = 60_000;
  inner.market = { offers: [onlyOffer('machine')] };
  const door = answering((node, order) => {
    if (silent.has(node.mark)) return Promise.reject(new Error('hangs'));
    if (order.what === 'start' && refusing.has(node.mark))
      return Promise.reject(new MmeliotError('PROVIDER_FAILED', 'its disk is full.'));
    return made.nodes.ask(node, order);
  });
  const made = packedOn(inner, () => BEGIN + steady + set, {
    ...{ door, steady: () => steady, newMark: () => String(++marks), newKey: () => `key-${++marks}` },
    ...{ sizeOf: () => ({ cpu: 0.5, memoryBytes: 0 }), costs: () => PACKED_COSTS },
  });
  let provider = made.provider;
  const first = <T>(all: Iterable<T>): T | undefined => [...all][0];
  const toggle = (all: Set<string>, mark = ''): void => void (all.delete(mark) || all.add(mark));
  const found: unknown[] = [];
  for (const [n, step] of script.entries()) {
    set += sets[n] ?? 0;
    if (step.what === 'pass') steady += step.ms;
    if (step.what === 'allocate') await provider.allocate({ mark: `w${n}` });
    if (step.what === 'release') await provider.release(first(provider.state.workers.values())?.id ?? '');
    if (step.what === 'silence') toggle(silent, first(provider.state.nodes.keys()));
    if (step.what === 'refuse') toggle(refusing, first(provider.state.nodes.keys()));
    if (step.what === 'restart') provider = new PackedProvider(made.options);
    if (step.what === 'wait')
      for (const [id, { state, waiting }] of inner.vms)
        if (state === 'pending') inner.change(id, waiting ? { waiting: undefined } : { waiting: true });
    await provider.rekey(100_000);
    const vms = await provider.list();
    const { nodes, workers } = provider.state;
    const shown = Array.from(nodes.values(), (node) => ({ ...node, trouble: provider.trouble(node) }));
    const keys = Array.from(workers.values(), ({ id }) => provider.keysOf(id));
    found.push([vms.map(({ createdAt: _, ...vm }) => vm), shown, keys, [...inner.vms.keys()], [...made.moved]]);
  }
  return found;
}

describe('packing, while the clock is set', function () {
  this.timeout(60_000);
  it('waits for nodes, for silence, for a move and for keys as long as ever', async () => {
    const sets = fc.array(fc.constantFrom(0, -365 * DAY, -3_600_000, 3_600_000, 365 * DAY), {
      minLength: 30,
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(steps, sets, async (script, jumps) => {
        expect(await play(script, jumps)).to.deep.equal(await play(script, []));
      }),
      { numRuns: 100 },
    );
  });

  it('lets a node that its provider keeps waiting have its whole time to boot after that', async () => {
    const waits = await play(
      [
        { what: 'allocate' },
        { what: 'wait' },
        { what: 'pass', ms: 301_000 },
        { what: 'wait' },
        { what: 'pass', ms: 290_000 },
      ],
      [],
    );
    const [, nodes] = waits.at(-1) as [unknown, readonly (Node & { releasing?: true })[]];
    expect(nodes.map(({ releasing }) => releasing)).to.deep.equal([undefined]);
  });

  it('does not take the age of a worker that it takes in for the time that it took to boot', async () => {
    let steady = 0;
    const inner = new FakeProvider(() => BEGIN + steady);
    inner.market = { offers: [onlyOffer('machine')] };
    const made = packedOn(inner, () => BEGIN + steady, { steady: () => steady });
    await made.provider.allocate({ mark: 'a' });
    await made.provider.list();
    steady += DAY;
    await made.provider.list();
    const lost = { load: () => Promise.resolve(undefined), save: () => Promise.resolve() };
    const next = new PackedProvider({ ...made.options, store: lost });
    await next.list();
    expect(Array.from(next.state.workers.values(), ({ bootMs }) => bootMs)).to.deep.equal([PACKED_COSTS.workerBootMs]);
  });
});

describe('what packing keeps', () => {
  const folder = temporaryFolder();
  after(() => folder.remove());
  const offer = onlyOffer('machine');
  const worker: Worker = {
    ...{ id: 'w-1', mark: 'a', createdAt: BEGIN, node: 'node-1', key: 'k', keySince: 4_000, ordered: 7_000, bootMs: 5 },
    ...{ size: { cpu: 1, memoryBytes: 0 }, market: 'on-demand', offer },
  };
  const node: Node = { mark: 'node-1', id: 'vm-1', offer, orderedAt: 5_000, spareSince: 9_000, bootMs: 60_000 };
  const state: PackingState = { workers: new Map([['a', worker]]), nodes: new Map([['node-1', node]]) };
  const carried = (by: number): PackingState => ({
    workers: new Map([['a', { ...worker, keySince: 4_000 + by, ordered: 7_000 + by }]]),
    nodes: new Map([['node-1', { ...node, orderedAt: 5_000 + by, spareSince: 9_000 + by }]]),
  });

  it('is as it was in the same boot of the machine, and as old as it was when it ended in another', async () => {
    const file = join(folder.path, 'packing.json');
    await openPackingFile(file, 'this boot', () => 0).save(state);
    expect(await openPackingFile(file, 'this boot', () => 99_000).load()).to.deep.equal(state);
    expect(await openPackingFile(file, 'another', () => 300).load()).to.deep.equal(carried(300 - 9_000));
    expect(await openPackingFile(file, undefined, () => 300).load()).to.deep.equal(carried(300 - 9_000));
  });

  it('is nothing when there was nothing', () => {
    expect(carriedOver({ workers: new Map(), nodes: new Map() }, 5)).to.deep.equal({
      workers: new Map(),
      nodes: new Map(),
    });
  });
});
