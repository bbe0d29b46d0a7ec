// Brings a VM's answer to the client: with back-pressure, in one write where it is small, with trailers and 1xx.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnswerMemory } from '../core/answer-memory.ts';
import type { Fields, VmController } from './forwarder.ts';
import type { Incoming } from './incoming.ts';
import { lingerAfter } from './linger.ts';
import type { RestAfter } from './linger.ts';
import { responseFields, VM_FIELD } from '../core/headers.ts';
import { isOfAllVms } from '../core/shared-trouble.ts';

/** Answers up to this size are sent when they are complete: in one write, and repeatable elsewhere until then. */
const WHOLE_BYTES = 16_384;

const BODILESS = new Set([204, 205, 304]);

/** Parsers take its chunks apart and leave what else was done to it, of which no client would be told. */
const isPlain = ({ 'transfer-encoding': coding = 'chunked' }: Fields): boolean =>
  typeof coding === 'string' && coding.toLowerCase() === 'chunked';

const NOT_PLAIN = Object.assign(new Error('its transfer encoding is none that was asked for'), {
  code: 'HPE_INVALID_TRANSFER_ENCODING',
});

export class ResponseRelay {
  status = 0;
  /** The client has got some of the answer: it can't be repeated any more. */
  started = false;
  /** This answer is not for the client. */
  dropped = false;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #requestId: string;
  #vmName: string | undefined;
  #controller: VmController | undefined;
  #fields: Fields = {};
  #held: Buffer[] = [];
  #whole = false;
  #ended = false;
  readonly #memory: AnswerMemory;
  readonly #rest: RestAfter;
  readonly #answerRest: RestAfter;
  /** Bytes of the memory that are held for what the client has not taken. */
  #kept = 0;
  #written = 0;
  #behind = false;
  /** Why the VM was told to wait: the client has not taken enough; it has had enough for now. */
  #full = false;
  #resting: NodeJS.Timeout | undefined;

  constructor({ request, response, requestId, rest, answerRest }: Incoming, memory: AnswerMemory) {
    this.#request = request;
    this.#response = response;
    this.#requestId = requestId;
    this.#rest = rest;
    this.#answerRest = answerRest;
    this.#memory = memory;
  }

  /** 1xx: early hints and "processing" pass; 100 is this gateway's own affair. */
  inform(status: number, fields: Fields): void {
    if (this.started || this.#request.httpVersion === '1.0') return;
    const { link } = fields;
    if (status === 102) this.#response.writeProcessing();
    if (status === 103 && link !== undefined) this.#hint(link);
  }

  #hint(link: string | string[]): void {
    try {
      this.#response.writeEarlyHints({ link });
    } catch {
      // Node takes fewer links than there are: a hint can be done without
    }
  }

