import { expect } from 'chai';
import { endsIn } from '../../../src/manager/open-packing.ts';
import type { Worker } from '../../../src/packing/state.ts';

describe("a packed worker's jobs", () => {
  const uuid = '0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9';
  const worker: Worker = {
    ...{ id: 'w-1', mark: `work-${uuid}`, createdAt: 0, node: 'n', key: 'k', keySince: 0 },
    ...{ size: { cpu: 1, memoryBytes: 0 }, market: 'on-demand' },
    offer: { id: 'o', size: { name: 'o', vcpu: 1 }, market: 'on-demand', pool: 'p', price: 1 },
  };
  const state = { workers: new Map([[worker.mark, worker]]) };
  const job = (whose: string | undefined, end: number | undefined) => ({
    ...{ id: 'j', kind: 'capture', progress: { captured: 1, events: 2 }, createdAt: 0, running: whose !== undefined },
    ...{ ...(whose !== undefined && { worker: whose }), ...(end !== undefined && { end }) },
  });

  it('are those whose owner is called as it is', () => {
    const jobs = [
      job('0a1b2c3d-4e5', 7_000),
      job('0a1b2c3d-4e5', 9_000),
      job('ffffffff-4e5', 50_000),
      job(undefined, 60_000),
    ];
    expect(endsIn('w-1', state, jobs, 4_000)).to.equal(5_000);
    expect(endsIn('w-1', state, jobs, 20_000)).to.equal(0);
    expect(endsIn('w-1', state, jobs.slice(2), 4_000)).to.equal(undefined);
    expect(endsIn('w-2', state, jobs, 4_000)).to.equal(undefined);
    expect(endsIn('w-1', state, [job('0a1b2c3d-4e5', undefined)], 4_000)).to.equal(undefined);
  });
});
