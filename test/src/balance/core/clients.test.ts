import { expect } from 'chai';
import fc from 'fast-check';
import { AnswerMemory } from '../../../../src/balance/core/answer-memory.ts';
import { ClientTurn } from '../../../../src/balance/core/client-turn.ts';
import { clientOf, ClientShares } from '../../../../src/balance/core/clients.ts';
import { Connections } from '../../../../src/balance/core/connections.ts';
import { Rates } from '../../../../src/balance/core/rates.ts';

describe('clients', () => {
  it('are told apart by address, or by what a trusted proxy saw', () => {
    const address = '10.0.0.1';
    const forwardedFor = '6.6.6.6, 192.0.2.7';
    expect(clientOf({ address })).to.equal('10.0.0.1');
    expect(clientOf({ address, forwardedFor, trusted: false })).to.equal('10.0.0.1');
    expect(clientOf({ address, forwardedFor, trusted: true })).to.equal('192.0.2.7');
    expect(clientOf({ address, forwardedFor: '', trusted: true })).to.equal('10.0.0.1');
  });

  it('of IPv6 are told apart by their network', () => {
    const of = (address: string) => clientOf({ address });
    expect(of('2001:db8::1')).to.equal('2001:db8:0:0::/64');
    expect(of('2001:db8:0:0:ffff::2')).to.equal(of('2001:db8::1'));
    expect(of('2001:db8:0:1::1')).not.to.equal(of('2001:db8::1'));
    expect(of('1::3:4:5:6:7:8')).to.equal('1:0:3:4::/64');
    expect(of('::1')).to.equal('0:0:0:0::/64');
    expect(of('::ffff:192.0.2.7')).to.equal('192.0.2.7');
  });

  const of = (sender: string, tenant = '') => ({ sender, tenant });

  it('share the slots while there are several: 0.75 of 32 are 24 for one', () => {
    const shares = new ClientShares(0.75);
    const [many, other] = [of('many'), of('other')];
    shares.seen(many, 0);
    for (let i = 0; i < 24; i++) shares.took(many);
    expect(shares.mayTake(many, 32), 'alone').to.equal(true);
    shares.seen(other, 1_000);
    expect(shares.mayTake(many, 32)).to.equal(false);
    expect(shares.mayTake(other, 32)).to.equal(true);
    shares.gave(many);
    expect(shares.mayTake(many, 32), 'one less').to.equal(true);
    shares.took(many);
    shares.forget(11_500);
    expect(shares.mayTake(many, 32), 'alone again').to.equal(true);
  });

  it('may always have one slot, and are not forgotten while they have', () => {
    const shares = new ClientShares(0);
    for (const client of ['a', 'b']) shares.seen(of(client), 0);
    expect(shares.mayTake(of('a'), 1)).to.equal(true);
    shares.took(of('a'));
    shares.forget(1e6);
    shares.seen(of('c'), 1e6);
    expect(shares.mayTake(of('a'), 1)).to.equal(false);
  });

  it('of one tenant have 24 of 32 slots together beside another tenant, and one of them 18', () => {
    const shares = new ClientShares(0.75);
    const south = Array.from({ length: 12 }, (_, i) => of(`s${i}`, 'south'));
    for (const client of south) {
      shares.seen(client, 0);
      for (let i = 0; i < 2; i++) shares.took(client);
    }
    const [first = of('')] = south;
    expect(shares.mayTake(first, 32), 'no other tenant').to.equal(true);
    shares.seen(of('n', 'north'), 0);
    expect(south.some((client) => shares.mayTake(client, 32))).to.equal(false);
    expect(shares.mayTake(of('n', 'north'), 32)).to.equal(true);
    shares.gave(first);
    expect(shares.mayTake(first, 32), 'one less').to.equal(true);
  });

  it('of one tenant share what it may have: one of them has 18 of 24', () => {
    const shares = new ClientShares(0.75);
    const [greedy, modest] = [of('greedy', 'south'), of('modest', 'south')];
    for (const one of [greedy, modest, of('n', 'north')]) shares.seen(one, 0);
    for (let i = 0; i < 18; i++) shares.took(greedy);
    expect([shares.mayTake(greedy, 32), shares.mayTake(modest, 32)]).to.deep.equal([false, true]);
    for (let i = 0; i < 6; i++) shares.took(modest);
    expect(shares.mayTake(modest, 32)).to.equal(false);
  });

  it('of two tenants may have the same name', () => {
    const shares = new ClientShares(0.5);
    for (const tenant of ['north', 'south']) shares.seen(of('acme', tenant), 0);
    shares.took(of('acme', 'north'));
    expect(shares.mayTake(of('acme', 'north'), 2)).to.equal(false);
    expect(shares.mayTake(of('acme', 'south'), 2)).to.equal(true);
  });

  it('never hold more than the share beside another tenant, and leave none out that holds nothing', () => {
    const someone = fc.record({
      tenant: fc.constantFrom('north', 'south', ''),
      sender: fc.constantFrom('a', 'b', 'c'),
    });
    fc.assert(
      fc.property(
        fc.array(fc.record({ who: someone, gives: fc.boolean() }), { maxLength: 120 }),
        fc.integer({ min: 1, max: 20 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (steps, slots, share) => {
          const shares = new ClientShares(share);
          for (const tenant of ['north', 'south', ''])
            for (const sender of ['a', 'b', 'c']) shares.seen(of(sender, tenant), 0);
          const held = new Map<string, number>();
          const count = (name: string, more: number) => held.set(name, (held.get(name) ?? 0) + more).get(name) ?? 0;
          const most = Math.max(1, Math.ceil(share * slots));
          for (const { who, gives } of steps) {
            const client = `${who.tenant}/${who.sender}`;
            if (gives && (held.get(client) ?? 0) > 0) {
              shares.gave(who);
              count(client, -1);
              count(who.tenant, -1);
            } else if (!gives) {
              const may = shares.mayTake(who, slots);
              if ((held.get(who.tenant) ?? 0) === 0) expect(may).to.equal(true);
              if (!may) continue;
              shares.took(who);
              expect(count(client, 1)).to.be.at.most(Math.max(1, Math.ceil(share * most)));
              expect(count(who.tenant, 1)).to.be.at.most(most);
            }
          }
        },
      ),
    );
  });
});

describe("a client's turn", () => {
  const patience = { idleMs: 30_000, bytesPerSecond: 1_000 };
  /** What was said at the end of so many looks, one each 100 ms, in which so many bytes moved each. */
  const after = (looks: number, bytes: number, itsTurn = true) => {
    const turn = new ClientTurn(patience);
    let pace = turn.look(0, itsTurn, 0);
    for (let i = 1; i <= looks; i++) pace = turn.look(i * bytes, itsTurn, i * 100);
    return pace;
  };

  it('is slow below 64 KB a second, and quick above', () => {
    expect(after(3, 6_000)).to.equal('slow');
    expect(after(3, 7_000)).to.equal('quick');
  });

  it('ends for one that moves nothing, or too little all the time', () => {
    expect(after(299, 0)).to.equal('slow');
    expect(after(300, 0)).to.equal('too-slow');
    expect(after(299, 99)).to.equal('slow');
    expect(after(300, 99), '990 bytes a second').to.equal('too-slow');
    expect(after(3_000, 101), '1010 bytes a second').to.equal('slow');
  });

  it('does not run while others keep the client waiting', () => {
    expect(after(3_000, 0, false)).to.equal('ours');
    const turn = new ClientTurn(patience);
    turn.look(0, true, 0);
    turn.look(0, true, 29_000);
    turn.look(0, false, 29_100);
    expect(turn.look(0, true, 30_100)).to.equal('slow');
  });
});

describe('rates', () => {
  it('follow the worked example: 3.2 MB at 16 MB a second rest 100 ms, for this client only', () => {
    const rates = new Rates(16e6, 100);
    expect(rates.restAfter('a', 3.2e6, 1_000)).to.equal(100);
    expect(rates.restAfter('b', 1_000, 1_000)).to.equal(0);
    rates.forget(1_050);
    expect(rates.restAfter('a', 1.6e6, 1_100)).to.equal(100);
  });

  it('are held over any time, whatever comes when', () => {
    const pieces = fc.array(fc.record({ wait: fc.nat(500), amount: fc.nat(1_000) }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(pieces, (all) => {
        const rates = new Rates(1_000, 100);
        let now = 1_000;
        let had = 0;
        let rest = 0;
        for (const { wait, amount } of all) {
          now += wait + rest;
          rest = rates.restAfter('a', amount, now);
          rates.forget(now);
          had += amount;
          // a ms is worth one; what was saved at the start is 100
          expect(had).to.be.at.most(now + rest - 1_000 + 100 + 1e-6);
        }
      }),
    );
  });
});

describe('connections', () => {
  it('are bounded by client where they are scarce, and all together', () => {
    const connections = new Connections({ connections: 8, connectionsPerClient: 2 });
    const open = (client: string | undefined) => {
      const status = connections.opened(client)?.status;
      if (status !== undefined) connections.closed(client);
      return status;
    };
    expect([open('a'), open('a'), open('a'), open('a')], 'half of all are free').to.deep.equal(
      Array(4).fill(undefined),
    );
    expect(open('a'), 'of whom has many').to.equal(429);
    expect([open('b'), open('b'), open('b')], 'of whom has few').to.deep.equal([undefined, undefined, 429]);
    expect([open(undefined), open(undefined), open(undefined)], 'all').to.deep.equal([undefined, undefined, 503]);
    for (let i = 0; i < 4; i++) connections.closed('a');
    expect(open('a'), 'when there are some again').to.equal(undefined);
  });
});

describe('memory for answers', () => {
  it('is bounded for each and for all', () => {
    const memory = new AnswerMemory({ each: 10, all: 15 });
    expect(memory.grant(0, 11)).to.equal(false);
    expect(memory.grant(0, 10)).to.equal(true);
    expect(memory.grant(0, 6)).to.equal(false);
    expect(memory.grant(10, 9), 'less').to.equal(true);
    expect(memory.grant(0, 6)).to.equal(true);
    expect(memory.grant(9, 0), 'given back').to.equal(true);
    expect(memory.grant(6, 10)).to.equal(true);
  });
});
