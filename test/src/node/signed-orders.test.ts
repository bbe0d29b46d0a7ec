import { expect } from 'chai';
import { newOrderKey, OrderCheck, signOrder } from '../../../src/node/signed-orders.ts';
import type { Order } from '../../../src/packing/orders.ts';

const NOW = 1_700_000_000_000;
/** Longer than any order is good for. */
const UP = 100_000;
const STOP: Order = { what: 'stop', mark: 'm' };
const [manager, other] = [newOrderKey(), newOrderKey()];

describe('signed orders', () => {
  let check: OrderCheck;
  beforeEach(() => (check = new OrderCheck('node-1', [manager.public])));
  const sign = (order: Order = STOP, { node = 'node-1', key = manager, at = NOW } = {}) =>
    signOrder(node, order, key, at);

  it('are obeyed once', () => {
    const signed = sign();
    expect(check.read(signed, NOW, UP)).to.deep.equal(STOP);
    expect(check.read(signed, NOW, UP)).to.equal('replayed');
    expect(check.read(sign(), NOW, UP)).to.deep.equal(STOP);
  });

  it('are refused when another manager signed them, or somebody changed a letter', () => {
    const signed = sign();
    expect(check.read(sign(STOP, { key: other }), NOW, UP)).to.equal('forged');
    expect(check.read({ ...signed, text: signed.text.replace('"m"', '"n"') }, NOW, UP)).to.equal('forged');
    expect(check.read({ ...signed, signature: '' }, NOW, UP)).to.equal('forged');
    expect(check.read({ ...signed, signature: `${signed.signature}AAAA` }, NOW, UP)).to.equal('forged');
    expect(check.read(signed, NOW, UP)).to.deep.equal(STOP);
  });

  it('are refused at another node, too early and too late, and by a node that began after them', () => {
    expect(check.read(sign(STOP, { node: 'node-2' }), NOW, UP)).to.equal('misdirected');
    expect(check.read(sign(STOP, { at: NOW - 60_001 }), NOW, UP)).to.equal('old');
    expect(check.read(sign(STOP, { at: NOW + 60_001 }), NOW, UP)).to.equal('old');
    const signed = sign();
    expect(check.read(signed, NOW, UP)).to.deep.equal(STOP);
    // its memory of what it obeyed is lost with a restart
    expect(new OrderCheck('node-1', [manager.public]).read(signed, NOW + 1, 0)).to.equal('old');
  });

  it('are obeyed, once, by a node whose clock is set while it runs, and those of before its start are not', () => {
    for (const step of [-3_600_000, 3_600_000]) {
      check = new OrderCheck('node-1', [manager.public]);
      // it began a second ago, by a clock that was an hour off
      const before = sign(STOP, { at: NOW + step - 1_001 });
      expect(check.read(before, NOW + step, 1_000), String(step)).to.equal('old');
      const signed = sign(STOP, { at: NOW + step - 999 });
      expect(check.read(signed, NOW + step, 1_000), String(step)).to.deep.equal(STOP);
      expect(check.read(signed, NOW + step + 1, 1_001), String(step)).to.equal('replayed');
      // an hour later the clock is set back by an hour
      check.read(sign(), NOW, 3_000_000);
      expect(check.read(signed, NOW + step, 3_601_000), String(step)).to.equal('replayed');
    }
  });

  it('are not obeyed again when a clock that is ahead keeps them good for longer', () => {
    const signed = sign(STOP, { at: NOW + 50_000 });
    expect(check.read(signed, NOW, UP)).to.deep.equal(STOP);
    for (const later of [60_001, 100_000, 109_999]) {
      check.read(sign(STOP, { at: NOW + later }), NOW + later, UP); // what is over is forgotten here
      expect(check.read(signed, NOW + later, UP)).to.equal('replayed');
    }
    expect(check.read(signed, NOW + 110_001, UP)).to.equal('old');
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
      expect(check.read(sign(order as Order), NOW, UP), JSON.stringify(order)).to.equal('malformed');
  });

  it('are those of whoever is trusted now', () => {
    check.trust([other.public]);
    expect(check.read(sign(), NOW, UP)).to.equal('forged');
    expect(check.read(sign(STOP, { key: other }), NOW, UP)).to.deep.equal(STOP);
  });
});
