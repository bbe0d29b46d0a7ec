// The metadata service of one instance, version 2: nothing without a token, which is had by PUT.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Metadata {
  readonly url: string;
  close(): Promise<void>;
}

export interface MetadataView {
  readonly id: string;
  readonly type: string;
  readonly zone: string;
  readonly spot: boolean;
  readonly userData: string;
  /** When the instance will be taken, if there is a notice that this service knows of. */
  readonly notice: () => number | undefined;
}

const TTL = 'x-aws-ec2-metadata-token-ttl-seconds';
const LONGEST_S = 21_600;

export async function startMetadata(view: MetadataView, host: string, port = 0): Promise<Metadata> {
  const tokens = new Map<string, number>();
  const server = createServer((request, response) => {
    response.setHeader('connection', 'close');
    serve(request, response);
  });

  function serve(request: IncomingMessage, response: ServerResponse): void {
    const end = (status: number, text = ''): void => void response.writeHead(status).end(text);
    if (request.headers['x-forwarded-for'] !== undefined) return end(403);
    if (request.url === '/latest/api/token') {
      const seconds = Number(request.headers[TTL]);
      if (request.method !== 'PUT') return end(405);
      if (!(seconds >= 1 && seconds <= LONGEST_S)) return end(400);
      const token = randomUUID();
      tokens.set(token, Date.now() + seconds * 1000);
      response.setHeader(TTL, seconds);
      return end(200, token);
    }
    if (!((tokens.get(String(request.headers['x-aws-ec2-metadata-token'])) ?? 0) > Date.now())) return end(401);
    if (request.method !== 'GET') return end(405);
    const text = document(request.url ?? '');
    return text === undefined ? end(404) : end(200, text);
  }

  function document(path: string): string | undefined {
    const at = view.notice();
    const time = at === undefined ? undefined : `${new Date(at).toISOString().slice(0, 19)}Z`;
    return {
      '/latest/user-data': view.userData,
      '/latest/meta-data/instance-id': view.id,
      '/latest/meta-data/instance-type': view.type,
      '/latest/meta-data/instance-life-cycle': view.spot ? 'spot' : 'on-demand',
      '/latest/meta-data/placement/availability-zone': view.zone,
      '/latest/meta-data/spot/termination-time': time,
      '/latest/meta-data/spot/instance-action': time && JSON.stringify({ action: 'terminate', time }),
    }[path];
  }

  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  return { url: `http://${host}:${(server.address() as AddressInfo).port}`, close: () => closed(server) };
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
