// An EC2 for tests: the emulator at a pace of milliseconds, its machines being tiny HTTP servers.
import { createServer, type Server } from 'node:http';
import type { Machine } from '../../src/act/local/machine-room.ts';
import { environmentOf, type MachineOrder, type MachineRoom } from '../../ec2/emulator/machine-room.ts';
import { startEmulator, type Emulator, type EmulatorOptions } from '../../ec2/emulator/server.ts';
import { createEc2Provider, type Ec2Options, type Ec2Provider } from '../../ec2/provider.ts';
import { listening } from '../helpers/listening.ts';

export const KEY = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
export const ADMINISTRATOR = {
  accessKeyId: 'AKIAI44QH8DHBEXAMPLE',
  secretAccessKey: 'je7MtGbClwBF/2Zp9Utk/h3yCo8nvbEXAMPLEKEY',
};

/** Milliseconds instead of AWS's seconds. */
export const QUICK = { bootMs: 10, shutdownMs: 20, noticeMs: 400, marketMs: 10 };

/** The SDK finds its login where it always does. */
export function logIn(key: typeof KEY): void {
  process.env['AWS_ACCESS_KEY_ID'] = key.accessKeyId;
  process.env['AWS_SECRET_ACCESS_KEY'] = key.secretAccessKey;
}

/** Machines that answer every request with the environment that their user data makes; `/?late=500` half a second later. */
export class TestRoom implements MachineRoom {
  readonly orders: MachineOrder[] = [];
  readonly killed: string[] = [];
  readonly #servers = new Map<string, Server>();

  async start(order: MachineOrder): Promise<Machine> {
    this.orders.push(order);
    const server = createServer(({ url = '' }, response) => {
      const late = Number(/late=(\d+)/.exec(url)?.[1] ?? 0);
      setTimeout(() => response.end(JSON.stringify(environmentOf(order))), late);
    });
    const port = await listening(server);
    this.#servers.set(order.id, server);
    const end = async (): Promise<void> => {
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    };
    return {
      address: { host: '127.0.0.1', port },
      cpu: async () => (server.listening ? 50 : undefined),
      stop: end,
      kill: () => {
        this.killed.push(order.id);
        return end();
      },
    };
  }
}

export interface TestCloud {
  readonly room: TestRoom;
  readonly emulator: Emulator;
  /** The actions called so far. */
  readonly calls: string[];
  provider(options?: Partial<Ec2Options>, now?: () => number): Ec2Provider;
  stop(): Promise<void>;
}

export async function openCloud(options: Partial<EmulatorOptions> = {}): Promise<TestCloud> {
  const room = new TestRoom();
  const calls: string[] = [];
  const onCall = (action: string) => void calls.push(action);
  const emulator = await startEmulator({ ...KEY, administrator: ADMINISTRATOR, ...QUICK, ...options, onCall }, room);
  const providers: Ec2Provider[] = [];
  logIn(KEY);
  return {
    room,
    emulator,
    calls,
    provider(more, now = Date.now) {
      const where = { region: 'us-east-1', endpoint: emulator.url };
      const what = { group: 'demo', template: 'mmeliot', types: [], subnets: [], environment: {} };
      const provider = createEc2Provider({ ...where, ...what, priceMs: 20, noticeMs: 20, ...more }, now);
      providers.push(provider);
      return provider;
    },
    async stop() {
      await Promise.all(providers.map((provider) => provider.close()));
      await emulator.close();
    },
  };
}
