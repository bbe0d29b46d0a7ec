// What the standard says a server does, as calls: through the gateway, over each kind of database.
import { expect } from 'chai';
import { startEpcisServer, type EpcisServer } from '../../epcis/server.ts';
import { runProcedures } from '../conformance/procedures.ts';
import { findEndpoints } from '../conformance/server.ts';
import { KINDS } from '../helpers/fresh-repository.ts';
import { Bench } from '../helpers/gateway.ts';

const log = { error: () => {}, warn: () => {}, info: () => {} };

for (const [kind, freshUrl] of KINDS) {
  describe(`the procedures through the gateway, over ${kind}`, function () {
    this.timeout(120_000);
    const bench = new Bench();
    const vms: EpcisServer[] = [];
    let url: string;

    before(async () => {
      const gateway = await bench.gateway({ selector: 'round-robin' });
      const repository = { url: await freshUrl() };
      for (const id of ['one', 'two']) {
        const vm = await startEpcisServer({ repository, port: 0, subscriptionTargets: ['127.0.0.1'], log });
        vms.push(vm);
        await gateway.add(id, { host: '127.0.0.1', port: vm.port });
      }
      url = `http://127.0.0.1:${gateway.address.port}`;
    });
    after(async () => {
      await bench.close();
      await Promise.all(vms.map((vm) => vm.close()));
    });

    it('are all passed', async () => {
      const { results, calls } = await runProcedures(await findEndpoints(url), '127.0.0.1');
      const failed = results.filter(({ outcome }) => outcome !== 'passed');
      expect(failed.map(({ name, why }) => `${name}: ${why}`)).to.deep.equal([]);
      expect(results.length).to.be.above(900);
      expect(calls).to.be.above(results.length);
    });
  });
}

describe('the procedures', () => {
  const bench = new Bench();
  after(() => bench.close());

  it('are failed by a server that is none', async () => {
    const { port } = await bench.vm((_request, response) => response.writeHead(200).end('{}'));
    const { results } = await runProcedures({ rest: `http://127.0.0.1:${port}` }, '127.0.0.1');
    expect(results.map(({ outcome }) => outcome)).to.deep.equal(['failed']);
  });
});
