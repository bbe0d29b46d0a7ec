import { expect } from 'chai';
import fc from 'fast-check';
import type { ControlLoop } from '../../../src/loop/control-loop.ts';
import type { Mood } from '../../helpers/fake-provider.ts';
import { World } from '../../helpers/world.ts';

const MAX = 4;

/** What may happen to a manager, in any order. */
const mood = fc.constantFrom<Mood>(
  'works',
  'errors',
  'hangs',
  'full',
  'errors but does it',
  'says yes and does nothing',
);
const event = fc.oneof(
  fc.record({ kind: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 90 }) }),
  fc.record({ kind: fc.constant('load' as const), cpu: fc.integer({ min: 0, max: 250 }) }),
  fc.record({ kind: fc.constant('allocate' as const), mood }),
  fc.record({ kind: fc.constant('release' as const), mood: fc.constantFrom<Mood>('works', 'errors', 'hangs') }),
  fc.record({ kind: fc.constant('list' as const), mood: fc.constantFrom<Mood>('works', 'errors', 'hangs') }),
  fc.record({ kind: fc.constant('crash' as const), which: fc.nat(5) }),
  fc.record({ kind: fc.constant('vanish' as const), which: fc.nat(5) }),
  fc.record({ kind: fc.constant('deaf' as const), which: fc.nat(5) }),
  fc.record({ kind: fc.constant('silent' as const), which: fc.nat(5) }),
  fc.record({ kind: fc.constant('stranger' as const) }),
  fc.record({ kind: fc.constant('restart' as const), stateLost: fc.boolean() }),
  fc.record({ kind: fc.constant('boot' as const), seconds: fc.integer({ min: 0, max: 100 }) }),
);

class Storm {
  readonly world = new World();
  readonly #deaf = new Set<string>();
  readonly #silent = new Set<string>();
  #load = 50;
  loop: ControlLoop;

  constructor() {
    const { world } = this;
    world.cpu = (vm) =>
      this.#silent.has(vm) ? undefined : Math.min(100, this.#load / Math.max(1, world.gateway.serving.size));
    world.isReady = (vm) => world.provider.vms.has(vm) && !this.#deaf.has(vm);
    this.loop = world.loop({ max: MAX, bootDeadline: 60_000 });
  }

  async meet(happening: typeof event extends fc.Arbitrary<infer E> ? E : never): Promise<void> {
    const { provider } = this.world;
    const vm = 'which' in happening ? [...provider.vms.keys()][happening.which] : undefined;
    switch (happening.kind) {
      case 'wait':
        return this.wait(happening.seconds);
      case 'load':
        this.#load = happening.cpu;
        return;
      case 'allocate':
      case 'release':
      case 'list':
        provider.moods[happening.kind] = happening.mood;
        return;
      case 'crash':
        if (vm !== undefined) provider.change(vm, { state: 'failed' });
        return;
      case 'vanish':
        if (vm !== undefined) provider.vanish(vm);
        return;
      case 'deaf':
        if (vm !== undefined) this.#deaf.add(vm);
        return;
      case 'silent':
        if (vm !== undefined) this.#silent.add(vm);
        return;
      case 'stranger':
        provider.appear('stranger');
        return;
      case 'restart':
        return this.#restart(happening.stateLost);
      case 'boot':
        provider.bootMs = happening.seconds * 1000;
    }
  }

  async wait(seconds: number): Promise<void> {
    for (let i = 0; i < seconds; i++) {
      await this.world.clock.advance(1_000);
      expect(this.loop.state().fleet.filter(({ state }) => state === 'ready').length).to.be.at.most(MAX);
    }
  }

  /** The old manager is gone at once, without a word. */
  async #restart(stateLost: boolean): Promise<void> {
    const stopped = this.loop.stop();
    await this.world.clock.advance(40_000);
    await stopped;
    if (stateLost) {
      // a machine that was set up anew
      this.world.saved = undefined;
      this.world.gateway.serving.clear();
    }
    this.loop = this.world.loop({ max: MAX, bootDeadline: 60_000 });
    void this.loop.start();
    await this.world.clock.advance(0);
  }

  /** The sky clears: the provider works, every VM answers, the load is small. */
  async calm(): Promise<void> {
    const { provider } = this.world;
    provider.moods = { list: 'works', allocate: 'works', release: 'works' };
    provider.bootMs = 5_000;
    this.#deaf.clear();
    this.#silent.clear();
    this.#load = 20;
    await this.wait(1_200);
  }
}

describe('the manager in a storm of failures', function () {
  this.timeout(60_000);

  it('ends with the minimum serving, nothing lost, nothing left over, whatever happened', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 5, maxLength: 25 }), async (events) => {
        const storm = new Storm();
        void storm.loop.start();
        await storm.wait(10);
        for (const happening of events) await storm.meet(happening);
        await storm.calm();
        const { provider, gateway, saved } = storm.world;
        const strangers = provider.vms.has('stranger') ? 1 : 0;
        const ours = [...provider.vms.keys()].filter((id) => id !== 'stranger');
        expect(ours, 'VMs at the provider').to.have.length(1);
        expect([...gateway.serving.keys()], 'VMs at the gateway').to.deep.equal(ours);
        expect(
          saved?.entries.map(({ id, phase }) => [id, phase]),
          'ledger',
        ).to.deep.equal([[ours[0], 'ready']]);
        expect(storm.loop.state().problems, 'problems').to.have.length(strangers);
        expect(new Set(provider.made).size, 'VMs per mark').to.equal(provider.made.length);
        await storm.loop.stop();
      }),
      { numRuns: 15 },
    );
  });
});
