import { expect } from 'chai';
import { UnavailableError } from '../../../../epcis/domain/unavailable.ts';
import { Waits } from '../../../../epcis/repository/database/waits.ts';

const SILENT = new Error('no answer');

describe('those who wait for a database', () => {
  let waits: Waits;
  const givenUp: string[] = [];
  const begun = (name: string, at: number) => {
    const wait = waits.add((why) => givenUp.push(`${name}: ${why.message}`));
    wait.since = at;
    return wait;
  };
  beforeEach(() => {
    givenUp.splice(0);
    waits = new Waits({ suspectMs: 1_000, patienceMs: 3_000 });
  });

  it('doubt it after a while, and give it up after a longer one in which it says nothing', () => {
    begun('query', 0);
    expect(waits.doubts(999)).to.equal(false);
    expect(waits.doubts(1_000)).to.equal(true);
    expect(waits.learn(SILENT, 2_999)).to.equal(false);
    expect(waits.learn(SILENT, 3_000)).to.equal(true);
    expect(waits.gone?.cause).to.equal(SILENT);
    waits.giveUp();
    expect(givenUp)
      .to.have.lengthOf(1)
      .and.to.match(/query: The repository does not answer/);
  });

  it('wait for as long as it takes where it answers who asks', () => {
    begun('long query', 0);
    expect(waits.learn(undefined, 60_000)).to.equal(false);
    expect(waits.gone).to.equal(undefined);
  });

  it('do not doubt it while others have their answers, however long their own takes', () => {
    begun('long query', 0);
    for (let now = 500; now < 10_000; now += 500) {
      const other = begun('short query', now);
      waits.answered(now + 10, other);
      waits.delete(other);
      expect(waits.doubts(now + 499)).to.equal(false);
      expect(waits.learn(SILENT, now + 499)).to.equal(false);
    }
  });

  it('between two statements of a transaction wait for nothing', () => {
    const wait = begun('transaction', 0);
    waits.answered(100, wait);
    expect(waits.doubts(60_000)).to.equal(false);
  });

  it('ask a database that is gone until it is back, which is news once', () => {
    begun('query', 0);
    expect(waits.learn(SILENT, 3_000)).to.equal(true);
    waits.giveUp();
    expect(waits.matter, 'for those who come later').to.equal(true);
    expect(waits.doubts(3_001)).to.equal(true);
    expect(waits.learn(SILENT, 9_000)).to.equal(false);
    expect(waits.learn(undefined, 9_500)).to.equal(true);
    expect(waits.learn(undefined, 10_000)).to.equal(false);
    expect(waits.gone).to.equal(undefined);
    expect(waits.matter).to.equal(false);
  });

  it('are known as given up', () => {
    const wait = begun('transaction', 0);
    expect(waits.has(wait)).to.equal(true);
    waits.learn(SILENT, 3_000);
    waits.giveUp();
    expect(waits.has(wait)).to.equal(false);
    expect(waits.gone).to.be.instanceOf(UnavailableError);
  });
});
