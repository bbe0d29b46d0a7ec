// The client's side of an exchange: its request, as rules and VMs get to see it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { VmRequest } from './forwarder.ts';
import { requestFields } from '../core/headers.ts';
import type { RequestHead } from '../core/headers.ts';
import type { RequestFacts } from '../core/request-rules.ts';

/** A request for another protocol on its connection. */
export interface Upgrade {
  readonly protocol: string;
  readonly socket: Duplex;
  /** What the client sent right behind its request. */
  readonly first: Buffer;
}

export interface Incoming {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly head: RequestHead;
  readonly path: string;
  readonly requestId: string;
  /** The client sends its body only when it is told to (100). */
  readonly expectsContinue: boolean;
  readonly upgrade: Upgrade | undefined;
}

export class ClientRequest implements RequestFacts {
  readonly method: string;
  readonly path: string;
  readonly upgrade: Upgrade | undefined;
  readonly #incoming: Incoming;
  /** Undefined: a stream, or not here yet. */
  #body: Buffer | null | undefined;
  #mustContinue: boolean;
  #fields: string[] | undefined;
  #activeAt = 0;

  constructor(incoming: Incoming) {
    this.#incoming = incoming;
    this.#mustContinue = incoming.expectsContinue;
    this.method = incoming.request.method ?? 'GET';
    this.path = incoming.path;
    this.upgrade = incoming.upgrade;
    const { contentLength, chunked } = incoming.head;
    if (incoming.upgrade !== undefined || (!chunked && (contentLength ?? 0) === 0)) this.#body = null;
  }

  header(name: string): string | undefined {
    const value = this.#incoming.request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  client(): string {
    // undici takes the socket away from a request whose body it has given up
    return (this.#incoming.request.socket as Duplex | null) === null
      ? ''
      : (this.#incoming.request.socket.remoteAddress ?? '');
  }

  body(): string | undefined {
    return this.#body === undefined ? undefined : (this.#body?.toString('latin1') ?? '');
  }

  hasNoBody(): boolean {
    return this.#body === null;
  }

  hasSmallBody(most: number): boolean {
    return this.#body === undefined && (this.#incoming.head.contentLength ?? Infinity) <= most;
  }

  /** A small body is read before a VM is chosen: a slow client occupies none, and it can be sent again. */
  readBody(done: () => void): void {
    const { request } = this.#incoming;
    const chunks: Buffer[] = [];
    this.proceed();
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      this.#body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
      done();
    });
  }

  /** Tells a client that waits for it to send its body. */
  proceed(): void {
    if (!this.#mustContinue) return;
    this.#mustContinue = false;
    this.#incoming.response.writeContinue();
  }

  canBeSentAgain(): boolean {
    return this.#body !== undefined || !this.#incoming.request.readableDidRead;
  }

  forVm(trustForwarded: boolean): VmRequest {
    const { head, request, requestId } = this.#incoming;
    this.#fields ??= requestFields(head, {
      clientAddress: this.client(),
      protocol: 'http',
      requestId,
      trusted: trustForwarded,
    });
    const { method, path } = this;
    if (this.#body !== undefined) {
      return { method, path, headers: this.#fields, body: this.#body, upgrade: this.upgrade?.protocol ?? null };
    }
    const { contentLength } = head;
    const headers =
      contentLength === undefined ? this.#fields : [...this.#fields, 'content-length', String(contentLength)];
    return { method, path, headers, body: request };
  }

  wasActive(now: number): void {
    this.#activeAt = now;
  }

  /** Whether it is the client's turn to send, and it has not for so long. */
  isStalled(now: number, idleMs: number, waitsForVm: boolean): boolean {
    const { request } = this.#incoming;
    if (this.#activeAt === 0 || request.complete || waitsForVm || request.readableLength > 0) this.#activeAt = now;
    return now - this.#activeAt >= idleMs;
  }
}
