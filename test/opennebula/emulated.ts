// A cloud for tests: the emulator at a pace of milliseconds, its machines being tiny HTTP servers.
import { createServer, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MachineOrder, MachineRoom } from '../../opennebula/emulator/machine-room.ts';
import type { Machine } from '../../src/act/local/machine-room.ts';
import { startEmulator, type Emulator, type EmulatorOptions } from '../../opennebula/emulator/server.ts';
import { createOpenNebulaProvider, type OpenNebulaOptions } from '../../opennebula/provider.ts';
import { listening } from '../helpers/listening.ts';

export const LOGIN = { user: 'scaler', password: 's3cret&<"pass' };

/** Milliseconds instead of a stock front end's seconds. */
export const QUICK = { schedulingMs: 20, retryMs: 60, prologMs: 10, epilogMs: 20, monitoringMs: 40 };

/** Machines that answer every request with their VM's context; `load` is what they report as CPU. */
export class TestRoom implements MachineRoom {
  readonly orders: MachineOrder[] = [];
  readonly #servers = new Map<number, Server>();
  load = 71;
  /** What they answer with. */
  status = 200;
  /** Machines are there, and nothing listens on them. */
  silent = false;
  /** Requests for /slow wait for it. */
  slow: Promise<void> = Promise.resolve();
  /** VMs that have such requests under way. */
  readonly inFlight = new Set<number>();

  async start(order: MachineOrder): Promise<Machine> {
    this.orders.push(order);
    const server = createServer((request, response) => {
      const answer = () => response.writeHead(this.status).end(JSON.stringify(order.context));
      if (request.url !== '/slow') return void answer();
      this.inFlight.add(order.id);
      void this.slow.then(answer);
    });
    const port = await listening(server);
    this.#servers.set(order.id, server);
    if (this.silent) await this.kill(order.id);
    return {
      address: { host: '127.0.0.1', port },
      cpu: async () => (server.listening || this.silent ? this.load : undefined),
      stop: () => this.kill(order.id),
      kill: () => this.kill(order.id),
    };
  }

  async kill(id: number): Promise<void> {
    const server = this.#servers.get(id);
    if (!server?.listening) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

export interface Cloud {
  readonly room: TestRoom;
  readonly emulator: Emulator;
  /** The methods called so far. */
  readonly calls: string[];
  provider(
    options?: Partial<OpenNebulaOptions>,
    now?: () => number,
    learn?: (secret: string) => void,
  ): ReturnType<typeof createOpenNebulaProvider>;
  stop(): Promise<void>;
}

export async function openCloud(options: Partial<EmulatorOptions> = {}): Promise<Cloud> {
  const room = new TestRoom();
  const calls: string[] = [];
  const onCall = (method: string): void | Promise<void> => {
    calls.push(method);
    return options.onCall?.(method);
  };
  const emulator = await startEmulator({ ...LOGIN, ...QUICK, ...options, onCall }, room);
  const providers: ReturnType<typeof createOpenNebulaProvider>[] = [];
  return {
    room,
    emulator,
    calls,
    provider(more, now = Date.now, learn = () => undefined) {
      const defaults = { ...LOGIN, url: emulator.url, group: 'demo', template: 0, context: {}, monitoringMs: 20 };
      const deps = { now, learn, sleep: async (ms: number) => sleep(Math.min(ms, 50)) };
      const provider = createOpenNebulaProvider({ releaseAgainMs: 100, ...defaults, ...more }, deps);
      providers.push(provider);
      return provider;
    },
    async stop() {
      await Promise.all(providers.map((provider) => provider.close()));
      await emulator.close();
    },
  };
}
