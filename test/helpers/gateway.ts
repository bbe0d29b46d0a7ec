// Small servers that play VMs, a gateway with quick settings in front of them, and raw sockets to talk to it.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createServer, request as httpRequest } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, RequestOptions, Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { startGateway } from '../../src/balance/gateway.ts';
import { GATEWAY_DEFAULTS, type GatewayOptions } from '../../src/balance/core/options.ts';
import type { Gateway, GatewayDeps, GatewayLog } from '../../src/balance/core/contract.ts';
import { connectGateways, type RemoteGatewayOptions } from '../../src/balance/remote/remote-gateway.ts';
import { temporaryFolder } from './temporary-folder.ts';

type DeepPartial<T> = T extends readonly unknown[] ? T : { readonly [K in keyof T]?: DeepPartial<T[K]> };

export const deps: GatewayDeps = {
  now: () => performance.timeOrigin + performance.now(),
  log: { info: () => {}, warn: () => {} },
};

/** The defaults on a free port, with `changes` in them. */
export function options(changes: DeepPartial<GatewayOptions> = {}): GatewayOptions {
  const { tls, queue, health, retry, limits, timeouts, ...rest } = changes;
  return {
    ...GATEWAY_DEFAULTS,
    port: 0,
    ...rest,
    tls: { ...GATEWAY_DEFAULTS.tls, ...tls },
    queue: { ...GATEWAY_DEFAULTS.queue, ...queue },
    health: { ...GATEWAY_DEFAULTS.health, intervalMs: 100, slowStartMs: 0, ...health },
    retry: { ...GATEWAY_DEFAULTS.retry, ...retry },
    limits: { ...GATEWAY_DEFAULTS.limits, ...limits },
    timeouts: { ...GATEWAY_DEFAULTS.timeouts, closeMs: 2_000, ...timeouts },
  };
}

/** One in another process. */
export async function connectGateway(to: RemoteGatewayOptions, log: GatewayLog): Promise<Gateway> {
  const [one] = await connectGateways([to], log);
  if (one === undefined) throw new Error('There is no gateway.');
  return one;
}

export function startHaproxy(args: readonly string[]): ChildProcess {
  return spawn('haproxy', args, { detached: true, stdio: 'ignore' });
}

/** Everything that a test opened, closed again at its end. */
export class Bench {
  readonly #closers: (() => Promise<unknown>)[] = [];

  async gateway(changes: DeepPartial<GatewayOptions> = {}, extra: Partial<GatewayDeps> = {}): Promise<Gateway> {
    const haproxy = changes.dataPlane === 'haproxy' ? { haproxy: { folder: this.#folder(), start: startHaproxy } } : {};
    const gateway = await startGateway(options(changes), { ...deps, ...haproxy, ...extra });
    this.#closers.unshift(() => gateway.close());
    return gateway;
  }

  /** One with a VM. */
  async gatewayTo(
    vm: RequestListener | { readonly port: number },
    changes: DeepPartial<GatewayOptions> = {},
    extra: Partial<GatewayDeps> = {},
  ): Promise<Gateway> {
    const { port } = typeof vm === 'function' ? await this.vm(vm) : vm;
    const gateway = await this.gateway(changes, extra);
    await gateway.add('vm', { host: '127.0.0.1', port });
    return gateway;
  }

  #folder(): string {
    const folder = temporaryFolder('mmeliot-gateway-');
    this.#closers.push(async () => folder.remove());
    return folder.path;
  }

  /** A server of the test's that is always ready; returns it with its port. */
  async vm(listener: RequestListener, port = 0): Promise<{ server: Server; port: number; close: () => Promise<void> }> {
    const server = createServer((request, response) => {
      if (request.url === GATEWAY_DEFAULTS.health.path) response.end();
      else listener(request, response);
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    const close = () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    this.#closers.push(close);
    return { server, port: (server.address() as AddressInfo).port, close };
  }

  /** The connection of another client than the test itself. */
  other(port: number, localAddress = '127.0.0.2'): Socket {
    const socket = connect({ host: '127.0.0.1', port, localAddress }).on('error', () => {});
    // before its gateway, which would wait for it
    this.#closers.unshift(async () => socket.destroy());
    return socket;
  }

  /** Something else to close. */
  atEnd(close: () => Promise<unknown>): void {
    this.#closers.push(close);
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0)) await close();
  }
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly trailers: NodeJS.Dict<string>;
  readonly body: Buffer;
  readonly text: string;
}

/** One request, and all of its answer. */
export function ask(port: number, path = '/', request: RequestOptions = {}, body?: Buffer | string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ host: '127.0.0.1', port, path, ...request }, (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      response.on('error', reject);
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const all = Buffer.concat(chunks);
        const { statusCode = 0, headers, trailers } = response;
        resolve({ status: statusCode, headers, trailers, body: all, text: all.toString() });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** On a busy machine an answer may begin late. */
const FIRST_MS = 5_000;

/** Sends bytes as they are and returns all that comes back until the other side closes or, having begun, is silent for a while. */
export function raw(port: number, bytes: string | Buffer, silenceMs = 300): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    const done = () => {
      socket.destroy();
      resolve(received);
    };
    socket.setTimeout(Math.max(silenceMs, FIRST_MS), done);
    socket.once('data', () => socket.setTimeout(silenceMs));
    socket.on('data', (chunk) => (received += chunk.toString('latin1')));
    socket.on('close', done).on('error', done);
    socket.write(bytes);
  });
}
