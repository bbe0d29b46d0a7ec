import { expect } from 'chai';
import { newOrderKey, OrderCheck, signOrder } from '../../../src/node/signed-orders.ts';
import type { Order } from '../../../src/packing/orders.ts';

const NOW = 1_700_000_000_000;
const STOP: Order = { what: 'stop', mark: 'm' };
const [manager, other] = [newOrderKey(), newOrderKey()];

describe('signed orders', () => {
  let check: OrderCheck;
  beforeEach(() => (check = new OrderCheck('node-1', [manager.public], NOW - 100_000)));
  const sign = (order: Order = STOP, { node = 'node-1', key = manager, at = NOW } = {}) =>
    signOrder(node, order, key, at);

  it('are obeyed once', () => {
    const signed = sign();
    expect(check.read(signed, NOW)).to.deep.equal(STOP);
    expect(check.read(signed, NOW)).to.equal('replayed');
    expect(check.read(sign(), NOW)).to.deep.equal(STOP);
  });

  it('are refused when another manager signed them, or somebody changed a letter', () => {
    const signed = sign();
    expect(check.read(sign(STOP, { key: other }), NOW)).to.equal('forged');
    expect(check.read({ ...signed, text: signed.text.replace('"m"', '"n"') }, NOW)).to.equal('forged');
    expect(check.read({ ...signed, signature: '' }, NOW)).to.equal('forged');
    expect(check.read({ ...signed, signature: `${signed.signature}AAAA` }, NOW)).to.equal('forged');
    expect(check.read(signed, NOW)).to.deep.equal(STOP);
  });

  it('are refused at another node, too early and too late, and by a node that began after them', () => {
    expect(check.read(sign(STOP, { node: 'node-2' }), NOW)).to.equal('misdirected');
    expect(check.read(sign(STOP, { at: NOW - 60_001 }), NOW)).to.equal('old');
    expect(check.read(sign(STOP, { at: NOW + 60_001 }), NOW)).to.equal('old');
    const signed = sign();
    expect(check.read(signed, NOW)).to.deep.equal(STOP);
    // its memory of what it obeyed is lost with a restart
    expect(new OrderCheck('node-1', [manager.public], NOW + 1).read(signed, NOW + 1)).to.equal('old');
  });

  it('are not obeyed again when a clock that is ahead keeps them good for longer', () => {
    const signed = sign(STOP, { at: NOW + 50_000 });
    expect(check.read(signed, NOW)).to.deep.equal(STOP);
    for (const later of [60_001, 100_000, 109_999]) {
      check.read(sign(STOP, { at: NOW + later }), NOW + later); // what is over is forgotten here
      expect(check.read(signed, NOW + later)).to.equal('replayed');
    }
    expect(check.read(signed, NOW + 110_001)).to.equal('old');
  });

  it('are refused when they are none, whoever signed them', () => {
    const strange: readonly unknown[] = [
      null,
      7,
      { what: 'explode' },
      { what: 'toString' },
      { what: 'stop' },
      { what: 'trust', keys: [] },
      { what: 'trust', keys: ['no key'] },
      { what: 'start', worker: { mark: 'm' } },
      { what: 'start', worker: { mark: 'm', id: 'i', key: 'k', size: { cpu: 0, memoryBytes: 0 }, environment: {} } },
      {
        what: 'start',
        worker: { mark: 'm', id: 'i', key: 'k', size: { cpu: 1, memoryBytes: 0 }, environment: { A: 1 } },
      },
    ];
    for (const order of strange)
      expect(check.read(sign(order as Order), NOW), JSON.stringify(order)).to.equal('malformed');
  });

  it('are those of whoever is trusted now', () => {
    check.trust([other.public]);
    expect(check.read(sign(), NOW)).to.equal('forged');
    expect(check.read(sign(STOP, { key: other }), NOW)).to.deep.equal(STOP);
  });
});
