import { expect } from 'chai';
import type { Trouble } from '../../../../src/balance/core/shared-trouble.ts';
import { HaproxyHealth } from '../../../../src/balance/haproxy/health.ts';
import type { ServerStat } from '../../../../src/balance/haproxy/runtime.ts';
import type { HaproxyRequest } from '../../../../src/balance/haproxy/text/log.ts';

const OPTIONS = {
  ...{ path: '/ready', intervalMs: 1000, timeoutMs: 500, fall: 2, slowStartMs: 0 },
  ...{ errorWindowMs: 10_000, errorsAtLeast: 5, errorShare: 0.5 },
};
const LACKING: Trouble = { why: 'no repository', isShared: true };
const well = (name: string, own: Partial<ServerStat> = {}) =>
  ({ name, isUp: true, check: 'OK', checkIsLate: false, inFlight: 0, open: 0, ...own }) as ServerStat;
const request = (vm: string, own: Partial<HaproxyRequest> = {}) =>
  ({ vm, blames: undefined, lost: undefined, isOfAllVms: false, ...own }) as HaproxyRequest;
/** All that was begun has come to its end. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the health of VMs behind HAProxy', () => {
  let now = 0;
  let told: string[] = [];
  let hears = true;
  const troubles = new Map<string, Trouble>();
  let health: HaproxyHealth;
  beforeEach(() => {
    now = 0;
    told = [];
    hears = true;
    troubles.clear();
    const hands = {
      command: (text: string) => {
        if (!hears) return Promise.reject(new Error('no HAProxy'));
        told.push(text.replace('set server vms/', ''));
        return Promise.resolve('');
      },
      probe: ({ host }: { host: string }) => Promise.resolve(troubles.get(host)),
    };
    health = new HaproxyHealth(OPTIONS, { now: () => now, log: { info: () => {}, warn: () => {} } }, hands);
    for (const id of ['a', 'b']) health.add(id, { host: id, port: 1 });
    look();
  });
  const look = (...stats: ServerStat[]): void => lookWith(0, ...stats);
  /** `unanswered`: so many requests have ended without a word so far. */
  const lookWith = (unanswered: number, ...stats: ServerStat[]): void =>
    health.look([
      ...['a', 'b'].map((id) => stats.find(({ name }) => name === id) ?? well(id)),
      well('BACKEND', { unanswered }),
    ]);

  it('takes out one that broke off, and lets it back at once where its probe succeeds', async () => {
    health.ended(request('a', { blames: 'broken', lost: 'cut' }));
    expect(health.whyOut('a')).to.include('broke off');
    await settled();
    expect(told).to.deep.equal(['a health down', 'a health up']);
    look();
    expect(health.whyOut('a')).to.equal(undefined);
  });

  it('leaves one that does not answer the probe to the checks of HAProxy', async () => {
    troubles.set('a', { why: 'silent', isShared: false });
    health.ended(request('a', { blames: 'nonsense', lost: 'vm-failed' }));
    await settled();
    expect(told).to.deep.equal(['a health down']);
  });

  it('goes by no statistics of a VM while HAProxy is told of it: they may be older', async () => {
    health.ended(request('a', { blames: 'broken', lost: 'cut' }));
    look(well('a'));
    expect(health.whyOut('a'), 'still up as far as those say').to.include('broke off');
    await settled();
  });

  it('takes out one that leaves requests without a word, and none whose requests are in flight', async () => {
    look(well('a', { open: 1, inFlight: 1 }), well('b', { open: 1, inFlight: 1 }));
    lookWith(2, well('a', { open: 3, inFlight: 1 }), well('b', { open: 3, inFlight: 3 }));
    expect(health.whyOut('a')).to.include('broke off');
    expect(health.whyOut('b')).to.equal(undefined);
    await settled();
  });

  it('takes out one that left requests without a word where HAProxy counts them later, or before, as such', () => {
    look(well('a', { open: 1, inFlight: 0 }));
    expect(health.whyOut('a')).to.equal(undefined);
    lookWith(1, well('a', { open: 1, inFlight: 0 }));
    expect(health.whyOut('a')).to.include('broke off');
    lookWith(2, well('a', { open: 1 }));
    expect(health.whyOut('b')).to.equal(undefined);
    lookWith(2, well('a', { open: 1 }), well('b', { open: 1 }));
    expect(health.whyOut('b')).to.include('broke off');
  });

  it('blames none for requests whose clients went before it was connected to, also where another breaks off later', () => {
    look(well('a', { open: 5, inFlight: 0 }));
    look(well('a', { open: 9, inFlight: 2 }));
    look(well('a', { open: 7, inFlight: 0 }));
    lookWith(1, well('a', { open: 7, inFlight: 0 }), well('b', { open: 1 }));
    expect(health.whyOut('a')).to.equal(undefined);
    expect(health.whyOut('b')).to.include('broke off');
  });

  it('leaves one in that answers requests though its checks are late', () => {
    health.ended(request('a'));
    look(well('a', { checkIsLate: true }), well('b', { checkIsLate: true }));
    expect(told).to.deep.equal(['a health up']);
  });

  describe('of which one lacks what the other has', () => {
    beforeEach(async () => {
      troubles.set('a', LACKING);
      health.ended(request('a', { lost: 'repository', isOfAllVms: true }));
      await settled();
    });

    it('gives it nothing until it has it again', async () => {
      expect(told).to.deep.equal(['a weight 0']);
      expect(health.whyOut('a')).to.include('which others reach');
      expect(health.whyOut('b')).to.equal(undefined);
      troubles.clear();
      now += 999;
      look();
      await settled();
      expect(health.whyOut('a'), 'asked once an interval').to.be.a('string');
      now += 1;
      look();
      await settled();
      expect(told.at(-1)).to.equal('a weight 100%');
      expect(health.whyOut('a')).to.equal(undefined);
    });

    it('says so again to an HAProxy that may not have heard it', async () => {
      now += 1000;
      look();
      await settled();
      expect(told).to.deep.equal(['a weight 0', 'a weight 0']);
    });

    it('does not call it ready before HAProxy has heard that it is', async () => {
      troubles.clear();
      hears = false;
      now += 1000;
      look();
      await settled();
      expect(health.whyOut('a')).to.be.a('string');
      hears = true;
      now += 1000;
      look();
      await settled();
      expect(health.whyOut('a')).to.equal(undefined);
    });

    it('begins anew with another HAProxy, which gives it requests', async () => {
      health.startAnew();
      look();
      expect(health.whyOut('a')).to.equal(undefined);
      health.ended(request('a', { lost: 'repository', isOfAllVms: true }));
      await settled();
      expect(health.whyOut('a'), 'asked no sooner than an interval after').to.equal(undefined);
      now += 1000;
      health.ended(request('a', { lost: 'repository', isOfAllVms: true }));
      await settled();
      expect(told.at(-1)).to.equal('a weight 0');
    });
  });

  it('takes none out where all lack it', async () => {
    for (const id of ['a', 'b']) troubles.set(id, LACKING);
    health.ended(request('a', { lost: 'repository', isOfAllVms: true }));
    await settled();
    expect(told).to.deep.equal([]);
  });
});
