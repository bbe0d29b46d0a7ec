import { expect } from 'chai';
import { GatewayTime } from '../../../epcis/access/gateway-time.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0);

/** Of the three clocks, how far each is from START; `pass` is time that passes for all of them. */
class World {
  gateway = 0;
  own = 0;
  repository = 0;
  #elapsed = 0;
  readonly #time = new GatewayTime({
    own: () => START + this.#elapsed + this.own,
    repository: () => START + this.#elapsed + this.repository,
    elapsed: () => 5 + this.#elapsed,
  });

  constructor(apart: Partial<Pick<World, 'gateway' | 'own' | 'repository'>>) {
    Object.assign(this, apart);
  }

  pass(seconds: number): void {
    this.#elapsed += seconds * 1000;
  }

  /** As a gateway does, which says the same for up to half a minute. */
  says(secondsAgo = 0): number {
    return START + this.#elapsed + this.gateway - secondsAgo * 1000 + 120_000;
  }

  isGood(word = this.says()): boolean {
    return this.#time.isGood(word);
  }
}

const CLOCKS: Readonly<Record<string, ConstructorParameters<typeof World>[0]>> = {
  'all clocks are right': {},
  "the VM's clock is an hour ahead": { own: HOUR },
  "the VM's clock is an hour behind": { own: -HOUR },
  "the repository's clock is an hour ahead": { repository: HOUR },
  "the repository's clock is an hour behind": { repository: -HOUR },
  "the gateway's clock is an hour ahead": { gateway: HOUR },
  "the gateway's clock is half a minute behind": { gateway: -30_000 },
  'the VM and the repository are on two sides': { own: -HOUR, repository: HOUR / 2, gateway: HOUR },
};

describe('the time of a gateway, as a VM knows it', () => {
  for (const [name, clocks] of Object.entries(CLOCKS))
    it(`lets in what was said just now, and nothing again later, where ${name}`, () => {
      const world = new World(clocks);
      const first = world.says();
      expect(world.isGood(first)).to.equal(true);
      for (let half = 0; half < 240; half++) {
        world.pass(30);
        expect(world.isGood(world.says(30)), `what was said half a minute ago, after ${half + 1}`).to.equal(true);
        expect(world.isGood(), `what is said after ${half + 1} half minutes`).to.equal(true);
      }
      // what is as old as the gateway is ahead of the repository another gateway might have said now, whose clock is right
      for (const ago of [240, 600, 3_300, 3_900, 7_000])
        expect(world.isGood(world.says(ago)), `what was said ${ago} s ago`).to.equal(false);
      expect(world.isGood(first)).to.equal(false);
      expect(world.isGood()).to.equal(true);
    });

  it('follows each clock that is set while it runs', () => {
    for (const which of ['own', 'repository', 'gateway'] as const)
      for (const by of [HOUR, -HOUR]) {
        const world = new World({ [which]: by });
        if (which === 'gateway' && by < 0) continue;
        expect(world.isGood(), `${which} ${by}`).to.equal(true);
        const old = world.says();
        world.pass(10);
        world[which] = 0;
        expect(world.isGood(), `${which} ${by}, set right`).to.equal(true);
        world.pass(400);
        expect(world.isGood(), `${which} ${by}, later`).to.equal(true);
        if (which !== 'gateway') expect(world.isGood(old), `${which} ${by}, again`).to.equal(false);
      }
  });

  it('takes nothing of a gateway that is behind all others, and nothing old at first', () => {
    expect(new World({ gateway: -HOUR }).isGood()).to.equal(false);
    const world = new World({});
    expect(world.isGood(world.says(121))).to.equal(false);
    expect(world.isGood()).to.equal(true);
  });

  it('hears two gateways, of which one is an hour ahead', () => {
    const world = new World({});
    for (let second = 0; second < 600; second++) {
      world.pass(1);
      expect(world.isGood(world.says() + HOUR)).to.equal(true);
      expect(world.isGood()).to.equal(true);
    }
  });

  it('finds its way back to a gateway whose clock was set back to what is wrong as well', () => {
    const world = new World({ gateway: 2 * HOUR });
    expect(world.isGood()).to.equal(true);
    world.gateway = HOUR;
    expect(world.isGood()).to.equal(false);
    world.pass(301);
    expect(world.isGood()).to.equal(true);
  });
});
