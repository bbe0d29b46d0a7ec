// What emulated clouds have in common: the door that clients know, which may be shut, and one where faults are switched on and off.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What can be made to go wrong, each with its value when all is well. */
export interface DoorFaults {
  /** Nobody listens at the clients' door. */
  readonly away: boolean;
}

export interface Doors<Faults> {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly controlPort: number;
  readonly cloud: { faults: Faults };
  readonly noFaults: Faults;
  /** What else can be told at the control door; a sentence refuses, undefined: not that. */
  readonly control?: (path: string, told: unknown) => object | string | undefined;
}

export interface OpenDoors<Faults> {
  readonly port: number;
  readonly controlPort: number;
  readonly setFaults: (faults: Partial<Faults>) => Promise<void>;
  close(): Promise<void>;
}

/** GET shows the faults, POST sets those that it names. */
export async function openDoors<Faults extends DoorFaults>(
  server: Server,
  { host, port: wanted, controlPort: wantedControl, cloud, noFaults, control }: Doors<Faults>,
): Promise<OpenDoors<Faults>> {
  async function setFaults(changes: Partial<Faults>): Promise<void> {
    const was = cloud.faults;
    cloud.faults = { ...was, ...changes };
    if (cloud.faults.away && !was.away) await stop(server);
    if (!cloud.faults.away && was.away) await listen(server, host, port);
  }

  async function controlled(request: IncomingMessage): Promise<object | string> {
    if (request.method !== 'POST') return cloud.faults;
    const said = jsonOf(await bodyOf(request));
    const done = control?.(request.url ?? '', said);
    if (done !== undefined) return done;
    const changes = readFaults(noFaults, said);
    if (typeof changes === 'string') return changes;
    await setFaults(changes);
    return cloud.faults;
  }

  const controlServer = createServer((request, response) => {
    void controlled(request).then((result) => {
      const refused = typeof result === 'string';
      response.writeHead(refused ? 400 : 200, { 'content-type': 'application/json', connection: 'close' });
      response.end(`${JSON.stringify(refused ? { error: result } : result)}\n`);
    });
  });
  const close = async (): Promise<void> => {
    await Promise.all([stop(server), stop(controlServer)]);
  };
  const port = await listen(server, host, wanted);
  try {
    return { port, controlPort: await listen(controlServer, host, wantedControl), setFaults, close };
  } catch (error) {
    await close(); // that port is taken
    throw error;
  }
}

/** Settings that came from outside; a sentence when one is unknown or of the wrong type. */
function readFaults<Faults extends object>(noFaults: Faults, settings: unknown): Partial<Faults> | string {
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings)) return 'Send a JSON object.';
  const known = new Map(Object.entries(noFaults));
  for (const [name, value] of Object.entries(settings)) {
    if (!known.has(name)) return `There is no fault "${name}"; there are ${[...known.keys()].join(', ')}.`;
    const type = typeof known.get(name);
    if (typeof value !== type) return `Fault "${name}" takes a ${type}.`;
  }
  return settings;
}

export async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
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
