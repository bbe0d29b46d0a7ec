// Pushes documents to the WebSockets that this VM holds. There is no answer in a WebSocket: delivered means handed to the
// connection. A client that lost it subscribes again, with the recordTime of its last event as initialRecordTime.
import type { Deliver } from '../service/subscriptions-run.ts';
import type { Sockets } from '../service/subscriptions-manage.ts';

/**
 * `timeoutSeconds`: a client that does not take a document in so long is hung up on, as it keeps one of the few places from which all
 * subscribers are served.
 */
export function createSocketDelivery(
  sockets: Sockets,
  { timeoutSeconds }: { readonly timeoutSeconds: number },
): Deliver {
  return async ({ subscription, text }) => {
    const held = sockets.get(subscription.id);
    if (held === undefined) throw new Error('The socket is closed.');
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      held.socket.end();
      late.reject(new Error(`The client did not take its events within ${timeoutSeconds} s: its WebSocket is closed.`));
    }, timeoutSeconds * 1000);
    try {
      await Promise.race([held.socket.send(text), late.promise]);
    } finally {
      clearTimeout(timer);
    }
    return 'accepted';
  };
}
