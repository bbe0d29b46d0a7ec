import { expect } from 'chai';
import { createSocketDelivery } from '../../../epcis/delivery/socket.ts';
import type { Delivery } from '../../../epcis/service/subscriptions-run.ts';

describe('delivery to a WebSocket', () => {
  const delivery = { subscription: { id: 'one' }, text: 'events' } as Delivery;
  const { signal } = new AbortController();

  it('has arrived when the connection has it', async () => {
    const sent: string[] = [];
    const socket = { send: async (document: string) => void sent.push(document), end: () => {} };
    const deliver = createSocketDelivery(new Map([['one', { socket, isStored: true }]]), { timeoutSeconds: 60 });
    expect(await deliver(delivery, signal)).to.equal('accepted');
    expect(sent).to.deep.equal(['events']);
  });

  it('does not wait for ever for a client that takes nothing: its WebSocket is closed', async () => {
    let ended = 0;
    const socket = { send: () => new Promise<void>(() => {}), end: () => void ended++ };
    const deliver = createSocketDelivery(new Map([['one', { socket, isStored: true }]]), { timeoutSeconds: 0.01 });
    const failed: unknown = await deliver(delivery, signal).catch((error: unknown) => error);
    expect(String(failed)).to.include('did not take its events within 0.01 s');
    expect(ended).to.equal(1);
  });

  it('fails where the socket has gone', async () => {
    const failed: unknown = await createSocketDelivery(new Map(), { timeoutSeconds: 60 })(delivery, signal).catch(
      (error: unknown) => error,
    );
    expect(String(failed)).to.include('The socket is closed.');
  });
});
