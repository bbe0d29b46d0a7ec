// HAProxy's configuration from the gateway's options. The VMs are not in it: they come and go through the runtime API.
import { EXPOSED } from '../../core/cross-origin.ts';
import { hasTls, type TlsFiles } from '../../../settings/tls.ts';
import { CONNECTIONS_A_HANDSHAKE, freeForAll, LONGEST_REST_MS } from '../../core/connections.ts';
import {
  CERTIFICATE_FIELD,
  CLIENT_FIELD,
  FRONT_FIELD,
  HOST,
  NO_HOST,
  NO_TUNNELS,
  WHO_FIELD,
  WHO_NEXT_FIELD,
} from '../../core/headers.ts';
import { namesVm, type GatewayOptions } from '../../core/options.ts';
import { REFUSED_UPGRADE_MS, tooManyUpgrades, UPGRADES_SAVED_MS } from '../../core/upgrades.ts';
import { UNAVAILABLE_FIELD } from '../../../../epcis/domain/unavailable.ts';
import { abandonedRules, CLOSED_FOR_ABANDONED } from './abandoned.ts';
import { condition, looksIntoBody, quote } from './conditions.ts';
import { LOG_FORMAT, LONGEST_LINE, sampling } from './log.ts';
import { problem } from './problem.ts';
import { checks, groupRoots } from './servers.ts';
import { shareRules } from './shares.ts';
import { NO_STREAMS, STREAMS, VOUCHING, WHO } from './known-clients.ts';

/**
 * Bytes of a buffer: the largest head of a request (16 KB, HAProxy's default) and what rules may add to it. HAProxy copies
 * a whole buffer of each request that it may have to repeat; half of it would save 4 to 9 % of this plane's CPU, and
 * refuse long queries.
 */
const BUFFER = 16_384 + 1_024;

/**
 * Uploads go through the built-in plane. HAProxy (before 3.0) closes the client's connection as soon as a server has answered,
 * with what the client still sends unread: that resets the connection, and the answer may be lost (HAProxy's issues 188, 3316).
 * And it answers `Expect: 100-continue` itself while it waits for a body. Smaller bodies fit into its buffer beside a head.
 */
const UPLOADS = [
  `{ req.body_size gt ${8_192} }`,
  '{ req.fhdr(transfer-encoding) -m found }',
  '{ req.fhdr(expect) -m found }',
];

/**
 * And so does what HAProxy would pass on as it came, where a proxy has to look: targets that are no path, a request without a Host, fields that
 * end at this hop by a name that stands in Connection only, and protocols other than WebSocket.
 */
const ODD = [
  '!{ url_beg / }',
  '!{ req.fhdr(host) -m found }',
  '{ req.fhdr(connection) -m found } !{ req.fhdr(connection) -m reg -i ^(keep-alive|close|upgrade|keep-alive,.?upgrade)$ }',
  '{ req.fhdr(upgrade) -m found } !{ req.fhdr(upgrade) -m str -i websocket }',
];

/**
 * Pieces of work that HAProxy does before it looks for new requests again (its default is 200). One client who floods it with frames
 * of HTTP/2 has it do 100 µs of work in each: with 200 of them others waited 70 ms.
 */
const WORK_AT_ONCE = 25;

/** Requests at once on one connection by HTTP/2 (100 by default). Of those that a client takes back each has to be begun. */
const MOST_STREAMS = 32;

export interface HaproxyPaths {
  readonly socket: string;
  readonly logPort: number;
  /** What lines of its log begin with: any user of the machine may send to that port. */
  readonly logMark: string;
  /** Where the built-in plane takes uploads. */
  readonly uploadPort: number;
  /** By what it is known there. */
  readonly proof: string;
  readonly port: number;
}

export const FRONTEND = 'clients';

/** Certificate and key, in the folder of the configuration. */
export const CERTIFICATE = 'gateway.pem';

/** A client may show a certificate; whether it is good for anything is seen later. */
const byTls = ({ clientCa = '' }: TlsFiles, http2: boolean): string =>
  ` ssl crt ${CERTIFICATE} alpn ${http2 ? 'h2,' : ''}http/1.1 ssl-min-ver TLSv1.2` +
  (clientCa === '' ? '' : ` ca-file ${quote(clientCa)} verify optional crt-ignore-err all ca-ignore-err all`);

const SHOWN_CERTIFICATE = `\
  http-request del-header ${CERTIFICATE_FIELD}
  http-request set-header ${CERTIFICATE_FIELD} %[ssl_c_s_dn(,0,rfc2253)] if { ssl_c_used } { ssl_c_verify 0 }
`;

