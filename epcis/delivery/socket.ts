// Pushes documents to the WebSockets that this VM holds. There is no answer in a WebSocket: delivered means handed to the
// connection. A client that lost it subscribes again, with the recordTime of its last event as initialRecordTime.
import type { Deliver } from '../service/subscriptions-run.ts';
import type { Sockets } from '../service/subscriptions-manage.ts';

export function createSocketDelivery(sockets: Sockets): Deliver {
  return async ({ subscription, text }) => {
    const held = sockets.get(subscription.id);
    if (held === undefined) throw new Error('The socket is closed.');
    await held.socket.send(text);
    return 'accepted';
  };
}
