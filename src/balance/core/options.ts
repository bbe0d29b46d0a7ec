// The gateway's settings, each declared once: the configuration and its documentation are made from this.
import type { Address } from '../../model.ts';
import { isLoopback } from '../../../epcis/domain/address.ts';
import { defaultsOf, type Declaration, type Sections, type Values } from '../../settings/declaration.ts';
import { mutualTlsSettings } from '../../settings/tls.ts';
import { SELECTORS, type SelectorName } from './selectors/index.ts';

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
  /** In ms: overrides the queue's deadline for this class. */
  readonly deadline?: number;
}

export const classDeadline = {
  type: 'duration',
  default: 30_000,
  min: 1,
  doc: 'a request of the class that has waited this long is answered 503',
} as const satisfies Declaration;

/** SOAP operations that change something, in a body otherwise sent to the query address. */
const SOAP_CHANGES = '<([A-Za-z0-9_.-]+:)?(Uns|S)ubscribe[\\s>/]';

const CLASSES: readonly RequestClass[] = [
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
];

const SAFE: readonly RequestRule[] = [{ method: '^POST$', path: '/query($|\\?)', notBody: SOAP_CHANGES }];

const SELECTOR_NAMES = Object.keys(SELECTORS) as readonly SelectorName[];

/** A name that ends in `Ms` holds ms; a configuration leaves that out, as people write the unit with the value. */
export const gatewaySettings = {
  host: { type: 'text', default: '127.0.0.1', doc: 'address that clients connect to; 0.0.0.0 for all interfaces' },
  port: { type: 'whole', default: 8080, min: 0, max: 65_535, doc: 'port that clients connect to; 0: any free one' },
  tls: mutualTlsSettings,
  dataPlane: {
    type: 'choice',
    choices: ['builtin', 'haproxy'],
    default: 'builtin',
    doc: 'what carries the traffic: this process, or an HAProxy (2.6 or later) that it starts and steers',
  },
  http2: {
    type: 'flag',
    default: false,
    doc: 'whether the haproxy data plane speaks HTTP/2 with clients, too. Then one client may keep it busy with frames that are no requests (SETTINGS, pings), which HAProxy does not bound: others wait some ten ms longer',
  },
  // the default is the best at p99 on uneven VMs (test/bench/selectors.ts)
  selector: {
    type: 'choice',
    choices: SELECTOR_NAMES,
    default: 'peak-ewma',
    doc: 'how the gateway chooses the VM for a request',
  },
  perVm: {
    type: 'whole',
    or: 'auto',
    min: 1,
    default: 'auto',
    doc: 'requests that a VM takes at once; auto: found from its response times',
  },
  trustForwarded: {
    type: 'flag',
    default: false,
    doc: "whether the client's X-Forwarded-For and Forwarded are extended (behind another proxy) or replaced",
  },
  vmTls: {
    type: 'choice',
    choices: ['auto', 'always', 'never'],
    default: 'auto',
    doc: "whether the gateway speaks TLS with VMs, by certificates that come from the group's secret; auto: with those on other machines",
  },
  nameVm: {
    type: 'choice',
    choices: ['auto', 'always', 'never'],
    default: 'auto',
    doc: 'whether answers name their VM in X-Mmeliot-Vm, for the response times by VM of a load; auto: where host is loopback',
  },
  queue: {
    capacity: { type: 'whole', default: 1000, min: 0, doc: 'requests that may wait; more are answered 503' },
    deadlineMs: { type: 'duration', default: 30_000, doc: 'a request that has waited this long is answered 503' },
    promoteAfterMs: {
      type: 'duration',
      default: 5_000,
      doc: 'a waiting request moves up one class each time this has passed',
    },
    classes: {
      type: 'data',
      default: CLASSES,
      doc: 'classes of requests, most important first: name, rules, VMs they are pinned to (pinnedTo), and a deadline of their own',
    },
  },
  health: {
    path: {
      type: 'text',
      pattern: '/.*',
      expected: 'a path such as /ready',
      default: '/ready',
      doc: 'path of the readiness probe; a VM whose answer is below 500 is well',
    },
    intervalMs: { type: 'duration', default: 1_000, doc: 'time between two readiness probes of a VM' },
    timeoutMs: { type: 'duration', default: 2_000, doc: 'a probe without an answer by then has failed' },
    fall: { type: 'whole', default: 3, min: 1, doc: 'failed probes in a row that take a VM out' },
    slowStartMs: { type: 'duration', default: 5_000, doc: 'time over which a VM that comes in gets its full share' },
    errorWindowMs: { type: 'duration', default: 10_000, doc: "time over which a VM's failed requests are counted" },
    errorsAtLeast: { type: 'whole', default: 10, min: 1, doc: 'so many of them at least take a VM out ...' },
    errorShare: { type: 'number', default: 0.5, min: 0, max: 1, doc: '... that are this share of its requests' },
  },
  retry: {
    attempts: {
      type: 'whole',
      default: 3,
      min: 1,
      doc: 'attempts for one request that reach a VM, the first included',
    },
    budget: { type: 'whole', default: 200, min: 0, doc: 'retries that may be spent at once' },
    perRequest: { type: 'number', default: 0.2, min: 0, max: 1, doc: 'as much of a retry each request earns back' },
    safe: {
      type: 'data',
      default: SAFE,
      doc: 'requests other than GET, HEAD and OPTIONS that may be repeated after they reached a VM',
    },
    replayBytes: {
      type: 'size',
      default: 65_536,
      doc: 'bodies up to this size are read before a VM is chosen, so that they can be sent again',
    },
  },
  limits: {
    bodyBytes: {
      type: 'size',
      default: 2 ** 30,
      min: 0,
      doc: "a request's body; an announced length above it is answered 413 at once",
    },
    headBytes: {
      type: 'size',
      default: 65_536,
      min: 1_024,
      doc: "a request's head; a larger one is answered 431. HAProxy: 16 KB",
    },
    connections: {
      type: 'whole',
      default: 10_000,
      min: 1,
      doc: "clients' connections; what comes beyond is answered 503. HAProxy: waits",
    },
    connectionsPerClient: {
      type: 'whole',
      default: 1_000,
      min: 1,
      doc: 'connections of one address (of IPv6: one /64) while more than half of all are in use; more are answered 429. HAProxy: closed. Not behind a proxy that is trusted',
    },
    connectionsPerSecond: {
      type: 'whole',
      default: 1_000,
      min: 1,
      doc: 'new connections of one address in a second, a second saved up, each by TLS for ten; more wait, 429 (by TLS: closed) after five seconds. HAProxy: closed',
    },
    upgradesPerSecond: {
      type: 'whole',
      default: 5,
      min: 1,
      doc: 'WebSockets that one address opens in a second, ten seconds saved up; more are answered 429, a second later',
    },
    strangersPerSecond: {
      type: 'whole',
      default: 100,
      min: 1,
      doc: 'requests of one address that are refused for who sends them (401) in a second, ten seconds saved up; more are answered up to ten seconds later',
    },
    pipelined: {
      type: 'whole',
      default: 100,
      min: 1,
      doc: 'requests of one connection that wait for those before them; one more is answered 429, and the connection closed',
    },
    clientShare: {
      type: 'number',
      default: 0.75,
      min: 0,
      max: 1,
      doc: 'part of all requests that the VMs take at once which one client may have while another is there; the same for all clients of one tenant while another tenant asks',
    },
    bytesPerSecond: {
      type: 'size',
      default: 1_024,
      min: 0,
      doc: 'that a client must send of a body, or take of an answer, over timeouts.uploadIdle; else 408, or the connection is closed',
    },
    uploadBytesPerSecond: {
      type: 'size',
      default: 64 * 2 ** 20,
      min: 1_024,
      doc: 'that are read of what one client uploads, all its connections together',
    },
    answerBytesPerSecond: {
      type: 'size',
      default: 32 * 2 ** 20,
      min: 1_024,
      doc: 'that one client gets of large answers, all its connections together. HAProxy: no limit',
    },
    answerBytes: {
      type: 'size',
      default: 2 ** 20,
      min: 0,
      doc: 'of an answer that its client does not take yet are kept here, so that the VM is done with it. HAProxy: 17 KB',
    },
    answersBytes: { type: 'size', default: 64 * 2 ** 20, min: 0, doc: 'of all such answers together' },
  },
  timeouts: {
    connectMs: { type: 'duration', default: 2_000, doc: 'to reach a VM' },
    responseMs: {
      type: 'duration',
      default: 60_000,
      doc: 'to the first byte of an answer, and between two bytes of it',
    },
    headMs: { type: 'duration', default: 10_000, doc: 'for a client to send the head of a request; else 408' },
    uploadIdleMs: {
      type: 'duration',
      default: 30_000,
      doc: 'a client that sends nothing of a body, or takes nothing of an answer, for so long is given up (408, or closed)',
    },
    keepAliveMs: { type: 'duration', default: 65_000, doc: 'an idle client connection is kept this long' },
    closeMs: { type: 'duration', default: 30_000, doc: 'requests still running this long after the stop are cut off' },
  },
} as const satisfies Sections;

export type GatewayOptions = Values<typeof gatewaySettings>;

export const GATEWAY_DEFAULTS: GatewayOptions = defaultsOf(gatewaySettings);

/** Whether requests go to this VM by TLS. */
export const byTls = ({ vmTls }: Pick<GatewayOptions, 'vmTls'>, { host }: Pick<Address, 'host'>): boolean =>
  vmTls === 'auto' ? !isLoopback(host) : vmTls === 'always';

/** Whether answers say in X-Mmeliot-Vm which VM they come from. */
export const namesVm = ({ nameVm, host }: GatewayOptions): boolean =>
  nameVm === 'auto' ? isLoopback(host) : nameVm === 'always';
