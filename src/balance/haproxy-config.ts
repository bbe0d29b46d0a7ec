// HAProxy's configuration from the gateway's options. The VMs are not in it: they come and go through the runtime API.
import type { GatewayOptions, RequestClass, RequestRule } from './options.ts';

/** Requests a VM takes at once under `perVm: auto`: HAProxy doesn't search for the limit. */
export const AUTO_LIMIT = 64;

export interface HaproxyPaths {
  readonly socket: string;
  readonly logPort: number;
  readonly port: number;
}

/** Marks the lines of requests in the log stream; the fields are those that haproxy-log.ts reads. */
export const LOG_FORMAT = 'mm %s %ST %TR %Tw %Ta %ts %rc %[var(txn.class)] %[var(txn.stands_for)]';

/** A log line costs HAProxy half as much as a request: above this rate only one in eight is logged, and stands for eight. */
const ALL_LOGGED_PER_SECOND = 500;
const STANDS_FOR = 8;

export function haproxyConfig(options: GatewayOptions, { socket, logPort, port }: HaproxyPaths): string {
  const { timeouts, queue, retry, health, trustForwarded } = options;
  const readsBodies = [...retry.safe, ...queue.classes.flatMap((one) => one.rules ?? [])].some(looksIntoBody);
  const replace = trustForwarded ? 'add-header' : 'set-header';
  return `# Written by mmeliot: changes are lost.
global
  nbthread 1
  hard-stop-after ${timeouts.closeMs}ms
  stats socket ${quote(socket)} mode 600 level admin
  log 127.0.0.1:${logPort} len 2048 format raw local0

defaults
  mode http
  log global
  timeout connect ${timeouts.connectMs}ms
  timeout client ${timeouts.uploadIdleMs}ms
  timeout server ${timeouts.responseMs}ms
  timeout queue ${queue.deadlineMs}ms
  timeout http-request 30s
  timeout http-keep-alive ${timeouts.keepAliveMs}ms
  timeout tunnel 24h
${readsBodies ? '  option http-buffer-request\n' : ''}
frontend clients
  bind ${options.host}:${port}
  log-format ${quote(LOG_FORMAT)}
  unique-id-format %{+X}o%Ts-%pid-%rt
  http-request set-var(txn.id) unique-id
  http-request set-var(txn.id) req.hdr(x-request-id) if { req.hdr(x-request-id) -m reg ^[!-~]{1,128}$ }
  http-request set-header x-request-id %[var(txn.id)]
  http-request ${replace} x-forwarded-for %[src]
  http-request set-header x-forwarded-proto http
  http-request set-header x-forwarded-host %[req.hdr(host)]
  http-request ${replace} forwarded 'for=%[src];proto=http;host="%[req.hdr(host)]"' if !{ src,concat() -m sub : }
  http-request ${replace} forwarded 'for="[%[src]]";proto=http;host="%[req.hdr(host)]"' if { src,concat() -m sub : }
  http-request add-header via '1.1 mmeliot'
${classRules(queue.classes)}
${retry.safe.map((rule) => `  http-request set-var(txn.safe) bool(true) if ${condition(rule)}\n`).join('')}\
  http-request disable-l7-retry if !{ method GET HEAD OPTIONS } !{ var(txn.safe) -m bool }
  http-response set-var(txn.stands_for) int(${STANDS_FOR}) if { fe_req_rate gt ${ALL_LOGGED_PER_SECOND} } { status lt 500 }
  http-response set-log-level silent if { var(txn.stands_for) -m found } !{ rand(${STANDS_FOR}) eq 0 }
  http-after-response set-header x-request-id %[var(txn.id)]
  http-request return status 503 content-type application/problem+json hdr retry-after 1 lf-string \
'{"type":"about:blank","title":"Service Unavailable","status":503,"detail":"No VM is ready."}' if { nbsrv(vms) eq 0 }
  default_backend vms

backend vms
  balance ${options.selector === 'round-robin' ? 'roundrobin' : 'leastconn'}
  http-reuse always
  retries ${Math.max(0, retry.attempts - 1)}
  option redispatch 1
  retry-on conn-failure empty-response
  option httpchk GET ${health.path}
  http-check expect status 200-499
`;
}

/** The command that adds a VM; it is in maintenance until it is enabled. */
export function addServer(options: GatewayOptions, id: string, host: string, port: number): string {
  const { health, perVm } = options;
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return (
    `add server vms/${id} ${address} check inter ${health.intervalMs}ms fall ${health.fall} rise 1 ` +
    `maxconn ${perVm === 'auto' ? AUTO_LIMIT : perVm} slowstart ${health.slowStartMs}ms ` +
    'observe layer4 error-limit 1 on-error mark-down ' +
    // HAProxy's own defaults of these two hold for servers of its configuration only: without them no connection is reused
    'pool-purge-delay 5s pool-max-conn 1000'
  );
}

/** HAProxy's own queue knows importance: the lower the class, the sooner. */
function classRules(classes: readonly RequestClass[]): string {
  const rest = Math.max(
    0,
    classes.findIndex((one) => one.rules === undefined),
  );
  const lines = [`http-request set-var(txn.class) int(${rest})`];
  classes.forEach(({ rules = [] }, level) => {
    for (const rule of rules) lines.push(`http-request set-var(txn.class) int(${level}) if ${condition(rule)}`);
  });
  lines.push('http-request set-priority-class var(txn.class)');
  return lines.map((line) => `  ${line}`).join('\n');
}

function condition(rule: RequestRule): string {
  const parts: string[] = [];
  const matches = (what: string, pattern: string | undefined, not = '') => {
    if (pattern !== undefined) parts.push(`${not}{ ${what} -m reg -- ${quote(pattern)} }`);
  };
  matches('method', rule.method);
  matches('pathq', rule.path);
  matches(`req.hdr(${rule.header?.name ?? ''})`, rule.header?.value);
  matches('src,concat()', rule.client);
  matches('req.body', rule.body);
  matches('req.body', rule.notBody, '!');
  if (rule.query !== undefined) {
    // the name out of the SOAP body: what follows <queryName>, up to the next <
    parts.push('{ req.body -m sub queryName> }');
    matches("req.body,regsub('^[\\s\\S]*queryName>\\s*',''),regsub('\\s*<[\\s\\S]*$','')", rule.query);
  }
  return parts.join(' ');
}

function looksIntoBody(rule: RequestRule): boolean {
  return rule.body !== undefined || rule.notBody !== undefined || rule.query !== undefined;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
