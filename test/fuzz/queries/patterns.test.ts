// What MATCH_ finds, by keys and patterns over keys, against things compared part by part.
import { expect } from 'chai';
import { epcPattern, matchesPattern } from '../../../epcis/domain/epc-pattern.ts';
import { epcKey } from '../../../epcis/domain/epc.ts';
import { seeded } from '../../../src/random.ts';
import { runs } from '../../helpers/runs.ts';
import { pick } from './chance.ts';
import { wantedOf } from './epcs.ts';
import { poolsOf, type Pools } from './events.ts';

const IN_A_POOL = 1000;

describe('patterns of EPCs, against a plain reading of the standard', function () {
  this.timeout(process.env.PROPERTY_RUNS === undefined ? 20_000 : 0);

  it('match the same things, however these are written', () => {
    const { numRuns, seed = 7 } = runs(20_000, 7);
    const random = seeded(seed);
    let pools: Pools = poolsOf(random);
    let met = 0;
    for (let n = 0; n < numRuns; n++) {
      if (n % IN_A_POOL === 0) pools = poolsOf(random);
      const of = random() < 0.7 ? 'instance' : 'class';
      const pool = of === 'instance' ? pools.instances : pools.classes;
      const { value, matches } = wantedOf(pick(random, pool), random);
      const pattern = epcPattern(value, of);
      for (const thing of pool) {
        const spelling = pick(random, thing.spellings);
        const isMet = matchesPattern(epcKey(spelling), pattern);
        if (isMet !== matches(thing)) expect.fail(`case ${n} of seed ${seed}: ${value} and ${spelling}: ${isMet}`);
        if (isMet) met += 1;
      }
    }
    expect(met).to.be.greaterThan(numRuns);
  });
});
