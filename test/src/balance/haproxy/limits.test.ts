import { expect } from 'chai';
import { LIMIT_START } from '../../../../src/balance/core/concurrency-limit.ts';
import { HaproxyLimits } from '../../../../src/balance/haproxy/limits.ts';
import { parseLogLine, type HaproxyRequest } from '../../../../src/balance/haproxy/text/log.ts';

describe('limits on HAProxy', () => {
  it('tells HAProxy of what is found out of its log, and nothing of a VM that has gone', () => {
    const told: string[] = [];
    let now = 0;
    const limits = new HaproxyLimits(
      (text) => Promise.resolve(void told.push(text)).then(() => ''),
      () => now,
    );
    limits.begin('vm-1');
    limits.begin('vm-2', 5);
    const answer = (vm: string, ms: number, atVm: number) =>
      limits.answered(parseLogLine(`<6>mm ${vm} 200 0 0 ${ms} -- 0 0 - ${ms} ${atVm - 1}\n`) as HaproxyRequest);
    for (; now < 2_000; now += 10) {
      answer('vm-1', 400, LIMIT_START);
      answer('vm-2', 400, 4);
    }
    expect(told[0]).to.equal(`set maxconn server vms/vm-1 ${LIMIT_START / 2}`);
    expect(told.join(), 'not asked to its limit').not.to.include('vm-2');
    const before = told.length;
    limits.delete('vm-1');
    for (; now < 4_000; now += 10) answer('vm-1', 400, LIMIT_START);
    expect(told.length).to.equal(before);
  });
});
