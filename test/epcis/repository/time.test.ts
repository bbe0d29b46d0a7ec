import { expect } from 'chai';
import type { Connection } from '../../../epcis/repository/database/database.ts';
import { repositoryTime } from '../../../epcis/repository/time.ts';
import { until } from '../../helpers/until.ts';

describe("the repository's time", () => {
  const told = (time: () => number): Connection => ({
    dialect: 'sqlite',
    all: async () => [{ t: time() }],
    run: async () => 0,
  });

  it('goes on by itself, and is asked for again after a while', async () => {
    let [elapsed, there, asked] = [5, 1_000_000, 0];
    const now = await repositoryTime(
      told(() => {
        asked += 1;
        return there;
      }),
      () => elapsed,
    );
    elapsed += 250.4;
    expect(now()).to.equal(1_000_250);
    // the machine slept for an hour, by its own count a quarter of it
    there += 3_600_000;
    elapsed += 900_000;
    expect(now()).to.equal(1_900_250);
    await until('it was asked again', () => now() === 4_600_000);
    expect(asked).to.equal(2);
  });

  it('stays what it was while the repository is away', async () => {
    let [elapsed, isAway] = [0, false];
    const now = await repositoryTime(
      told(() => {
        if (isAway) throw new Error('It is away.');
        return 7;
      }),
      () => elapsed,
    );
    isAway = true;
    elapsed = 700_000;
    now();
    await Promise.resolve();
    expect(now()).to.equal(700_007);
  });
});
