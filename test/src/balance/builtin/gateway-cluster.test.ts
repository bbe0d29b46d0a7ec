import { expect } from 'chai';
import type { Gateway, VmView } from '../../../../src/balance/core/contract.ts';
import { Tally } from '../../../../src/balance/core/counters.ts';
import { gatewayCluster } from '../../../../src/balance/builtin/gateway-cluster.ts';
import { until } from '../../../helpers/until.ts';

const ADDRESS = { host: '127.0.0.1', port: 1 };

/** One in another process, whose fleet and keys were read some time ago. */
class Member implements Gateway {
  readonly address = ADDRESS;
  readonly secure = false;
  readonly said: string[] = [];
  read: VmView[] = [];
  keys = '';
  looks = 0;
  /** What a drain, and a change of keys, waits for. */
  readonly empty = Promise.withResolvers<boolean>();
  readonly told = Promise.withResolvers<void>();

  async add(id: string): Promise<void> {
    this.said.push(`add ${id}`);
  }
  drain(id: string): Promise<boolean> {
    this.said.push(`drain ${id}`);
    return this.empty.promise;
  }
  async remove(id: string): Promise<void> {
    this.said.push(`remove ${id}`);
  }
  setKeys(): Promise<void> {
    this.said.push('keys');
    return this.told.promise;
  }
  fleet(): readonly VmView[] {
    this.looks++;
    return this.read;
  }
  reportLoad(): void {}
  counters = () => new Tally([]).read(0, () => 0);
  close = async () => {};
}

describe('what is known of a gateway was read some time ago', function () {
  this.timeout(60_000);
  const log = { info: () => {}, warn: () => {} };
  let member: Member;
  let cluster: Gateway;
  beforeEach(() => {
    member = new Member();
    const more = { inFlight: 1, limit: 8, tunnels: 0, share: 1, responseTime: 0 };
    member.read = [{ id: 'vm-1', address: ADDRESS, state: 'ready', ...more }];
    cluster = gatewayCluster([member], log);
  });
  afterEach(() => cluster.close());

  it('cuts no request of a VM that drains, which it did not say yet', async () => {
    const drained = cluster.drain('vm-1', 30_000);
    const { looks } = member;
    await until('it was held against what is wanted, twice', () => member.looks >= looks + 2);
    expect(member.said).to.not.include('remove vm-1');
    member.empty.resolve(true);
    expect(await drained).to.equal(true);
  });

  it('brings back no VM that was given up meanwhile', async () => {
    await cluster.add('vm-2', ADDRESS);
    member.keys = 'of before';
    void cluster.setKeys([]).catch(() => {});
    await until(
      'it is told the keys as it is brought in line',
      () => member.said.filter((one) => one === 'keys').length >= 2,
    );
    await cluster.remove('vm-2');
    const before = member.said.length;
    member.told.resolve();
    const { looks } = member;
    await until('it was held against what is wanted, twice', () => member.looks >= looks + 2);
    expect(member.said.slice(before)).to.not.include('add vm-2');
  });
});