/**
 * HAProxy knows HTTP/2 by its first bytes, also without TLS. It counts no pings, and of SETTINGS only what takes window back, in any
 * version (3.0 and later have `tune.h2.fe.glitches-threshold`).
 */
const NO_HTTP2 = '  option disable-h2-upgrade\n';

/** Fields of one hop, and those that only our own may say. */
const ENDS_HERE = [
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'te',
  'http2-settings',
  'x-mmeliot- -m beg',
];

/** What HAProxy answers of a VM's failures, as the built-in plane has it (builtin/refusals.ts). What it refuses of a request's form is its own page. */
const OF_VMS = [
  {
    title: 'Bad Gateway',
    status: 502,
    reason:
      'The VM broke off before it answered, or answered something that is not HTTP; the request may have taken effect.',
  },
  { title: 'Gateway Timeout', status: 504, reason: 'The VM did not answer in time.' },
];

const ofVms = (): string =>
  OF_VMS.map(
    ({ title, ...refusal }) =>
      `  http-error status ${refusal.status} content-type application/problem+json string '${problem(title, refusal)}'\n`,
  ).join('');

interface Others {
  /** VMs are known by TLS: names the root that stands in GROUP_ROOT (servers.ts). */
  readonly groupRoot?: string;
  /** They have to say who they are, and HAProxy signs for the VM who it is (`src/access/`). */
  readonly signs?: boolean;
  /** Its VMs serve several tenants. */
  readonly hasTenants?: boolean;
  /** Where only clients of one tenant are let in: that the built-in plane looks at. */
  readonly tenantHosts?: readonly string[];
  /** Origins whose pages may read the gateway's own answers. */
  readonly corsOrigins?: readonly string[];
}

