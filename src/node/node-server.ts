// A node's door: takes signed orders over TLS and answers what the node carries. Whatever isn't a fresh, genuine order for this node
// is refused, counted by its kind, and changes nothing.
import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { MmeliotError } from '../errors.ts';
import type { Address, Millis } from '../model.ts';
import { REFUSALS, type NodeReport, type Order, type Refusal } from '../packing/orders.ts';
import type { Pair } from '../tls/certificate.ts';
import type { Carrier } from './carrier.ts';
import { OrderCheck } from './signed-orders.ts';

export interface NodeOptions {
  readonly listen: Address;
  /** Its mark: what an order has to say that it is for. */
  readonly node: string;
  /** Public keys of who may order. */
  readonly trusted: readonly string[];
  readonly certificate: Pair;
  readonly carrier: Carrier;
  /** Others are trusted from now on, over a restart as well. */
  readonly onTrust: (keys: readonly string[]) => Promise<void>;
  /** That could not be kept: after a restart who was trusted before is, until the next order keeps it. */
  readonly onUnkept?: (error: unknown) => void;
  readonly onRefused?: (refusal: Refusal, from: string) => void;
  readonly now: () => Millis;
}

export interface NodeServer {
  readonly port: number;
  readonly refused: Readonly<Record<Refusal, number>>;
  close(): Promise<void>;
}

export const ORDERS = '/orders';
export const SIGNATURE = 'mmeliot-signature';

/** An order with all that a worker is told. */
const MOST_BYTES = 256_000;
const DEADLINE_MS = 10_000;

const SENTENCES: Readonly<Record<Refusal, string>> = {
  malformed: 'This node does not understand the order: manager and node are of different versions.',
  misdirected: 'The order is for another node.',
  forged: 'The order is signed by nobody whom this node trusts.',
  old: "The order was written at another time than this node's clock says: compare the clocks.",
  replayed: 'The order was given before.',
};

export async function startNode(options: NodeOptions): Promise<NodeServer> {
  const { carrier, now } = options;
  const check = new OrderCheck(options.node, options.trusted);
  const began = performance.now();
  const refused = Object.fromEntries(REFUSALS.map((refusal) => [refusal, 0])) as Record<Refusal, number>;
  const { cert, key } = options.certificate;
  const server = createServer({ cert, key, minVersion: 'TLSv1.3', maxHeaderSize: 8_192 }, (request, response) => {
    answer(request).then(
      ([status, body]) => end(response, status, body),
      (error: unknown) => end(response, 500, { error: messageOf(error) }),
    );
  });
  server.requestTimeout = DEADLINE_MS;
  server.headersTimeout = DEADLINE_MS;
  server.maxConnections = 64;

  async function answer(request: IncomingMessage): Promise<readonly [number, object]> {
    if (request.method !== 'POST' || request.url !== ORDERS) return [404, { error: 'There is nothing here.' }];
    const text = await bodyOf(request);
    if (text === undefined) return [413, { error: 'This is longer than any order.' }];
    const order = check.read(
      { text, signature: String(request.headers[SIGNATURE] ?? '') },
      now(),
      performance.now() - began,
    );
    if (typeof order !== 'string') return [200, await obey(order)];
    refused[order] += 1;
    options.onRefused?.(order, request.socket.remoteAddress ?? '');
    return [403, { refusal: order, error: SENTENCES[order], at: now() }];
  }

  /** Whom it obeys, as long as there is no room to keep that: the next order tries again. */
  let unkept: readonly string[] | undefined;
  async function keep(keys: readonly string[], isNew: boolean): Promise<void> {
    try {
      await options.onTrust(keys);
      if (unkept === keys) unkept = undefined;
    } catch (error) {
      if (isNew) options.onUnkept?.(error);
    }
  }

  async function obey(order: Order): Promise<NodeReport> {
    if (order.what === 'start') await carrier.start(order.worker);
    if (order.what === 'stop') await carrier.stop(order.mark);
    if (order.what === 'rekey') await carrier.rekey(order.mark, order.key);
    if (order.what === 'trust') {
      check.trust(order.keys);
      unkept = order.keys;
    }
    if (unkept !== undefined) await keep(unkept, order.what === 'trust');
    const log = order.what === 'log' ? await carrier.log(order.mark) : undefined;
    return { at: now(), workers: await carrier.list(), refused, ...(log !== undefined && { log }) };
  }

  const port = await listening(server, options.listen);
  return {
    ...{ port, refused },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MOST_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function end(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function listening(server: Server, { host, port }: Address): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = `Port ${port} of ${host} is in use: the node's door can't be opened there.`;
      reject(error.code === 'EADDRINUSE' ? new MmeliotError('PORT_TAKEN', taken, { cause: error }) : error);
    });
    server.listen(port, host, () => resolve((server.address() as { port: number }).port));
  });
}

function messageOf(error: unknown): string {
  const { code = '', message = String(error) } = error as Partial<NodeJS.ErrnoException>;
  const isFull = ['ENOSPC', 'EDQUOT'].includes(code);
  return isFull ? 'the disk is full where the node keeps what it knows of its VMs: make room there.' : message;
}
