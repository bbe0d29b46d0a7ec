// A subscriber's web server: keeps what it is sent and answers as the test says.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listening } from './listening.ts';

export interface Received {
  readonly key: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  readonly requests: Received[];
  /** Default: 204. */
  answer: (response: ServerResponse, request: Received) => void;
  close(): void;
}

export async function startReceiver(): Promise<Receiver> {
  const requests: Received[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const received = { key: String(request.headers['idempotency-key']), headers: request.headers, body };
      requests.push(received);
      receiver.answer(response, received);
    });
  });
  const port = await listening(server);
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    requests,
    answer: (response) => response.writeHead(204).end(),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return receiver;
}
