// Where the client reached us: a gateway in front of us passes on the Host, and whether it was asked by TLS.
import type { IncomingMessage } from 'node:http';

export function addressOf(request: IncomingMessage, path: string): string {
  const scheme = request.headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  return `${scheme}://${request.headers.host ?? 'localhost'}${path}`;
}
