import { expect } from 'chai';
import type { ElasticityParameters } from '../../../src/decide/parameters.ts';
import type { ControlLoop, ControlLoopDeps } from '../../../src/loop/control-loop.ts';
import { createControlLoop } from '../../../src/loop/control-loop.ts';
import { World } from '../../helpers/world.ts';

/** Ends a manager, as `kill -9` does, at its nth contact with the world: from then on nothing of it happens any more. */
class Killer {
  readonly #at: number;
  contacts = 0;
  dead = false;

  constructor(at: number) {
    this.#at = at;
  }

  async contact(): Promise<void> {
    this.contacts += 1;
    if (this.contacts === this.#at) this.dead = true;
    if (this.dead) await new Promise(() => undefined);
  }

  /** Killed just before the call reaches the world, or just after, before its answer is known. */
  wrap<A extends unknown[], R>(call: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
    return async (...args) => {
      await this.contact();
      const answer = await call(...args);
      await this.contact();
      return answer;
    };
  }

  around({ clock, provider, gateway, store, journal, ...rest }: ControlLoopDeps): ControlLoopDeps {
    return {
      ...rest,
      clock: {
        now: () => clock.now(),
        sleep: (ms, signal) =>
          clock.sleep(ms, signal).then(() => (this.dead ? new Promise(() => undefined) : undefined)),
      },
      provider: {
        name: provider.name,
        list: () => provider.list().then((vms) => (this.dead ? new Promise(() => undefined) : vms)),
        offers: () => provider.offers(),
        allocate: this.wrap((request) => provider.allocate(request)),
        release: this.wrap((id) => provider.release(id)),
      },
      gateway: {
        add: this.wrap((id, address) => gateway.add(id, address)),
        drain: this.wrap((id, deadline) => gateway.drain(id, deadline)),
        remove: this.wrap((id) => gateway.remove(id)),
      },
      store: { load: () => store.load(), save: this.wrap((state) => store.save(state)) },
      journal: { append: (entry, head) => (this.dead ? undefined : journal.append(entry, head)) },
    };
  }
}

interface Story {
  readonly name: string;
  readonly parameters: Partial<ElasticityParameters>;
  /** Slower than a manager's restart: what it finds then still boots. */
  readonly bootMs: number;
  /** VMs ever made: each for one decision, the minimum, or the place of one that was lost. */
  readonly made: number;
  /** What happens to the fleet, second by second, whoever is alive. */
  happens(world: World, loop: ControlLoop): void;
}

const everAllocated = (loop: ControlLoop): boolean =>
  loop.records(1_000).some(({ decision }) => decision.action === 'allocate');

const STORIES: readonly Story[] = [
  {
    name: 'while it grows to two VMs and shrinks to one again',
    parameters: { max: 2, releaseCooldown: 30_000 },
    bootMs: 2_000,
    made: 2,
    happens(world, loop) {
      const allocated = everAllocated(loop);
      world.cpu = () => (allocated ? 5 : 90);
    },
  },
  {
    name: 'while a VM that does not come up is replaced',
    parameters: { max: 1 },
    bootMs: 20_000,
    made: 2,
    happens({ provider }) {
      const [first = ''] = provider.made;
      for (const { id, mark, state } of provider.vms.values())
        if (mark === first && state === 'pending') provider.change(id, { state: 'failed' });
    },
  },
];

/** The manager is killed at these contacts, one life after the other. */
async function live(
  story: Story,
  kills: readonly number[],
): Promise<{ world: World; loop: ControlLoop; contacts: number }> {
  const world = new World();
  world.provider.bootMs = story.bootMs;
  const lives = [...kills, Infinity].map((at) => new Killer(at));
  let loop: ControlLoop | undefined;
  let contacts = 0;
  let served = false;
  for (const [life, killer] of lives.entries()) {
    loop = createControlLoop(killer.around(world.deps(story.parameters)));
    void loop.start();
    let waited = 0;
    while (!killer.dead && waited < 170_000) {
      story.happens(world, loop);
      await world.clock.advance(1_000);
      waited += 1_000;
      expectSound(world, story);
      if (served) expect(world.gateway.serving.size, 'VMs that take requests').to.be.at.least(1);
      served ||= world.gateway.serving.size > 0;
    }
    if (life === 0) contacts = killer.contacts;
    await world.clock.advance(7_000);
  }
  if (loop === undefined) throw new Error('no life was lived');
  return { world, loop, contacts };
}

/** What must hold at every moment, whoever is alive. */
function expectSound({ provider, gateway }: World, { made }: Story): void {
  expect(provider.vms.size, 'VMs').to.be.at.most(2);
  expect(provider.made.length, 'VMs ever made').to.be.at.most(made);
  expect(new Set(provider.made).size, 'VMs per mark').to.equal(provider.made.length);
  for (const id of gateway.serving.keys())
    expect(provider.vms.has(id), `${id} takes requests and exists`).to.equal(true);
}

for (const story of STORIES)
  describe(`a manager that is killed ${story.name}`, () => {
    let contacts = 0;
    before(async () => {
      ({ contacts } = await live(story, []));
    });

    it('has many places to be killed at', () => {
      expect(contacts).to.be.within(10, 60);
    });

    it('at any one of them, loses no VM, makes none twice, and the gateway serves on', async () => {
      for (let at = 1; at <= contacts; at++) {
        const { world, loop } = await live(story, [at]);
        expectOneVm(world, loop, `killed at contact ${at}`);
      }
    });

    it('again and again, at every place in turn, gets through all the same', async () => {
      for (let at = 1; at <= contacts; at += 3) {
        const { world, loop } = await live(story, [at, 2, 3, 5, 7]);
        expectOneVm(world, loop, `killed at contact ${at}, 2, 3, 5 and 7`);
      }
    });
  });

/** At the end of every story: one VM, serving, in the ledger; nothing is left over, nothing is the matter but that one failed. */
function expectOneVm({ provider, gateway, saved }: World, loop: ControlLoop, when: string): void {
  const ids = [...provider.vms.keys()];
  expect(ids, when).to.have.length(1);
  expect([...gateway.serving.keys()], when).to.deep.equal(ids);
  expect(
    saved?.entries.map(({ id, phase }) => [id, phase]),
    when,
  ).to.deep.equal([[ids[0], 'ready']]);
  const problems = loop.state().problems.filter((problem) => !/was given up. It failed to start/.test(problem));
  expect(problems, when).to.deep.equal([]);
}
