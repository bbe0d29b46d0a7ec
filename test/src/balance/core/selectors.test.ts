import { expect } from 'chai';
import fc from 'fast-check';
import { seeded } from '../../../../src/random.ts';
import { SELECTORS } from '../../../../src/balance/core/selectors/index.ts';
import type { Candidate, Chance } from '../../../../src/balance/core/selectors/selector.ts';

const vm = (id: string, inFlight = 0, peak = 10, load?: number): Candidate => ({
  ...{ id, inFlight, peak, load },
  uploads: 0,
});
const chance = (turn = 0, random = () => 0.5, shares: Record<string, number> = {}): Chance => ({
  turn,
  random,
  shareOf: (one) => shares[one.id] ?? 1,
  isUpload: false,
});
const many = fc.array(
  fc.record({
    id: fc.uuid(),
    inFlight: fc.integer({ min: 9, max: 50 }),
    uploads: fc.nat(9),
    peak: fc.float({ min: 0, max: 1000, noNaN: true }),
    load: fc.option(fc.nat(100), { nil: undefined }),
  }),
  { minLength: 1, maxLength: 9 },
);

describe('selectors', () => {
  for (const [name, select] of Object.entries(SELECTORS)) {
    it(`${name} always chooses one of the VMs it is given`, () => {
      fc.assert(
        fc.property(many, fc.nat(), fc.double({ min: 0, max: 0.999999, noNaN: true }), (vms, turn, random) =>
          vms.includes(
            select(
              vms,
              chance(turn, () => random),
            ),
          ),
        ),
      );
    });
  }

  it('round robin takes turns, and passes over a VM in slow start by its share', () => {
    const vms = [vm('a'), vm('b'), vm('c')];
    const select = SELECTORS['round-robin'];
    expect([0, 1, 2, 3].map((turn) => select(vms, chance(turn)).id).join('')).to.equal('abca');
    expect(
      select(
        vms,
        chance(1, () => 0.5, { b: 0.3 }),
      ).id,
    ).to.equal('c');
    expect(
      select(
        vms,
        chance(1, () => 0.2, { b: 0.3 }),
      ).id,
    ).to.equal('b');
  });

  it('least in flight counts a VM in slow start as busier', () => {
    const select = SELECTORS['least-in-flight'];
    expect(select([vm('a', 3), vm('b', 1)], chance()).id).to.equal('b');
    expect(
      select(
        [vm('a', 3), vm('b', 1)],
        chance(0, () => 0, { b: 0.4 }),
      ).id,
    ).to.equal('a');
  });

  it('spreads equals by turn', () => {
    const vms = [vm('a'), vm('b')];
    expect([0, 1].map((turn) => SELECTORS['least-in-flight'](vms, chance(turn)).id)).to.deep.equal(['a', 'b']);
  });

  it('power of two choices takes the less busy of two different ones', () => {
    const vms = [vm('a', 9), vm('b', 5), vm('c', 1)];
    const draws = [0, 0];
    expect(
      SELECTORS['power-of-two-choices'](
        vms,
        chance(0, () => draws.pop() ?? 0),
      ).id,
    ).to.equal('b');
  });

  it('peak EWMA expects 3 × 20 ms and as much again before 50 ms and as much again', () => {
    const middle = chance(0, () => 0.5);
    expect(SELECTORS['peak-ewma']([vm('a', 1, 50), vm('b', 3, 20)], middle).id).to.equal('b');
  });

  it('peak EWMA gives a VM that is four times as slow a fifth of what two idle ones get, and nothing while it has much to do', () => {
    const random = seeded(1);
    const slowerOf = (inFlight: number): number => {
      const vms = [vm('a', 0, 1), vm('b', inFlight, 4)];
      const ids = Array.from({ length: 10_000 }, (_, turn) => SELECTORS['peak-ewma'](vms, chance(turn, random)).id);
      return ids.filter((id) => id === 'b').length;
    };
    expect(slowerOf(0)).to.be.within(1_900, 2_100);
    expect(slowerOf(3)).to.equal(0);
  });

  it('peak EWMA sends others to where an upload is as elsewhere, and the next upload elsewhere', () => {
    const vms = [{ ...vm('a', 2, 9), uploads: 2 }, vm('b', 0, 10)];
    expect(SELECTORS['peak-ewma'](vms, chance()).id).to.equal('a');
    expect(SELECTORS['peak-ewma'](vms, { ...chance(), isUpload: true }).id).to.equal('b');
  });

  it('least-load target sends everything to the VM with the least reported load', () => {
    const vms = [vm('a', 0, 1, 60), vm('b', 90, 900, 20), vm('c', 0, 1, 40)];
    for (let turn = 0; turn < 3; turn++) expect(SELECTORS['least-load-target'](vms, chance(turn)).id).to.equal('b');
  });
});