export function haproxyConfig(options: GatewayOptions, paths: HaproxyPaths, others: Others = {}): string {
  const { signs = false, hasTenants = false, corsOrigins = [], groupRoot, tenantHosts = [] } = others;
  const { socket, logPort, logMark, uploadPort, proof, port } = paths;
  const { timeouts, queue, retry, health, limits, trustForwarded } = options;
  const readsBodies = [...retry.safe, ...queue.classes.flatMap((one) => one.rules ?? [])].some(looksIntoBody);
  const client = trustForwarded ? 'req.hdr(x-forwarded-for,-1),ipmask(32,64)' : 'src,ipmask(32,64)';
  const protocol = hasTls(options.tls) ? 'https' : 'http';
  const replace = trustForwarded ? 'add-header' : 'set-header';
  return `# Written by mmeliot: changes are lost.
global
  nbthread 1
  tune.runqueue-depth ${WORK_AT_ONCE}
  tune.h2.max-concurrent-streams ${MOST_STREAMS}
  tune.bufsize ${BUFFER}
  hard-stop-after ${timeouts.closeMs}ms
  stats socket ${quote(socket)} mode 600 level admin
  log 127.0.0.1:${logPort} len ${LONGEST_LINE} format short local0

defaults
  mode http
  log global
  timeout connect ${timeouts.connectMs}ms
  timeout client ${timeouts.uploadIdleMs}ms
  timeout server ${timeouts.responseMs}ms
  timeout check ${health.timeoutMs}ms
  timeout queue ${queue.deadlineMs}ms
  timeout http-request ${timeouts.headMs}ms
  timeout http-keep-alive ${timeouts.keepAliveMs}ms
  timeout tunnel 24h
  timeout tarpit ${REFUSED_UPGRADE_MS}ms
  option abortonclose
  option idle-close-on-response
${ofVms()}\
  http-error status 503 content-type application/problem+json hdr retry-after 1 string '${unavailable('No VM became free for this request in time.')}'

frontend ${FRONTEND}
  bind ${options.host}:${port}${hasTls(options.tls) ? byTls(options.tls, options.http2) : ''}
${options.http2 ? '' : NO_HTTP2}  maxconn ${limits.connections}
  log-format ${quote(`${logMark} ${LOG_FORMAT}`)}
${trustForwarded ? '' : connectionRules(options)}\
${perConnection(options.host, protocol)}
  http-request deny status 501 content-type application/problem+json string \
'${problem('Not Implemented', { status: 501, reason: NO_TUNNELS })}' if METH_CONNECT
  http-request deny status ${NO_HOST.status} content-type application/problem+json string \
'${problem('Bad Request', NO_HOST)}' if { req.fhdr(host) -m found } !{ req.fhdr(host) -m reg ${quote(HOST.source)} }
  unique-id-format %[var(sess.id)]-%[rand(4294967295)]
  http-request set-var(txn.id) req.fhdr(x-request-id) if { req.fhdr(x-request-id) -m reg ^[!-~]{1,128}$ } { req.fhdr_cnt(x-request-id) eq 1 }
  http-request set-header x-request-id %[unique-id] if !{ var(txn.id) -m found }
${crossOriginRules(corsOrigins)}\
  http-request track-sc1 ${client} table requests
${abandonedRules(!trustForwarded)}\
  http-request del-header ${WHO_FIELD}
  http-request del-header ${WHO_NEXT_FIELD}
${signs ? WHO + STREAMS + atTenants(tenantHosts) : ''}${[...UPLOADS, ...ODD].map((what) => `  http-request set-var(txn.upload) bool(true) if ${what}\n`).join('')}\
${readsBodies ? '  http-request wait-for-body time 30s if !{ var(txn.upload) -m bool }\n' : ''}\
${classRules(queue)}
${retry.safe.map((rule) => `  http-request set-var(txn.safe) bool(true) if !{ method GET HEAD OPTIONS } ${condition(rule)}\n`).join('')}\
  http-request disable-l7-retry if !{ method GET HEAD OPTIONS } !{ var(txn.safe) -m bool }
${sampling()}
  http-after-response set-header x-request-id %[unique-id]
  http-after-response set-header x-request-id %[var(txn.id)] if { var(txn.id) -m found }
  http-request return status 503 content-type application/problem+json hdr retry-after 1 string \
'${unavailable('No VM is ready.')}' if { nbsrv(vms) eq 0 } !{ stopping -m bool }
${signs ? `  http-request return status 503 content-type application/problem+json hdr retry-after 1 string '${unavailable('Who asks cannot be watched at present.')}' if ${NO_STREAMS}\n` : ''}\
  http-request return status 503 content-type application/problem+json hdr retry-after 1 string \
'${unavailable('All VMs are busy and too many requests wait already.')}' \
if { queue(vms) ge ${queue.capacity} } { var(txn.class) -m int gt 0 } || { queue(vms) ge ${2 * queue.capacity} }
${upgradeRules(limits.upgradesPerSecond)}\
${shareRules(options, hasTenants)}\
  use_backend uploads if { var(txn.upload) -m bool } { nbsrv(uploads) gt 0 }
  default_backend vms

backend connections
  stick-table type ipv6 size 100k expire 60s store conn_cur,conn_rate(${LONGEST_REST_MS}ms)

backend requests
  stick-table type ipv6 size 100k expire 20s store conn_cur,http_req_cnt,gpc(4),gpc_rate(3,${UPGRADES_SAVED_MS}ms)

${hasTenants ? 'backend tenants\n  stick-table type string len 64 size 1k expire 10s store conn_cur\n\n' : ''}\
backend uploads
  http-request set-header ${CLIENT_FIELD} %[src]
  http-request set-header ${FRONT_FIELD} ${proof}
${SHOWN_CERTIFICATE}\
  http-request disable-l7-retry
  http-request set-log-level silent
  retries 0
  timeout server ${queue.deadlineMs + timeouts.responseMs}ms
  server builtin 127.0.0.1:${uploadPort} check inter ${health.intervalMs}ms rise 1 observe layer4 error-limit 1 on-error mark-down

backend vms
${signs ? VOUCHING : ''}\
${ENDS_HERE.map((field) => `  http-request del-header ${field}\n`).join('')}\
  http-request ${replace} x-forwarded-for %[var(sess.client)]
  http-request set-header x-forwarded-proto ${protocol}
  http-request set-header x-forwarded-host %[req.fhdr(host)]
  http-request ${replace} forwarded '%[var(sess.forwarded)];host="%[req.fhdr(host)]"'
  http-request add-header via '1.1 mmeliot'
  http-response set-var(txn.fault) bool(true) if { status 500 } { res.hdr(content-type) -m sub xml }
  http-response set-var(txn.fault) bool(true) if { status 503 } { res.fhdr(${UNAVAILABLE_FIELD}) -m found }
  http-response ${namesVm(options) ? 'set-header x-mmeliot-vm %[srv_name]' : 'del-header x-mmeliot-vm'}
  balance ${options.selector === 'round-robin' ? 'roundrobin' : 'leastconn'}
  http-reuse always
  retries ${Math.max(0, retry.attempts - 1)}
  option redispatch 1
  retry-on conn-failure empty-response
${checks(health.path)}${groupRoot === undefined ? '' : groupRoots(groupRoot)}`;
}

