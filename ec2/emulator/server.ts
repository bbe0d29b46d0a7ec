// The emulated EC2's two doors: the Query API as AWS speaks it, and a small control door for faults and interruptions.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { ACTIONS, tagsAtLaunch } from './actions.ts';
import { Cloud, poolOf, type CloudOptions } from './cloud.ts';
import { readFaults, type Faults } from './faults.ts';
import type { MachineRoom } from './machine-room.ts';
import { permit, type Policy } from './policy.ts';
import { Parameters } from './query.ts';
import { Refusal } from './refusal.ts';
import { signedBy } from './signature.ts';
import { answerXml, errorXml } from './xml.ts';

export interface EmulatorOptions extends CloudOptions {
  /** The access key that `policy` is for. */
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** What it may do; default: everything. */
  readonly policy?: Policy;
  /** A key that may do everything, as the account's administrator. */
  readonly administrator?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly region?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  readonly controlPort?: number;
  /** Called with each action that a client calls. */
  readonly onCall?: (action: string) => void;
}

export interface Emulator {
  /** What ec2.endpoint is set to. */
  readonly url: string;
  /** GET shows the faults, POST {"noCapacity": "*"} sets some; POST /interrupt {"count": 2} takes instances. */
  readonly controlUrl: string;
  readonly cloud: Cloud;
  setFaults(faults: Partial<Faults>): Promise<void>;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
const ALL: Policy = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }] };

export async function startEmulator(options: EmulatorOptions, room: MachineRoom): Promise<Emulator> {
  const cloud = new Cloud(room, options);
  const keys = new Map([[options.accessKeyId, { secret: options.secretAccessKey, policy: options.policy ?? ALL }]]);
  const { administrator, region = 'us-east-1' } = options;
  if (administrator) keys.set(administrator.accessKeyId, { secret: administrator.secretAccessKey, policy: ALL });
  const bucket = { tokens: Infinity, at: Date.now() };

  function answer(request: IncomingMessage, body: string): string {
    const now = Date.now();
    const { method = '', url: path = '', headers } = request;
    const secretOf = (id: string) => (cloud.faults.authLost ? undefined : keys.get(id)?.secret);
    const policy = keys.get(signedBy({ method, path, headers, body }, { region, secretOf, now }))?.policy ?? ALL;
    const parameters = Parameters.ofForm(body);
    const name = parameters.need('Action');
    options.onCall?.(name);
    if (!hasToken(bucket, cloud.faults.callsPerSecond, now))
      throw new Refusal('RequestLimitExceeded', 'Request limit exceeded.', 503);
    const action = ACTIONS[name];
    if (!action) throw new Refusal('InvalidAction', `The action ${name} is not valid for this web service.`);
    for (const use of action.uses?.(cloud, parameters) ?? [{}]) permit(policy, { action: `ec2:${name}`, ...use });
    if (name === 'RunInstances') permit(policy, tagsAtLaunch(parameters));
    if (parameters.get('DryRun') === 'true')
      throw new Refusal('DryRunOperation', 'Request would have succeeded, but DryRun flag is set.', 412);
    return answerXml(name, randomUUID(), action.run(cloud, parameters));
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await read(request);
    while (cloud.faults.hang && !response.destroyed) await delay(20);
    if (cloud.faults.slowMs > 0) await delay(cloud.faults.slowMs);
    let [status, text] = [200, ''];
    try {
      text = answer(request, body);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      [status, text] = [error.status, errorXml(randomUUID(), error.code, error.message)];
    }
    if (cloud.faults.lostAnswer && body.includes('Action=RunInstances')) return void response.destroy();
    response.writeHead(status, { 'content-type': 'text/xml;charset=UTF-8' });
    response.end(cloud.faults.truncated ? text.slice(0, text.length / 2) : text);
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });

  async function setFaults(changes: Partial<Faults>): Promise<void> {
    const was = cloud.faults;
    cloud.faults = { ...was, ...changes };
    if (cloud.faults.away && !was.away) await stop(server);
    if (!cloud.faults.away && was.away) await listen(server, port);
  }

  const control = createServer((request, response) => {
    void (async () => {
      const body = request.method === 'POST' ? json(await read(request)) : undefined;
      const result = await controlled(request.url ?? '', body);
      const refused = typeof result === 'string';
      response.writeHead(refused ? 400 : 200, { 'content-type': 'application/json', connection: 'close' });
      response.end(`${JSON.stringify(refused ? { error: result } : result)}\n`);
    })();
  });

  async function controlled(path: string, body: unknown): Promise<object | string> {
    if (path === '/interrupt')
      return typeof body !== 'object' || body === null ? 'Send a JSON object.' : interrupted(cloud, body);
    const changes = body === undefined ? {} : readFaults(body);
    if (typeof changes === 'string') return changes;
    await setFaults(changes);
    return cloud.faults;
  }

  const close = async (): Promise<void> => {
    await Promise.all([stop(server), stop(control), cloud.close()]);
  };
  let port: number;
  let controlPort: number;
  try {
    port = await listen(server, options.port ?? 0);
    controlPort = await listen(control, options.controlPort ?? 0);
  } catch (error) {
    await close(); // a port is taken
    throw error;
  }
  return {
    url: `http://${HOST}:${port}`,
    controlUrl: `http://${HOST}:${controlPort}/faults`,
    cloud,
    setFaults,
    close,
  };
}

/** As AWS counts: each second `rate` tokens more, of which each call takes one; 0: no limit. */
function hasToken(bucket: { tokens: number; at: number }, rate: number, now: number): boolean {
  if (rate === 0) return true;
  bucket.tokens = Math.min(rate, bucket.tokens + ((now - bucket.at) * rate) / 1000);
  bucket.at = now;
  if (bucket.tokens < 1) return false;
  bucket.tokens -= 1;
  return true;
}

/** `{"count": 2}` takes the two youngest spot instances, `{"pool": "us-east-1a/m3.medium"}` all of a pool, `{"instance": "i-…"}` one. */
function interrupted(cloud: Cloud, wanted: object): object | string {
  const { count = Infinity, pool, instance } = wanted as Readonly<Record<string, unknown>>;
  const chosen = [...cloud.instances.values()]
    .filter(({ spot, state, noticeAt }) => spot && state === 'running' && noticeAt === undefined)
    .filter((each) => pool === undefined || poolOf(each) === pool)
    .filter(({ id }) => instance === undefined || id === instance)
    .reverse()
    .slice(0, Number(count));
  for (const each of chosen) cloud.interrupt(each);
  return { interrupted: chosen.map((each) => ({ instance: each.id, pool: poolOf(each) })) };
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function json(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
