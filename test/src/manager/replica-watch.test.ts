import { expect } from 'chai';
import type { Connection } from '../../../epcis/repository/database/database.ts';
import { Lag, watchReplica } from '../../../src/manager/replica-watch.ts';
import { until } from '../../helpers/until.ts';

describe('how far a replica is behind', () => {
  it('is the time since the primary first had more', () => {
    const lag = new Lag();
    lag.primary(0, 7n);
    lag.primary(1_000, 7n);
    lag.primary(2_000, 9n);
    expect(lag.behind(5_000, 7n)).to.equal(3_000);
    expect(lag.behind(5_000, 8n)).to.equal(3_000);
    expect(lag.behind(5_000, 9n)).to.equal(0);
    // captured between the two questions
    expect(lag.behind(5_000, 10n)).to.equal(0);
    expect(lag.behind(5_000, undefined)).to.equal(5_000);
  });

  it('is nothing where there is nothing, or nothing any more', () => {
    const lag = new Lag();
    lag.primary(0, undefined);
    expect(lag.behind(1_000, undefined)).to.equal(0);
    lag.primary(2_000, 9n);
    lag.primary(3_000, 4n);
    expect(lag.behind(4_000, 4n)).to.equal(0);
  });

  it('is seen, or why it is not', async () => {
    let [primary, replica] = ['1', '1'];
    let broken = false;
    const has = (newest: () => string): Pick<Connection, 'all'> => ({ all: async () => [{ newest: newest() }] });
    const database = {
      ...has(() => primary),
      replica: has(() => {
        if (broken) throw new Error('Its host is gone.');
        return replica;
      }),
    };
    const watch = watchReplica(database, { hide: (text: string) => text }, 1);
    const seen = async (what: object) =>
      until('it is seen', () => JSON.stringify(watch.newest()) === JSON.stringify(what));
    await seen({ lag: 0 });
    primary = '2';
    await until('it lags', () => {
      const newest = watch.newest();
      return newest !== undefined && 'lag' in newest && newest.lag > 0;
    });
    replica = '2';
    await seen({ lag: 0 });
    broken = true;
    await seen({ why: 'Its host is gone' });
    await watch.close();
  });
});