/** As many at once as the built-in plane would have wait; those that are refused count, too. */
function connectionRules({ limits, tls }: GatewayOptions): string {
  const most = (limits.connectionsPerSecond * LONGEST_REST_MS) / 1_000;
  const rate = Math.max(1, Math.floor(hasTls(tls) ? most / CONNECTIONS_A_HANDSHAKE : most));
  return `\
  tcp-request connection track-sc0 src,ipmask(32,64) table connections
  tcp-request connection reject if { sc0_conn_cur gt ${limits.connectionsPerClient} } { fe_conn gt ${freeForAll(limits)} }
  tcp-request connection reject if { sc0_conn_rate gt ${rate} }
${CLOSED_FOR_ABANDONED}`;
}

/** What the built-in plane counts in `beginUpgrade`: those that are refused don't count. */
function upgradeRules(perSecond: number): string {
  const isOne = '{ req.fhdr(upgrade) -m str -i websocket }';
  const refusal = tooManyUpgrades(perSecond);
  const most = (perSecond * UPGRADES_SAVED_MS) / 1_000;
  return `\
  http-request tarpit deny_status ${refusal.status} content-type application/problem+json hdr retry-after 1 string \
'${problem('Too Many Requests', refusal)}' if ${isOne} { sc1_gpc0_rate ge ${most} }
  http-request sc-inc-gpc0(1) if ${isOne}
`;
}

const atTenants = (hosts: readonly string[]): string =>
  hosts
    .flatMap((host) => [host, `${host}.`])
    .map(
      (host) =>
        `  http-request set-var(txn.upload) bool(true) if { req.fhdr(host),host_only -m str -i ${quote(host)} }\n`,
    )
    .join('');

const unavailable = (reason: string): string => problem('Service Unavailable', { status: 503, reason });

/** What is the same for all requests of a connection is formatted once. */
function perConnection(host: string, protocol: string): string {
  const forwarded = (client: string) =>
    `tcp-request session set-var-fmt(sess.forwarded) 'for=${client};proto=${protocol}'`;
  const lines = [
    'tcp-request session set-var(sess.id) uuid(),bytes(0,13)',
    'tcp-request session set-var(sess.client) src,concat()',
  ];
  lines.push(forwarded('%[src]'));
  if (!/^[\d.]+$/.test(host)) lines.push(`${forwarded('"[%[src]]"')} if { var(sess.client) -m sub : }`);
  return lines.map((line) => `  ${line}`).join('\n');
}

/** What answers.ts of the built-in plane does: an answer that no VM gave can be read by the pages that may, also a preflight's. */
function crossOriginRules(origins: readonly string[]): string {
  if (origins.length === 0) return '';
  const any = origins.includes('*');
  const allowed = any ? '-m found' : `-m str ${origins.map(quote).join(' ')}`;
  const own = '{ var(txn.origin) -m found } !{ res.hdr(access-control-allow-origin) -m found }';
  const lines = [
    `http-request set-var(txn.origin) req.fhdr(origin) if { req.fhdr(origin) ${allowed} }`,
    `http-request set-var(txn.wanted) req.fhdr(access-control-request-headers)`,
    ...(any ? [] : [`http-after-response add-header vary origin if ${own}`]),
    `http-after-response set-header access-control-expose-headers ${quote(EXPOSED)} if ${own}`,
    `http-after-response set-header access-control-allow-origin ${any ? '*' : '%[var(txn.origin)]'} if ${own}`,
    'http-request return status 204 hdr access-control-allow-methods "GET, HEAD, POST, DELETE, OPTIONS"' +
      ' hdr access-control-allow-headers "%[var(txn.wanted)]"' +
      ' if METH_OPTIONS { var(txn.origin) -m found } { req.fhdr(access-control-request-method) -m found } { nbsrv(vms) eq 0 }',
  ];
  return lines.map((line) => `  ${line}\n`).join('');
}

/** HAProxy cuts what is more. */
const MOST_OFFSET_MS = 524_287;

/**
 * HAProxy's own queue: who came first goes first, and a request of a class counts as come later by a promotion for each class
 * before its own. That is the promotion. A request without a class is of class 0.
 */
function classRules({ classes, promoteAfterMs }: GatewayOptions['queue']): string {
  const each = Math.min(promoteAfterMs, Math.floor(MOST_OFFSET_MS / classes.length));
  const rest = classes.findIndex((one) => one.rules === undefined);
  const lines = rest > 0 ? [`http-request set-var(txn.class) int(${rest})`] : [];
  classes.forEach(({ rules = [] }, level) => {
    for (const rule of rules) lines.push(`http-request set-var(txn.class) int(${level}) if ${condition(rule)}`);
  });
  lines.push(`http-request set-priority-offset var(txn.class),mul(${each})`);
  return lines.map((line) => `  ${line}`).join('\n');
}
