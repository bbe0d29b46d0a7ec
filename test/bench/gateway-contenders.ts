// The proxies that bench:gateway compares, each a process of its own in front of the same VMs (an nginx on two ports).
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startTracing } from '../../epcis/tracing/start.ts';
import { hashOf } from '../../src/access/keys.ts';
import { freePort } from '../helpers/free-port.ts';
import { accessOf, keyOf } from '../helpers/gatekeeper.ts';
import { GATEWAY_DEFAULTS } from '../../src/balance/core/options.ts';
import { startGateway } from '../../src/balance/gateway.ts';
import type { GatewayDeps } from '../../src/balance/core/contract.ts';
import { haproxyConfig } from '../../src/balance/haproxy/text/config.ts';

export interface Running {
  readonly port: number;
  pids(): number[];
  stop(): Promise<void>;
}

export interface Vms extends Running {
  readonly ports: number[];
}

type Start = (folder: string, vms: readonly number[]) => Promise<Running>;

export const CONTENDERS: Record<string, Start> = {
  nginx: async (folder, vms) => {
    const port = await freePort();
    const servers = vms.map((vm) => `server 127.0.0.1:${vm};`).join(' ');
    const config = `${NGINX_HEAD} http { access_log off; keepalive_requests 1000000000;
      upstream vms { least_conn; ${servers} keepalive 64; keepalive_requests 1000000000; }
      server { listen 127.0.0.1:${port}; location / { proxy_pass http://vms; proxy_http_version 1.1;
        proxy_set_header Connection ""; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; } } }`;
    return nginx(folder, 'proxy', config, port);
  },
  haproxy: async (folder, vms) => {
    // as its manual's first examples: keep-alive on both sides, X-Forwarded-For, checked servers with a limit; no log
    const port = await freePort();
    const config = `global\n  nbthread 1\ndefaults\n  mode http\n  timeout connect 2s\n  timeout client 60s\n  timeout server 60s
  option forwardfor\n  option httpchk GET /ready\nfrontend clients\n  bind 127.0.0.1:${port}\n  default_backend vms
backend vms\n  http-reuse always\n  balance leastconn\n`;
    return plainHaproxy(join(folder, 'haproxy-plain.cfg'), config, port, vms);
  },
  // the header fields, classes and retries of our plane, without what steers and watches it
  'haproxy, rules': async (folder, vms) => {
    const port = await freePort();
    const config = haproxyConfig(GATEWAY_DEFAULTS, {
      socket: join(folder, 'rules.sock'),
      logPort: 1,
      logMark: 'mm',
      uploadPort: 1,
      proof: 'p',
      port,
    });
    const quiet = config.replace(/^ *(log|http-response set-log).*\n/gm, '');
    return plainHaproxy(join(folder, 'haproxy-rules.cfg'), quiet, port, vms);
  },
  'http-proxy': (_, vms) => script('http-proxy', vms),
  builtin: (_, vms) => script('builtin', vms),
  'builtin keys': (_, vms) => script('builtin keys', vms),
  // of a hundredth of the requests, as it is by default; and of all, to a collector that is not there
  'builtin traces': (_, vms) => script('builtin traces', vms),
  'builtin all traced': (_, vms) => script('builtin all traced', vms),
  'haproxy plane': (folder, vms) => haproxyPlane(join(folder, 'plane'), vms, DEPS),
  'haproxy keys': (folder, vms) =>
    haproxyPlane(join(folder, 'keys'), vms, { ...DEPS, access: accessOf([BENCH.record]) }),
};

/** The one client there is. */
const BENCH = keyOf('bench', { hash: hashOf('the_key_of_the_bench') });

/** What all contenders are sent. */
export const AUTHORIZATION = 'Authorization: Bearer the_key_of_the_bench';

async function haproxyPlane(folder: string, vms: readonly number[], deps: GatewayDeps): Promise<Running> {
  mkdirSync(folder);
  const started: ChildProcess[] = [];
  const start = (args: readonly string[]) => {
    const child = spawn('haproxy', args, { stdio: 'ignore' });
    started.push(child);
    return child;
  };
  const options = { ...GATEWAY_DEFAULTS, port: 0, dataPlane: 'haproxy' } as const;
  const gateway = await startGateway(options, { ...deps, haproxy: { folder, start } });
  for (const [i, vm] of vms.entries()) await gateway.add(`vm-${i}`, { host: '127.0.0.1', port: vm });
  return {
    port: gateway.address.port,
    pids: () => started.map((child) => child.pid as number),
    stop: () => gateway.close(),
  };
}

