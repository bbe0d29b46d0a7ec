// The receiver of subscription results.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { canonical, childText, eventsOf, find, parseXml, type Node } from './xml.ts';

const DEADLINE = 60_000;
/** Cases run by the hour or by tens of seconds; they are hurried up where a result is waited for. */
const HURRIED = Array.from({ length: 30 }, (_, n) => n * 2).join(',');

export class Callbacks {
  readonly #server: Server;
  readonly #url: string;
  readonly #received = new Map<string, Node[]>();
  #notify = () => {};

  private constructor(server: Server, url: string) {
    this.#server = server;
    this.#url = url;
  }

  static async listen(host: string): Promise<Callbacks> {
    const server = createServer();
    server.listen(0, host === '127.0.0.1' ? host : '0.0.0.0');
    await once(server, 'listening');
    const callbacks = new Callbacks(server, `http://${host}:${(server.address() as AddressInfo).port}/`);
    server.on('request', (request, response) => {
      const chunks: Uint8Array[] = [];
      request.on('data', (chunk: Uint8Array) => chunks.push(chunk));
      request.on('end', () => {
        callbacks.#receive(Buffer.concat(chunks).toString());
        response.end();
      });
    });
    return callbacks;
  }

  /** The request with our address as its destination (wrong ones are part of their cases and stay). */
  redirect(request: string, hurry: boolean): string {
    const redirected = request.replace(/(<dest>\s*)http:\/\/127\.0\.0\.1:\d+\/\s*/, `$1${this.#url}`);
    if (!hurry) return redirected;
    return redirected.replace(/<schedule>[^]*<\/schedule>/, `<schedule><second>${HURRIED}</second></schedule>`);
  }

  /**
   * What was sent to a subscription, as one answer: results may come in several documents, so it is complete when nothing
   * expected is missing. An event that comes twice is an error in itself.
   */
  async wait(id: string, expected: readonly string[], counts: (event: Node) => boolean): Promise<Node> {
    for (const end = Date.now() + DEADLINE; Date.now() < end;) {
      const answers = this.#received.get(id) ?? [];
      const other = answers.find(({ name }) => name !== 'QueryResults');
      if (other !== undefined) return other;
      const events = answers.flatMap(eventsOf).filter(counts);
      const got = events.map((event) => canonical(event));
      const twice = got.find((event, at) => got.indexOf(event) !== at);
      if (twice !== undefined) throw new Error(`sent twice to subscription ${id}: ${twice}`);
      const [first] = answers;
      if (first !== undefined && expected.every((event) => got.includes(event))) return joined(first, answers);
      await this.#next(end);
    }
    const count = this.#received.get(id)?.length ?? 0;
    throw new Error(`subscription ${id}: ${count} results in ${DEADLINE / 1000} s, without all that is expected`);
  }

  forget(id: string): void {
    this.#received.delete(id);
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  #receive(text: string): void {
    const answer = find(parseXml(text), 'EPCISBody')?.children[0];
    const id = answer && childText(answer, 'subscriptionID');
    if (answer === undefined || id === undefined) return;
    this.#received.set(id, [...(this.#received.get(id) ?? []), answer]);
    this.#notify();
  }

  async #next(end: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, end - Date.now()));
      this.#notify = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function joined(first: Node, answers: readonly Node[]): Node {
  const list: Node = { ...first, name: 'EventList', children: answers.flatMap(eventsOf) };
  return { ...first, children: [list] };
}
