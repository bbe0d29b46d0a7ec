// The HAProxy process of the haproxy data plane: started, found again, started again, stopped.
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GatewayDeps } from '../core/contract.ts';
import { writeWhole } from '../../files/write-whole.ts';
import { readPair, type Pair } from '../../tls/certificate.ts';
import { hasTls } from '../../settings/tls.ts';
import { CERTIFICATE, FRONTEND, haproxyConfig } from './text/config.ts';
import { CLIENTS_MAP, KEYS_MAP, TENANTS_MAP } from './text/known-clients.ts';
import type { HaproxyPaths } from './text/config.ts';
import { GROUP_ROOT } from './text/servers.ts';
import { haproxyCommand, parseInUse } from './runtime.ts';
import type { GatewayOptions } from '../core/options.ts';

const START_MS = 10_000;
const STEP_MS = 20;
const NOW_MS = 500;
/** Between a look for a free port and HAProxy's bind any connection of this machine may take it: then another one is tried, so often in all. */
const PORT_TRIES = 5;
/** The longest path of a socket that HAProxy takes, in bytes: it adds its process number for a moment. */
const LONGEST_SOCKET = 90;

type Own = Pick<HaproxyPaths, 'logPort' | 'logMark' | 'uploadPort' | 'proof'>;

export class HaproxyProcess {
  readonly #options: GatewayOptions;
  readonly #deps: Pick<GatewayDeps, 'now' | 'access' | 'corsOrigins' | 'vmTrust'> & {
    readonly haproxy: NonNullable<GatewayDeps['haproxy']>;
  };
  #paths: HaproxyPaths | undefined;
  /** Of another configuration: ends when this one's has started. */
  #former: { readonly pid: number; readonly socket: string } | undefined;
  /** What answered last: it ends where another one is to take its place, as one that stands still would keep its share of connections. */
  #running: number | undefined;
  /** The group's, as HAProxy has them. */
  #roots = '';

  constructor(options: GatewayOptions, deps: GatewayDeps) {
    const { haproxy, now, access, vmTrust, corsOrigins = [] } = deps;
    if (haproxy === undefined) throw new Error('The haproxy data plane needs a folder and a way to start HAProxy.');
    this.#options = options;
    this.#deps = { now, haproxy, corsOrigins, ...(access && { access }), ...(vmTrust && { vmTrust }) };
  }

  get port(): number {
    return this.#paths?.port ?? this.#options.port;
  }

  command(command: string): Promise<string> {
    return haproxyCommand(this.#paths?.socket ?? '', command);
  }

  /**
   * An HAProxy that a former manager left running with the same configuration: returns where it logs and sends uploads to.
   * One with another configuration serves on until the next has started.
   */
  async findRunning(): Promise<HaproxyPaths | undefined> {
    const paths = this.#read('haproxy.json');
    if (paths === undefined) return undefined;
    this.#paths = paths;
    const samePort = this.#options.port === 0 || this.#options.port === paths.port;
    const sameConfig = textOf(this.#file('haproxy.cfg')) === this.#config(paths);
    const running = samePort && sameConfig ? await this.#pid() : undefined;
    if (running !== undefined) {
      this.#running = running;
      this.#roots = this.#deps.vmTrust?.ca ?? '';
      return paths;
    }
    const pid = await this.#pid();
    this.#paths = undefined;
    this.#former = pid === undefined ? undefined : { pid, socket: paths.socket };
    return undefined;
  }

  /** Starts it on the same port as before, and waits until it answers. */
  async start(own: Own): Promise<void> {
    const tries = this.#paths === undefined && this.#options.port === 0 ? PORT_TRIES : 1;
    for (let tried = 1; !(await this.#starts(own)); tried++) {
      if (tried < tries) this.#paths = undefined;
      else
        throw new Error(
          `HAProxy does not start; run it with \`cd '${this.#deps.haproxy.folder}' && haproxy -f haproxy.cfg -db\` to see why.`,
        );
    }
  }

  /** False: it has ended. */
  async #starts(own: Own): Promise<boolean> {
    const { host, port } = this.#options;
    const paths = this.#paths ?? {
      socket: this.#former?.socket ?? this.#socket(),
      port: port === 0 ? await freePort(host) : port,
      ...own,
    };
    this.#paths = paths;
    await this.#write('haproxy.cfg', this.#config(paths), 0o600);
    await this.#write('haproxy.json', JSON.stringify(paths), 0o600);
    for (const map of [CLIENTS_MAP, KEYS_MAP, TENANTS_MAP]) await this.#write(map, '');
    await this.#writeRoots();
    if (hasTls(this.#options.tls)) await this.#writeCertificate(readPair(this.#options.tls));
    this.#endRunning();
    const former = this.#former?.pid;
    const takesOver = former === undefined ? [] : ['-sf', String(former)];
    const { haproxy } = this.#deps;
    const child = haproxy.start(['-C', haproxy.folder, '-f', this.#file('haproxy.cfg'), '-db', ...takesOver]);
    let ended = false;
    child.once('exit', () => (ended = true));
    child.once('error', () => (ended = true));
    const deadline = this.#deps.now() + START_MS;
    for (let pid; pid === undefined || pid === former; await sleep(STEP_MS)) {
      pid = await this.#pid();
      if (ended) return false;
      if (this.#deps.now() > deadline) throw new Error('HAProxy does not answer on its socket.');
      if (pid !== former) this.#running = pid;
    }
    return true;
  }

  /** Its number may be another process's by now. */
  #endRunning(): void {
    const pid = this.#running;
    this.#running = undefined;
    if (pid !== undefined && isOf(pid, this.#file('haproxy.cfg'))) signal(pid, 'SIGKILL');
  }

  /** New connections get it; one that is not taken leaves the one before in use. */
  async changeCertificate(pair: Pair): Promise<void> {
    await this.#writeCertificate(pair);
    const answer =
      (await this.command(`set ssl cert ${CERTIFICATE} <<\n${asOne(pair).replaceAll(/\n\s*\n/g, '\n')}\n`)) +
      (await this.command(`commit ssl cert ${CERTIFICATE}`));
    if (!answer.includes('Success')) throw new Error(`HAProxy does not take the new certificate: ${answer}`);
  }

  /** By which VMs are known that are added from now on; those that are there stay known by what was good then. */
  async keepRoots(): Promise<void> {
    const { vmTrust } = this.#deps;
    if (vmTrust === undefined || vmTrust.ca === this.#roots || this.#paths === undefined) return;
    const answer =
      (await this.command(`set ssl ca-file ${GROUP_ROOT} <<\n${vmTrust.ca}\n`)) +
      (await this.command(`commit ssl ca-file ${GROUP_ROOT}`));
    if (!answer.includes('Success')) throw new Error(`HAProxy does not take the group's new root: ${answer}`);
    await this.#writeRoots();
    await this.#write('haproxy.cfg', this.#config(this.#paths), 0o600);
  }

  async #writeRoots(): Promise<void> {
    const { vmTrust } = this.#deps;
    if (vmTrust === undefined) return;
    this.#roots = vmTrust.ca;
    await this.#write(GROUP_ROOT, vmTrust.ca);
  }

  #writeCertificate(pair: Pair): Promise<void> {
    return this.#write(CERTIFICATE, asOne(pair), 0o600);
  }

  /** What stands there already needs no room: an HAProxy that died on a full disk is started again all the same. */
  async #write(name: string, text: string, mode?: number): Promise<void> {
    const file = this.#file(name);
    if (textOf(file) !== text) await writeWhole(file, text, mode === undefined ? {} : { mode });
  }

  /** Undefined: none ran here yet, or nobody knows how any more. */
  #read(name: string): HaproxyPaths | undefined {
    try {
      return JSON.parse(textOf(this.#file(name)) ?? '') as HaproxyPaths;
    } catch {
      return undefined;
    }
  }

  /**
   * From now on it takes no new connection, and answers say `Connection: close`. HAProxy's own soft stop would close idle connections
   * at once, on which requests may be on their way.
   */
  async shut(): Promise<void> {
    await this.command(`shutdown frontend ${FRONTEND}`).catch(() => {});
  }

  /** Lets its requests end, then ends it; connections that are idle are kept for `lastRequestsMs`. */
  async stop(lastRequestsMs: number): Promise<void> {
    const pid = await this.#pid();
    if (pid === undefined) return;
    const began = this.#deps.now();
    for (let rested = 0; rested < this.#options.timeouts.closeMs; rested = this.#deps.now() - began) {
      const { connections, requests } = parseInUse(await this.command('show stat -1 3 -1').catch(() => ''));
      if (connections === 0 || (requests === 0 && rested >= lastRequestsMs)) break;
      await sleep(STEP_MS);
    }
    signal(pid, 'SIGKILL');
    const socket = this.#paths?.socket ?? '';
    if (socket !== this.#file('haproxy.sock')) rmSync(dirname(socket), { recursive: true, force: true });
  }

  /** Beside everything else, or, where that path is too long for a socket, in a new folder of its own. */
  #socket(): string {
    const beside = this.#file('haproxy.sock');
    return Buffer.byteLength(beside) <= LONGEST_SOCKET
      ? beside
      : join(mkdtempSync(join(tmpdir(), 'mmeliot-')), 'haproxy.sock');
  }

  /** Asked once more: one that stood still, or got no CPU, may just have gone on. */
  async answersNow(): Promise<boolean> {
    const answer = await haproxyCommand(this.#paths?.socket ?? '', 'show info', NOW_MS).catch(() => '');
    return answer !== '';
  }

  async #pid(): Promise<number | undefined> {
    const info = await this.command('show info').catch(() => '');
    const pid = /^Pid: (\d+)/m.exec(info)?.[1];
    return pid === undefined ? undefined : Number(pid);
  }

  #config(paths: HaproxyPaths): string {
    const { access, vmTrust, corsOrigins = [] } = this.#deps;
    return haproxyConfig(this.#options, paths, {
      corsOrigins,
      ...(vmTrust && { groupRoot: createHash('sha256').update(vmTrust.ca).digest('hex') }),
      ...(access && { signs: true, hasTenants: access.hasTenants, tenantHosts: access.tenantHosts }),
    });
  }

  #file(name: string): string {
    return join(this.#deps.haproxy.folder, name);
  }
}

const asOne = ({ cert, key }: Pair): string => `${cert.trim()}\n${key.trim()}\n`;

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function isOf(pid: number, file: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(file);
  } catch {
    return false; // it has ended, or this is no Linux
  }
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false; // it has ended
  }
}

async function freePort(host: string): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
