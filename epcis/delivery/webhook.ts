// Sends one document by POST. Accepted is 2xx and nothing else: redirects are not followed, they are failures.
import { createHmac } from 'node:crypto';
import { createRequire } from 'node:module';
import type * as Undici from 'undici';
import type { Deliver, Delivery } from '../service/subscriptions-run.ts';
import type { Targets } from './targets.ts';

const require = createRequire(import.meta.url);

export interface WebhookOptions {
  /** From connecting to the end of the answer. Default 30 s. */
  readonly timeoutSeconds: number;
  /** The same on every VM, and known to nobody else. */
  readonly secret: string;
}

export interface Webhook {
  readonly deliver: Deliver;
  close(): Promise<void>;
}

export function createWebhook(targets: Targets, { timeoutSeconds, secret }: WebhookOptions): Webhook {
  const timeout = timeoutSeconds * 1000;
  const open = () => {
    // not import(): what that could not read once, for want of descriptors, it never reads again
    const { Agent, request } = require('undici') as typeof Undici;
    const agent = new Agent({
      connect: { lookup: targets.lookup, timeout },
      headersTimeout: timeout,
      bodyTimeout: timeout,
      maxResponseSize: 1024 * 1024,
    });
    return { agent, request };
  };
  // with the first delivery: most VMs never send one
  let opened: ReturnType<typeof open> | undefined;
  return {
    async deliver(delivery, signal) {
      // again, not only when subscribing: what is allowed may have changed, and a literal address needs no lookup
      await targets.check(delivery.subscription.destination);
      const { agent, request } = (opened ??= open());
      const { statusCode, body } = await request(delivery.subscription.destination, {
        method: 'POST',
        dispatcher: agent,
        headers: headersOf(delivery, secret),
        body: delivery.text,
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
      });
      await body.dump();
      if (statusCode >= 200 && statusCode < 300) return 'accepted';
      if (statusCode === 413) return 'too large';
      throw new Error(`The receiver answered ${statusCode}.`);
    },
    close: async () => opened?.agent.destroy(),
  };
}

function headersOf({ subscription, id, mediaType, text }: Delivery, secret: string): Record<string, string> {
  return {
    'content-type': mediaType,
    // the receiver may see a page twice when a VM died right after its 2xx: under the same key
    'idempotency-key': `"${keyOf(id, secret)}"`,
    ...(subscription.signatureToken !== undefined && { 'gs1-signature': signature(subscription.signatureToken, text) }),
  };
}

/** An ID of a delivery has its place in the feed, which tells how much others have captured meanwhile. */
const keyOf = (id: string, secret: string): string =>
  createHmac('sha256', `${secret} delivery`).update(id).digest('base64url');

/** `sha256=` and the HMAC of the body's bytes under the subscriber's signatureToken, in hex. */
export function signature(token: string, text: string): string {
  return `sha256=${createHmac('sha256', token).update(text).digest('hex')}`;
}
