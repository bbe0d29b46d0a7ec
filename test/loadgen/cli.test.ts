import { expect } from 'chai';
import { loadOf } from '../../loadgen/cli.ts';

describe('a load', () => {
  it('of a trace without a request is refused before it sends nothing for as long as that was recorded', async () => {
    const options = { url: 'http://127.0.0.1:9', profile: 'trace:idle.csv' };
    const told = (counts: readonly number[], drive: 'open' | 'bursts') =>
      loadOf({ ...options, drive, trace: { interval: 60_000, counts } }).catch((error: Error) => error.message);
    for (const drive of ['open', 'bursts'] as const) {
      expect(await told([0, 0], drive)).to.equal('The trace idle.csv has no request: there is nothing to send.');
      expect(await told([0, 5], drive)).to.include({ duration: 120_000 });
    }
  });
});
