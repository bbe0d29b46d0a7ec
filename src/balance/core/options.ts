// The gateway's configuration: what can be set, with the defaults.
import type { SelectorName } from './selectors/index.ts';

/** A class of requests, or a rule about them, matches when everything it names matches. Patterns are regular expressions. */
export interface RequestRule {
  readonly method?: string;
  readonly path?: string;
  /** A header field and the pattern its value matches. */
  readonly header?: { readonly name: string; readonly value: string };
  /** Pattern of the client's address. */
  readonly client?: string;
  /** Pattern of the query's name: of `/queries/{name}`, or of a SOAP poll's queryName. */
  readonly query?: string;
  /** Pattern of the body, for bodies of up to `replayBytes`. */
  readonly body?: string;
  /** Pattern that the body must not contain. */
  readonly notBody?: string;
}

/**
 * Requests of one importance. They wait in order of the list: the first class is the most important. Where the rules of
 * several match a request, it belongs to the least important of them.
 */
export interface RequestClass {
  readonly name: string;
  /** Any of these; a class without rules takes what no other class matches. */
  readonly rules?: readonly RequestRule[];
  /** Only these VMs serve it (as long as one of them is in the fleet), and it is placed first. */
  readonly pinnedTo?: readonly string[];
  /** Overrides the queue's deadline for this class. */
  readonly deadlineMs?: number;
}

export interface GatewayOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** `builtin`: this process carries the traffic; `haproxy`: an HAProxy that it starts and steers. */
  readonly dataPlane: 'builtin' | 'haproxy';
  /** The default is the best at p99 on uneven VMs (test/bench/selectors.ts). */
  readonly selector: SelectorName;
  /** Whether X-Forwarded-For and Forwarded of the client are passed on, extended; else they are replaced. */
  readonly trustForwarded: boolean;
  /** Whether answers say in X-Mmeliot-Vm which VM they come from; load generators list response times by it. */
  readonly nameVm: boolean;
  /** Requests a VM takes at once: a number, or `auto`: found from its response times. */
  readonly perVm: number | 'auto';
  readonly queue: {
    readonly capacity: number;
    /** A request that waited this long is answered 503. */
    readonly deadlineMs: number;
    readonly promoteAfterMs: number;
    /** Most important first. */
    readonly classes: readonly RequestClass[];
  };
  readonly health: {
    /** Path of the readiness probe; an answer below 500 is well. */
    readonly path: string;
    readonly intervalMs: number;
    readonly timeoutMs: number;
    /** So many probes in a row that fail take a VM out. */
    readonly fall: number;
    readonly slowStartMs: number;
    readonly errorWindowMs: number;
    readonly errorsAtLeast: number;
    readonly errorShare: number;
  };
  readonly retry: {
    /** Attempts for one request, the first included. */
    readonly attempts: number;
    /** Retries that may be spent at once; each request earns `perRequest` of one back. */
    readonly budget: number;
    readonly perRequest: number;
    /** Requests other than GET, HEAD and OPTIONS that may be repeated after they reached a VM. */
    readonly safe: readonly RequestRule[];
    /** Bodies up to this size are read before a VM is chosen, so that they can be sent again. */
    readonly replayBytes: number;
  };
  readonly limits: {
    /** Bytes of a request's body; one that is announced larger is refused before any of it is read. */
    readonly bodyBytes: number;
  };
  readonly timeouts: {
    readonly connectMs: number;
    /** To the first byte of an answer, and between two bytes of it. */
    readonly responseMs: number;
    /** A client that sends nothing of a body it announced for so long is cut off. */
    readonly uploadIdleMs: number;
    /** An idle client connection is kept this long. */
    readonly keepAliveMs: number;
    /** Requests still running this long after `close` are cut off. */
    readonly closeMs: number;
  };
}

/** SOAP operations that change something, in a body otherwise sent to the query address. */
const SOAP_CHANGES = '<([A-Za-z0-9_.-]+:)?(Uns|S)ubscribe[\\s>/]';

export const GATEWAY_DEFAULTS: GatewayOptions = {
  host: '127.0.0.1',
  port: 8080,
  dataPlane: 'builtin',
  selector: 'peak-ewma',
  trustForwarded: false,
  nameVm: true,
  perVm: 'auto',
  queue: {
    capacity: 1000,
    deadlineMs: 30_000,
    promoteAfterMs: 5_000,
    classes: [
      { name: 'interactive' },
      {
        name: 'named',
        rules: [
          { path: '/(subscriptions|queries)(/|\\?|$)' },
          { path: '/query($|\\?)', body: SOAP_CHANGES },
          { query: '^(?!Simple(Event|MasterData)Query$)' },
        ],
      },
      { name: 'capture', rules: [{ method: '^(POST|PUT)$', path: '/(capture|events)($|\\?)' }] },
      { name: 'bulk', rules: [{ header: { name: 'x-request-class', value: '^bulk$' } }] },
    ],
  },
  health: {
    path: '/ready',
    intervalMs: 1_000,
    timeoutMs: 2_000,
    fall: 3,
    slowStartMs: 5_000,
    errorWindowMs: 10_000,
    errorsAtLeast: 10,
    errorShare: 0.5,
  },
  retry: {
    attempts: 3,
    budget: 200,
    perRequest: 0.2,
    safe: [{ method: '^POST$', path: '/query($|\\?)', notBody: SOAP_CHANGES }],
    replayBytes: 65_536,
  },
  limits: { bodyBytes: 1 << 30 },
  timeouts: { connectMs: 2_000, responseMs: 60_000, uploadIdleMs: 30_000, keepAliveMs: 65_000, closeMs: 30_000 },
};
