// The emulated front end's two doors: XML-RPC as a real one speaks it, and a small control door for faults.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { bodyOf, openDoors } from '../../src/act/local/emulated-doors.ts';
import { parseXml } from '../xml-parser.ts';
import { decodeCall, encodeAnswer, XmlRpcError, type Answer, type Call, type Fault } from '../documents/xml-rpc.ts';
import { Cloud, type CloudOptions } from './cloud.ts';
import { NO_FAULTS, type Faults } from './faults.ts';
import type { MachineRoom } from './machine-room.ts';
import type { User } from './context.ts';
import { Inventory } from './inventory.ts';
import { METHODS, misfit } from './methods.ts';
import { Refusal } from './refusal.ts';
import { parseTemplate } from './template-text.ts';

export interface EmulatorOptions extends CloudOptions {
  readonly user: string;
  readonly password: string;
  /** Where both doors listen. Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free port. A real front end's is 2633. */
  readonly port?: number;
  readonly controlPort?: number;
  /** VM templates by name, in OpenNebula's language; ids count from 0. Default one, `mmeliot`. */
  readonly templates?: Readonly<Record<string, string>>;
  /** As it is after its installation: an administrator, and a network `private` of his that nobody else may use. */
  readonly empty?: boolean;
  /** Called with each method that a client calls, and awaited before the call is carried out. */
  readonly onCall?: (method: string) => void | Promise<void>;
}

export interface Emulator {
  /** What opennebula.url is set to. */
  readonly url: string;
  /** GET shows the faults, POST {"noCapacity": true} sets some. */
  readonly controlUrl: string;
  readonly cloud: Cloud;
  readonly inventory: Inventory;
  setFaults(faults: Partial<Faults>): Promise<void>;
  /** Takes a template away, as an operator may at any time. */
  deleteTemplate(id: number): void;
  close(): Promise<void>;
}

const TEMPLATE = `CPU="1"
VCPU="1"
MEMORY="512"
DISK=[ IMAGE="base-image", IMAGE_UNAME="oneadmin" ]
NIC=[ NETWORK="private", NETWORK_UNAME="oneadmin" ]
GRAPHICS=[ LISTEN="127.0.0.1", TYPE="VNC" ]
CONTEXT=[ NETWORK="YES", SSH_PUBLIC_KEY="$USER[SSH_PUBLIC_KEY]" ]`;

/** More calls than this at once, and some of them stall. */
const BACKLOG = 15;

export async function startEmulator(options: EmulatorOptions, room: MachineRoom): Promise<Emulator> {
  const cloud = new Cloud(room, options);
  const inventory = inventoryOf(options);
  const { user: name, password } = options;
  const users: User[] = [{ uid: 0, gid: 0, name: 'oneadmin', group: 'oneadmin', password, admin: true }];
  if (!options.empty) users.push({ uid: 2, gid: 1, name, group: 'users', password, admin: false });

  async function answer({ method, params }: Call): Promise<Answer> {
    await options.onCall?.(method);
    const known = METHODS.get(method);
    if (!known) return fault(-506, `Method '${method}' not defined`);
    const wrong = misfit(known, params);
    if (wrong) return fault(-501, wrong);
    const [session, ...rest] = params;
    const user = users.find((each) => session === `${each.name}:${each.password}`);
    try {
      if (!user || cloud.faults.authLost) throw new Refusal(256, "User couldn't be authenticated, aborting call.");
      return { value: [true, await known.run({ cloud, user, users, inventory }, rest), 0] };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { value: [false, `[${method}] ${error.message}`, error.code, error.objectId, -1n] };
    }
  }

  let open = 0;
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('connection', 'close');
    if (request.headers['transfer-encoding']) return void response.writeHead(411).end();
    if (request.method !== 'POST' || request.url !== '/RPC2') return void response.writeHead(404).end();
    const body = await bodyOf(request);
    if (open > BACKLOG) await delay(1_000);
    const call = understand(body);
    const { faults } = cloud;
    while (cloud.faults.hang && !response.destroyed) await delay(50);
    if (faults.slowMs > 0) await delay(faults.slowMs);
    const text = encodeAnswer('method' in call ? await answer(call) : call);
    if (faults.lostAnswer && 'method' in call && call.method === 'one.template.instantiate')
      return void response.destroy();
    response.setHeader('content-type', 'text/xml; charset=utf-8');
    response.end(faults.truncated ? text.slice(0, text.length / 2) : text);
  }

  const server = createServer((request, response) => {
    open++;
    response.on('close', () => open--);
    serve(request, response).catch(() => response.destroy());
  });
  const host = options.host ?? '127.0.0.1';
  const named = host.includes(':') ? `[${host}]` : host;
  const doors = await openDoors(server, {
    ...{ host, port: options.port ?? 0, controlPort: options.controlPort ?? 0 },
    ...{ cloud, noFaults: NO_FAULTS },
  }).catch(async (error: unknown) => {
    await cloud.close();
    throw error;
  });
  return {
    url: `http://${named}:${doors.port}/RPC2`,
    controlUrl: `http://${named}:${doors.controlPort}/faults`,
    cloud,
    inventory,
    setFaults: doors.setFaults,
    deleteTemplate: (id) => inventory.templates.delete(id),
    close: async () => void (await Promise.all([doors.close(), cloud.close()])),
  };
}

/** Everything is oneadmin's; in a cloud that is made ready others may use it. */
function inventoryOf({ empty = false, templates = { mmeliot: TEMPLATE } }: EmulatorOptions): Inventory {
  const inventory = new Inventory();
  const owned = { owner: 0, forOthers: !empty };
  inventory.networks.add((id) => ({ id, name: 'private', ...owned }));
  if (empty) return inventory;
  inventory.images.add((id) => ({ id, name: 'base-image', ...owned }));
  for (const [name, source] of Object.entries(templates)) {
    const attributes = parseTemplate(source);
    if (!attributes) throw new Error(`Template ${name} is not in OpenNebula's template language.`);
    attributes.delete('NAME'); // the template's, not its VMs'
    inventory.templates.add((id) => ({ id, name, attributes, ...owned }));
  }
  return inventory;
}

const fault = (code: number, message: string): { fault: Fault } => ({ fault: { code, message } });

/** The call, or the fault that a body gets which is none. */
function understand(body: Buffer): Call | { fault: Fault } {
  try {
    return decodeCall(parseXml(new TextDecoder('utf-8', { fatal: true }).decode(body)));
  } catch (error) {
    return fault(-503, error instanceof XmlRpcError ? error.message : 'The call is not valid UTF-8.');
  }
}
