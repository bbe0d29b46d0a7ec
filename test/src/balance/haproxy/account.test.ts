import { expect } from 'chai';
import { HaproxyAccount } from '../../../../src/balance/haproxy/account.ts';
import type { ServerStat } from '../../../../src/balance/haproxy/runtime.ts';
import type { HaproxyRequest } from '../../../../src/balance/haproxy/text/log.ts';

const request = (own: Partial<HaproxyRequest> = {}) =>
  ({ vm: 'vm', queueMs: 2, serviceMs: 20, level: 0, lost: undefined, retries: 0, ...own }) as HaproxyRequest;
const backend = (own: Partial<ServerStat>) =>
  [{ name: 'BACKEND', inFlight: 0, queued: 0, unanswered: 0, ...own }] as ServerStat[];

describe('the account of what HAProxy carries', () => {
  let account: HaproxyAccount;
  const read = (stats: ServerStat[] = []) => account.counters(stats, 0);
  beforeEach(() => {
    account = new HaproxyAccount(['all']);
    account.addVm('vm');
  });

  it('has what its log tells of, each with what became of it', () => {
    for (const lost of [undefined, 'error-answer', 'client-gone', 'vm-failed', 'malformed'] as const)
      account.tellsOf(request({ lost }), 0);
    const { arrived, answered, refused, lost, vms } = read();
    expect({ arrived, answered, refused }).to.deep.equal({ arrived: 4, answered: 1, refused: 1 });
    expect(lost).to.include({ 'error-answer': 1, 'client-gone': 1, 'vm-failed': 1 });
    expect(vms.get('vm')).to.include({ sent: 4, errors: 1, failed: 1 });
  });

  it('has those that are on their way as arrived, and none of them twice', () => {
    account.tellsOf(request(), 0);
    const { ended } = account;
    // one of the three ends, and its line comes, before HAProxy's answer to the question does
    account.tellsOf(request(), 0);
    account.look(backend({ inFlight: 3 }), ended);
    expect(read(backend({ inFlight: 3 }))).to.include({ arrived: 4, inFlight: 3 });
    for (let n = 0; n < 2; n++) account.tellsOf(request(), 0);
    expect(read()).to.include({ arrived: 4, answered: 4 });
  });

  it('has those that end without a line as lost, but none that an HAProxy dropped before it was taken over', () => {
    account.look(backend({ unanswered: 7 }), 0);
    expect(read().lost['vm-failed']).to.equal(0);
    account.look(backend({ unanswered: 9 }), 0);
    expect(read().lost['vm-failed']).to.equal(2);
    account.startAnew();
    account.look(backend({ unanswered: 1 }), 0);
    expect(read()).to.include({ arrived: 3, answered: 0 });
    expect(read().lost['vm-failed']).to.equal(3);
  });

  it('has what was in flight at an HAProxy that is gone as lost with it', () => {
    account.tellsOf(request(), 0);
    account.look(backend({ inFlight: 2 }), account.ended);
    account.isGone();
    const { arrived, answered, lost } = read();
    expect({ arrived, answered, closed: lost.closed }).to.deep.equal({ arrived: 3, answered: 1, closed: 2 });
  });
});