const DEPS: GatewayDeps = {
  now: () => performance.timeOrigin + performance.now(),
  log: { info: () => {}, warn: (fields, message) => process.stderr.write(`${message} ${JSON.stringify(fields)}\n`) },
};

const NGINX_HEAD = 'daemon off; worker_processes 1; events { worker_connections 1024; }';

/** Two VMs that answer a kilobyte at once: what is measured is the proxy. */
export async function startVms(folder: string): Promise<Vms> {
  const ports = [await freePort(), await freePort()];
  const body = JSON.stringify({ type: 'EPCISQueryDocument', filler: 'x'.repeat(960) });
  const listen = ports.map((port) => `listen 127.0.0.1:${port};`).join(' ');
  const config = `${NGINX_HEAD} http { access_log off; keepalive_requests 1000000000;
    server { ${listen} location / { default_type application/json; return 200 '${body}'; } } }`;
  return { ...(await nginx(folder, 'vms', config, ports[0] as number)), ports };
}

function plainHaproxy(file: string, config: string, port: number, vms: readonly number[]): Promise<Running> {
  writeFileSync(
    file,
    `${config}${vms.map((vm, i) => `  server vm${i} 127.0.0.1:${vm} check inter 1s maxconn 64\n`).join('')}`,
  );
  return started(spawn('haproxy', ['-f', file, '-db'], { stdio: 'ignore' }), port);
}

function nginx(folder: string, name: string, config: string, port: number): Promise<Running> {
  const file = join(folder, `${name}.conf`);
  writeFileSync(file, `pid ${join(folder, name)}.pid; error_log ${join(folder, name)}.log;\n${config}`);
  return started(
    spawn('nginx', ['-c', file, '-p', folder, '-e', `${join(folder, name)}.log`], { stdio: 'ignore' }),
    port,
  );
}

/** This file again, as a process of its own that is one of the proxies in Node. */
async function script(name: string, vms: readonly number[]): Promise<Running> {
  const port = await freePort();
  const args = [fileURLToPath(import.meta.url), name, String(port), ...vms.map(String)];
  return started(spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] }), port);
}

async function started(child: ChildProcess, port: number): Promise<Running> {
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  for (const deadline = Date.now() + 10_000; !(await answers(port));) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`${child.spawnfile} did not start.`);
  }
  return {
    port,
    pids: () => [child.pid as number],
    stop: () => {
      child.kill();
      return exited;
    },
  };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = httpRequest({ port, host: '127.0.0.1', agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode === 200 || response.statusCode === 401));
    });
    request.on('error', () => setTimeout(resolve, 50, false)).end();
  });
}

const SHARES: Readonly<Record<string, number>> = { 'builtin traces': 0.01, 'builtin all traced': 1 };

const traced = (share: number) => ({
  tracer: startTracing({ endpoint: 'http://127.0.0.1:64999', share }, {}, DEPS.log)!.tracer,
});

async function serve(name: string, port: number, vms: readonly number[]): Promise<void> {
  if (name === 'http-proxy') {
    const { default: httpProxy } = await import('http-proxy');
    const { Agent } = await import('node:http');
    const proxy = httpProxy.createProxyServer({ agent: new Agent({ keepAlive: true }), xfwd: true });
    let turn = 0;
    const handler = (...[request, response]: Parameters<Parameters<typeof createServer>[1] & object>) =>
      proxy.web(request, response, { target: `http://127.0.0.1:${vms[turn++ % vms.length]}` });
    createServer(handler).listen(port, '127.0.0.1');
    return;
  }
  // everything on: response times, health checks, admission
  const access = name === 'builtin keys' ? { access: accessOf([BENCH.record]) } : {};
  const traces = SHARES[name] === undefined ? undefined : traced(SHARES[name]);
  const gateway = await startGateway({ ...GATEWAY_DEFAULTS, port }, { ...DEPS, ...access, ...traces });
  for (const [i, vm] of vms.entries()) await gateway.add(`vm-${i}`, { host: '127.0.0.1', port: vm });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [name = '', port, ...vms] = process.argv.slice(2);
  await serve(name, Number(port), vms.map(Number));
}
