import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { bootOf } from '../../loadgen/boots.ts';
import type { LiveState, LiveSystem } from '../../loadgen/live.ts';

describe('the boots that a plan goes by', () => {
  const answered: number[] = [];
  const server = createServer((_, response) => {
    answered.push(asked.length);
    response.end('[]');
  });
  const asked: unknown[] = [];
  let url = '';
  before((done) => {
    server.listen(0, '127.0.0.1', () => {
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      done();
    });
  });
  after((done) => {
    server.closeAllConnections();
    server.close(done);
  });

  /** Each VM has booted at the second look after it was ordered. */
  function systemOf(boots: readonly number[]): LiveSystem {
    let [ordered, looks] = [1, 0];
    return {
      ...{ gateway: url, admin: url, config: () => Promise.resolve({}), stop: () => Promise.resolve() },
      setParameters(changes) {
        asked.push(changes);
        [ordered, looks] = [(changes as { min: number }).min, 0];
        return Promise.resolve();
      },
      state() {
        const ready = looks++ > 0 ? ordered : Math.max(1, ordered - 1);
        const vms = boots.slice(0, ready).map((bootTime, i) => ({ id: `vm-${i}`, bootTime }));
        return Promise.resolve({ counts: { ready }, vms } as unknown as LiveState);
      },
    };
  }

  it('are of VMs ordered one after the other, while those that are there have work; the first one is not counted', async () => {
    const options = { mix: 'get=1', seed: 1, clients: 2 };
    const boot = await bootOf({ ...options, system: systemOf([90, 4000, 2000, 3000]), most: 4 });
    expect(boot).to.equal(3000);
    expect(asked).to.eql([2, 3, 4].map((vms) => ({ min: vms, max: vms })));
    expect([...new Set(answered)], 'work all the time').to.include.members([1, 2, 3]);
    expect(await bootOf({ ...options, system: systemOf([90]), most: 1 })).to.equal(undefined);
  });
});