  /** `vmName`: the client is told it. */
  begin(controller: VmController, status: number, fields: Fields, drop: boolean, vmName: string | undefined): void {
    if (!isPlain(fields)) return controller.abort(NOT_PLAIN);
    this.status = status;
    this.dropped = drop;
    this.#vmName = vmName;
    this.#controller = controller;
    this.#fields = fields;
    const length = fields['content-length'];
    this.#whole = length !== undefined && Number(length) <= WHOLE_BYTES;
    // An answer of unknown or great length goes on its way after what has come with its head.
    if (!this.#whole && !drop) process.nextTick(ResponseRelay.#flush, this);
  }

  /** A client that doesn't keep up has it kept for it, as far as there is memory; then the VM is told to wait. */
  data(chunk: Buffer): void {
    if (this.dropped) return;
    if (!this.started) {
      this.#held.push(chunk);
      return;
    }
    const response = this.#response;
    this.#written += chunk.length;
    const taken = response.write(chunk);
    const ms = this.#answerRest(chunk.length);
    if (ms > 0) this.#restFor(ms);
    if (taken) return;
    if (this.#memory.grant(this.#kept, response.writableLength)) this.#kept = response.writableLength;
    else {
      this.#full = true;
      this.#controller?.pause();
    }
    if (this.#behind) return;
    this.#behind = true;
    const caughtUp = () => {
      response.off('drain', caughtUp).off('close', caughtUp);
      this.#behind = false;
      this.#full = false;
      this.#memory.grant(this.#kept, 0);
      this.#kept = 0;
      this.#goOn();
    };
    response.on('drain', caughtUp).on('close', caughtUp);
  }

  #restFor(ms: number): void {
    clearTimeout(this.#resting);
    this.#controller?.pause();
    this.#resting = setTimeout(() => {
      this.#resting = undefined;
      this.#goOn();
    }, ms).unref();
  }

  #goOn(): void {
    if (!this.#full && this.#resting === undefined) this.#controller?.resume();
  }

  end(trailers: Fields): void {
    this.#ended = true;
    const response = this.#response;
    if (!this.#request.complete) lingerAfter(this.#request, this.#rest);
    const hasTrailers = hasAny(trailers);
    if (!this.started) {
      const body = this.#held.length === 1 ? (this.#held[0] as Buffer) : Buffer.concat(this.#held);
      const known = this.#fields['content-length'] !== undefined || hasTrailers || !this.#mayHaveBody();
      this.#sendHead(known ? undefined : body.length);
      if (!hasTrailers) {
        // as a string it goes out in one piece with the head
        response.end(body.toString('latin1'), 'latin1');
        return;
      }
      response.write(body);
    }
    if (hasTrailers) response.addTrailers(pairs(responseFields(trailers)));
    response.end();
  }

  /** Ready for another VM's answer. */
  reset(): void {
    this.status = 0;
    this.dropped = false;
    this.#held = [];
    this.#fields = {};
    this.#controller = undefined;
  }

  /** Whether something of it waits for the client. */
  waits(): boolean {
    return this.#response.writableLength > 0;
  }

  /** Bytes that the client has taken. */
  taken(): number {
    return this.#written - this.#response.writableLength;
  }

  /** Whether the VM says that another could not answer either. */
  isOfAllVms(): boolean {
    return isOfAllVms(this.status, this.#fields);
  }

  /** Whether the answer speaks against the VM. A SOAP fault is a 500 too, but an answer to what was asked. */
  blamesVm(): boolean {
    if (this.status !== 500) return this.status > 501 && !this.isOfAllVms();
    return !/xml/.test(String(this.#fields['content-type']));
  }

  static #flush(this: void, relay: ResponseRelay): void {
    if (relay.started || relay.#ended || relay.dropped || relay.status === 0 || relay.#response.destroyed) return;
    relay.#sendHead(undefined);
    const held = relay.#held;
    relay.#held = [];
    if (held.length === 0) relay.#response.flushHeaders();
    for (const chunk of held) relay.data(chunk);
  }

  #sendHead(length: number | undefined): void {
    this.started = true;
    const fields = responseFields(this.#fields.trailer === undefined ? this.#fields : this.#withoutVainTrailer(length));
    fields.push('x-request-id', this.#requestId);
    if (this.#vmName !== undefined) fields.push(VM_FIELD, this.#vmName);
    if (length !== undefined) fields.push('content-length', String(length));
    // The rest of a body that nobody reads any more must not be taken for the next request.
    if (!this.#request.complete) fields.push('connection', 'close');
    try {
      this.#response.writeHead(this.status, fields);
    } catch (error) {
      // Node refuses to write what the VM answered
      this.#controller?.abort(error as Error);
      this.#response.destroy();
    }
  }

  /** Trailers come after chunks only; Node refuses to announce them otherwise. */
  #withoutVainTrailer(length: number | undefined): Fields {
    const known = length !== undefined || this.#fields['content-length'] !== undefined;
    const inChunks = !known && this.#mayHaveBody() && this.#request.httpVersion !== '1.0';
    return inChunks ? this.#fields : { ...this.#fields, trailer: undefined };
  }

  #mayHaveBody(): boolean {
    return this.#request.method !== 'HEAD' && !BODILESS.has(this.status);
  }
}

function pairs(fields: readonly string[]): [string, string][] {
  const result: [string, string][] = [];
  for (let i = 0; i < fields.length; i += 2) result.push([fields[i] as string, fields[i + 1] as string]);
  return result;
}

function hasAny(fields: Fields): boolean {
  for (const _ in fields) return true;
  return false;
}
