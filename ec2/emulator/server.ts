// The emulated EC2's two doors: the Query API as AWS speaks it, and a small control door for faults and interruptions.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { bodyOf, openDoors } from '../../src/act/local/emulated-doors.ts';
import { ACTIONS } from './actions.ts';
import { Cloud, poolOf, type CloudOptions } from './cloud.ts';
import { NO_FAULTS, type Faults } from './faults.ts';
import type { MachineRoom } from './machine-room.ts';
import { permit, type Policy } from './policy.ts';
import { Parameters } from './query.ts';
import { Refusal } from './refusal.ts';
import { tagsAtLaunch } from './run-instances.ts';
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

  const clock = () => Date.now() + cloud.faults.clockMs;

  function answer(request: IncomingMessage, body: string): string {
    const now = clock();
    const { method = '', url: path = '', headers } = request;
    const secretOf = (id: string) => (cloud.faults.authLost ? undefined : keys.get(id)?.secret);
    const policy = keys.get(signedBy({ method, path, headers, body }, { region, secretOf, now }))?.policy ?? ALL;
    if (cloud.faults.loginExpired) throw new Refusal('RequestExpired', 'Request has expired.');
    const parameters = Parameters.ofForm(body);
    const name = parameters.need('Action');
    options.onCall?.(name);
    if (!hasToken(bucket, cloud.faults.callsPerSecond, Date.now()))
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
    const body = (await bodyOf(request)).toString('utf8');
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
    response.writeHead(status, { 'content-type': 'text/xml;charset=UTF-8', date: new Date(clock()).toUTCString() });
    response.end(cloud.faults.truncated ? text.slice(0, text.length / 2) : text);
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });

  const doors = await openDoors(server, {
    ...{ host: HOST, port: options.port ?? 0, controlPort: options.controlPort ?? 0 },
    ...{ cloud, noFaults: NO_FAULTS },
    control: (path, told) => (path === '/interrupt' ? interrupted(cloud, told) : undefined),
  }).catch(async (error: unknown) => {
    await cloud.close();
    throw error;
  });
  return {
    url: `http://${HOST}:${doors.port}`,
    controlUrl: `http://${HOST}:${doors.controlPort}/faults`,
    cloud,
    setFaults: doors.setFaults,
    close: async () => void (await Promise.all([doors.close(), cloud.close()])),
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
function interrupted(cloud: Cloud, wanted: unknown): object | string {
  if (typeof wanted !== 'object' || wanted === null) return 'Send a JSON object.';
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
