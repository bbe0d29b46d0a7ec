// The client's side of an exchange: its request, as rules and VMs get to see it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex, Writable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { AccessRequest } from '../../access/access.ts';
import { subjectIn } from '../../access/subject.ts';
import type { Core, Front } from './core.ts';
import type { VmRequest } from './forwarder.ts';
import type { RestAfter } from './linger.ts';
import { clientOf } from '../core/clients.ts';
import { RestReading } from './rest-reading.ts';
import { requestFields } from '../core/headers.ts';
import type { RequestHead, Way } from '../core/headers.ts';
import type { RequestFacts } from '../core/request-rules.ts';
import type { Upload } from './upload.ts';

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
  /** A proxy of our own, which says who the client is. */
  readonly front: Front | undefined;
  /** The client, for fairness between them (core/clients.ts). */
  readonly sender: string;
  /** Told the bytes that came of an upload; says for how many ms no more should be read. */
  readonly rest: RestAfter;
  /** The same for the bytes that it got of an answer. */
  readonly answerRest: RestAfter;
}

/** Who sent this request, for fairness between clients. */
export function senderOf(core: Core, request: IncomingMessage): string {
  const field = core.front?.clientField;
  const told = field === undefined ? undefined : request.headers[field];
  const address = (typeof told === 'string' ? told : request.socket.remoteAddress) ?? '';
  const forwardedFor = [request.headers['x-forwarded-for'] ?? []].flat().join(',');
  return clientOf({ address, forwardedFor, trusted: core.options.trustForwarded });
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
  /** Who it is that asks, for the VM; undefined: nobody was asked to say. */
  #who: readonly string[] | undefined;
  /** The trace that it belongs to, for the VM; undefined: what the client says. */
  #trace: readonly string[] | undefined;

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

  isFrom(who: readonly string[]): void {
    this.#who = who;
  }

  isTraced(trace: readonly string[]): void {
    this.#trace = trace;
  }

  client(): string {
    const { request, front } = this.#incoming;
    return (front === undefined ? undefined : this.header(front.clientField)) ?? request.socket.remoteAddress ?? '';
  }

  /** What says whose it is. */
  ofWhom(): AccessRequest {
    const authorization = this.header('authorization');
    const certificate = authorization === undefined ? this.#certificate() : undefined;
    return { method: this.method, path: this.path, authorization, certificate, host: this.header('host') };
  }

  /** The subject of its certificate as RFC 2253 writes it, where it showed one that is good. */
  #certificate(): string | undefined {
    const { request, front } = this.#incoming;
    if (front !== undefined) return this.header(front.certificateField);
    const socket = request.socket as Partial<TLSSocket>;
    const subject = socket.authorized === true ? socket.getPeerX509Certificate?.()?.subject : undefined;
    return subject && subjectIn(subject);
  }

  body(): string | undefined {
    return this.#body === undefined ? undefined : (this.#body?.toString('latin1') ?? '');
  }

  hasNoBody(): boolean {
    return this.#body === null;
  }

  /** Whether it comes by itself, and is no larger than this. */
  hasSmallBody(most: number): boolean {
    const { head, expectsContinue } = this.#incoming;
    return this.#body === undefined && !expectsContinue && (head.contentLength ?? Infinity) <= most;
  }

  /** A small body is read before a VM is chosen: a slow client occupies none, and it can be sent again. */
  readBody(done: () => void): void {
    const { request } = this.#incoming;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      this.#body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
      done();
    });
  }

  /** Tells a client that waits for it to send its body. */
  #proceed(): void {
    if (!this.#mustContinue) return;
    this.#mustContinue = false;
    this.#incoming.response.writeContinue();
  }

  /** Its body is still to come: it goes to the VM as it does. */
  isUpload(): boolean {
    return this.#body === undefined;
  }

  /** `passed`: called with each piece that goes on; says for how many ms no more should be read. */
  upload(way: Way, passed: RestAfter): Upload {
    const { contentLength } = this.#incoming.head;
    const framing =
      contentLength === undefined ? ['transfer-encoding', 'chunked'] : ['content-length', String(contentLength)];
    return {
      method: this.method,
      path: this.path,
      fields: [...this.#fieldsForVm(way), ...framing],
      expectsContinue: this.#mustContinue,
      streamTo: (vm) => this.#streamTo(vm, passed),
    };
  }

  #streamTo(vm: Writable, passed: RestAfter): () => void {
    const { request } = this.#incoming;
    this.#proceed();
    let full = false;
    const more = () => (full || reading.rests ? undefined : request.resume());
    const reading = new RestReading(request, more);
    const pass = (piece: Buffer) => {
      full = !vm.write(piece);
      if (full) request.pause();
      const ms = passed(piece.length);
      if (ms > 0) reading.rest(ms);
    };
    const drained = () => {
      full = false;
      more();
    };
    const end = () => vm.end();
    request.on('data', pass).on('end', end);
    vm.on('drain', drained);
    return () => {
      reading.end();
      request.off('data', pass).off('end', end);
      vm.off('drain', drained);
    };
  }

  canBeSentAgain(): boolean {
    return this.#body !== undefined || !this.#incoming.request.readableDidRead;
  }

  /** The request, once its body is here. */
  forVm(way: Way): VmRequest {
    return {
      method: this.method,
      path: this.path,
      headers: this.#fieldsForVm(way),
      body: this.#body ?? null,
      upgrade: this.upgrade?.protocol ?? null,
    };
  }

  #fieldsForVm({ protocol, trusted }: Way): string[] {
    const { head, requestId } = this.#incoming;
    const hop = { clientAddress: this.client(), protocol, requestId, trusted };
    const who = this.#who === undefined ? hop : { ...hop, who: this.#who };
    if (this.#trace === undefined) return (this.#fields ??= requestFields(head, who));
    this.#fields ??= requestFields(head, { ...who, traced: true });
    return [...this.#fields, ...this.#trace];
  }

  /** Whether it is the client's turn to send. */
  isToSend(): boolean {
    const { request } = this.#incoming;
    return !request.complete && !request.isPaused() && request.readableLength === 0;
  }
}
