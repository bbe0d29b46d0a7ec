import { expect } from 'chai';
import { LIMIT_START } from '../../../../src/balance/core/concurrency-limit.ts';
import { HaproxyLimits } from '../../../../src/balance/haproxy/limits.ts';
import type { ServerStat } from '../../../../src/balance/haproxy/runtime.ts';
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
      limits.answered(parseLogLine(`<6>mm ${vm} 200 0 0 ${ms} -- 0 0 - ${ms} ${atVm - 1}\n`, 'mm') as HaproxyRequest);
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

  it('gives requests whose clients take their answers a place on top, and as many as may come before the next look', () => {
    const told: string[] = [];
    const limits = new HaproxyLimits(
      (text) => Promise.resolve(void told.push(text.split(' ').at(-1) ?? '')).then(() => ''),
      () => 0,
    );
    limits.begin('vm', 6);
    const look = (inFlight: number, open: number) => limits.look([{ name: 'vm', inFlight, open } as ServerStat]);
    expect(look(6, 6), 'all at work').to.equal(false);
    expect(look(6, 1), 'five are taken slowly: 6 + 5 + 5').to.equal(true);
    expect(look(16, 2), '6 + 14 + 9').to.equal(true);
    look(16, 2);
    // all 14 clients have broken off: they count as answered and as gone; that is sure when nothing is in flight
    look(3, 3 - 14);
    look(0, -14);
    expect(look(5, 5 - 14), 'all at work').to.equal(false);
    expect(told).to.deep.equal(['16', '29', '20', '9', '6']);
  });
});
