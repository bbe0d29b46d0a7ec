// The one file that names the forwarding library. undici's dispatch: half the CPU of http-proxy for a request, it
// cancels at the VM what the client has given up, and frames every body by what it really is (no smuggling through a
// chunked DELETE, which http-proxy's keep-alive agent allows). Bodies that are not here yet go another way (upload.ts).
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { buildConnector, Client, Pool } from 'undici';
import type { Dispatcher } from 'undici';
import type { Address } from '../../model.ts';
import { connectionOf, type GroupTrust } from '../../tls/group.ts';
import type { GatewayOptions } from '../core/options.ts';
import { isOfAllVms, NO_REPOSITORY, type Trouble } from '../core/shared-trouble.ts';

export type VmRequest = Dispatcher.DispatchOptions;

/** What can be done about a request that is under way. */
export type VmController = Pick<Dispatcher.DispatchController, 'pause' | 'resume' | 'abort'>;

export type Fields = Readonly<Record<string, string | string[] | undefined>>;

/** What carries a request to a VM. */
export interface Line {
  /** Tells the VM that nobody waits any more, and leaves the connection to it: that it has let go is heard as an error. */
  hangUp(): void;
}

/** Who hears what becomes of a request. */
export interface VmHandler {
  onLine(line: Line): void;
  /** May throw: it is not sent then. */
  onRequestStart(controller: VmController): void;
  onRequestUpgrade(controller: VmController, status: number, fields: Fields, socket: Duplex): void;
  /** Also 1xx. */
  onResponseStart(controller: VmController, status: number, fields: Fields): void;
  onResponseData(controller: VmController, chunk: Buffer): void;
  onResponseEnd(controller: VmController, trailers: Fields): void;
  onResponseError(controller: VmController | null, error: Error): void;
}

/** Connections to a VM that are kept. */
export type KeptConnections = Pool;

export function keptConnectionsTo(
  address: Address,
  timeouts: GatewayOptions['timeouts'],
  trust?: GroupTrust,
): KeptConnections {
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return new Pool(`http://${host}:${address.port}`, {
    connections: null,
    pipelining: 1,
    connect:
      trust === undefined
        ? buildConnector({ timeout: timeouts.connectMs, allowH2: false })
        : connectorTo(trust, timeouts.connectMs),
    factory: (origin, options) => new VmClient(origin, options as VmClientOptions),
    headersTimeout: timeouts.responseMs,
    bodyTimeout: timeouts.responseMs,
    maxHeaderSize: 65_536,
    allowH2: false,
  });
}

/** To undici a VM is one of plain HTTP: where it knows of TLS it expects a request's Host in the certificate, and reconnects for another. */
function connectorTo(trust: GroupTrust, timeout: number): buildConnector.connector {
  const connect = buildConnector({ timeout, allowH2: false, ...connectionOf(trust) });
  return (target, done) => connect({ ...target, protocol: 'https:', servername: trust.name }, done);
}

type VmClientOptions = Client.Options & { readonly connect: buildConnector.connector };

/** One of the kept connections; where it has ended it is made anew. */
class VmClient extends Client implements Line {
  readonly #socket: () => Socket | null;

  constructor(origin: URL, { connect, ...options }: VmClientOptions) {
    let socket: Socket | null = null;
    const remember: buildConnector.connector = (target, done) =>
      connect(target, (...result) => {
        socket = result[1];
        done(...result);
      });
    super(origin, { ...options, connect: remember });
    this.#socket = () => socket;
  }

  override dispatch(request: VmRequest, handler: Dispatcher.DispatchHandler & Partial<VmHandler>): boolean {
    handler.onLine?.(this);
    return super.dispatch(request, handler);
  }

  /** (undici would close it at once) */
  hangUp(): void {
    this.#socket()?.end();
  }
}

/** What went wrong between the gateway and a VM. */
export type Failure =
  /** no connection: the request never reached the VM */
  | 'unreachable'
  /** the connection broke */
  | 'broken'
  /** no answer, or no more of it, in time */
  | 'timeout'
  /** the answer was no HTTP */
  | 'nonsense'
  /** the forwarding library refuses the request: nobody's fault but the request's */
  | 'unsendable';

const UNSENDABLE = new Set([
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'ERR_ASSERTION',
  'ERR_UNESCAPED_CHARACTERS',
  'ERR_INVALID_CHAR',
  'ERR_INVALID_HTTP_TOKEN',
]);
const TIMEOUTS = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT']);

/** `sent`: whether any of the request may have reached the VM. */
export function failureOf(error: Error, sent: boolean): Failure {
  const code = (error as Error & { code?: string }).code ?? '';
  if (!sent) return UNSENDABLE.has(code) ? 'unsendable' : 'unreachable';
  if (TIMEOUTS.has(code)) return 'timeout';
  if (error.name === 'HTTPParserError' || code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW')
    return 'nonsense';
  return 'broken';
}

const PROBE_BYTES = 65_536;

/** Asks a VM whether it is ready; undefined: yes, else why not. */
export function probe(vm: KeptConnections, path: string, timeoutMs: number): Promise<Trouble | undefined> {
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined;
    let status = 0;
    let bytes = 0;
    let isShared = false;
    const finish = (why: string | undefined) => {
      clearTimeout(timer);
      resolve(why === undefined ? undefined : { why, isShared });
    };
    const timer = setTimeout(() => {
      finish(`no answer to ${path} within ${timeoutMs} ms`);
      controller?.abort(new Error('probe timed out'));
    }, timeoutMs);
    timer.unref();
    vm.dispatch(
      { path, method: 'GET', headers: ['user-agent', 'mmeliot-probe'] },
      {
        onRequestStart: (given) => (controller = given),
        onResponseStart: (_, code, fields) => {
          status = code;
          isShared = isOfAllVms(code, fields);
        },
        onResponseData: (_, chunk) => {
          bytes += chunk.length;
          if (bytes > PROBE_BYTES) controller?.abort(new Error(`the answer to ${path} is too long`));
        },
        onResponseEnd: () => finish(status < 500 ? undefined : isShared ? NO_REPOSITORY : `${path} answered ${status}`),
        onResponseError: (_, error) => finish(`${path}: ${error.message || (error as { code?: string }).code}`),
      },
    );
  });
}
