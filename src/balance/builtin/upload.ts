// A request whose body goes to the VM as it comes: over Node's HTTP client and a connection of its own. The head is sent
// before any of the body, so that a VM can refuse by it; an answer that comes before the body has ended is read, whatever
// becomes of the connection. (undici sends no head before a body, knows no Expect, and loses answers when it can't write.)
import { request as httpRequest } from 'node:http';
import type { ClientRequest as OutgoingRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { Address } from '../../model.ts';
import type { GroupTrust } from '../../tls/group.ts';
import type { GatewayOptions } from '../core/options.ts';
import type { Fields, Line, VmController, VmHandler } from './forwarder.ts';
import { connectToVm } from './vm-socket.ts';

export interface Upload {
  readonly method: string;
  readonly path: string;
  /** Name, value, name, value, ... */
  readonly fields: readonly string[];
  /** The client sends its body only when it is told to: the VM is asked first. */
  readonly expectsContinue: boolean;
  /** Begins to send the body on as it comes; returns what stops that. */
  streamTo(vm: Writable): () => void;
}

/** A VM that says nothing to an Expect for so long (an old one may not know it) gets the body all the same. */
const CONTINUE_MS = 1_000;
const LONGEST_HEAD = 65_536;

export class VmUpload implements VmController, Line {
  #socket!: Socket;
  readonly #upload: Upload;
  readonly #timeouts: GatewayOptions['timeouts'];
  readonly #handler: VmHandler;
  readonly #ended: () => void;
  #request: OutgoingRequest | undefined;
  #answer: IncomingMessage | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stopStreaming: (() => void) | undefined;
  #hungUp = false;
  #over = false;

  constructor(upload: Upload, timeouts: GatewayOptions['timeouts'], handler: VmHandler, ended: () => void) {
    this.#upload = upload;
    this.#timeouts = timeouts;
    this.#handler = handler;
    this.#ended = ended;
  }

  connect(address: Address, trust: GroupTrust | undefined): void {
    this.#handler.onLine(this);
    const { connectMs } = this.#timeouts;
    this.#timer = setTimeout(() => this.abort(new Error(`no connection within ${connectMs} ms`)), connectMs);
    this.#socket = connectToVm(address, trust, () => this.#start());
    this.#socket.on('error', (error) => (this.#request === undefined ? this.abort(error) : undefined));
  }

  pause(): void {
    this.#answer?.pause();
  }

  resume(): void {
    this.#answer?.resume();
  }

  abort(reason: Error): void {
    this.#end(() => this.#handler.onResponseError(this, reason));
  }

  /** What there is of it at the VM is no whole request. */
  hangUp(): void {
    this.#hungUp = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.abort(new Error('the VM does not let go')), this.#timeouts.connectMs);
    this.#stopStreaming?.();
    this.#socket.on('close', () => this.abort(new Error('the VM has let go'))).end();
    // nobody else reads what would be in the way of its end
    if (this.#request === undefined) this.#socket.resume();
  }

  #start(): void {
    clearTimeout(this.#timer);
    try {
      this.#handler.onRequestStart(this);
    } catch {
      return this.hangUp();
    }
    if (this.#over) return;
    try {
      this.#request = this.#send();
    } catch (error) {
      this.abort(error as Error);
      return;
    }
    if (this.#upload.expectsContinue) this.#timer = setTimeout(() => this.#beginBody(), CONTINUE_MS);
    else this.#beginBody();
  }

  #send(): OutgoingRequest {
    const { method, path, fields, expectsContinue } = this.#upload;
    // a VM that keeps the connection reads the rest of a body that it refuses; one that closes it may reset it
    const own = ['connection', 'keep-alive', ...(expectsContinue ? ['expect', '100-continue'] : [])];
    const request = httpRequest({
      method,
      path,
      headers: [...fields, ...own],
      createConnection: () => this.#socket,
      maxHeaderSize: LONGEST_HEAD,
    });
    request
      .on('information', ({ statusCode, headers }) => this.#handler.onResponseStart(this, statusCode, headers))
      .on('continue', () => this.#beginBody())
      .on('response', (answer) => this.#read(answer))
      // an answer tells of its own errors, and comes to its end although the connection failed behind it
      .on('error', (error) => (this.#answer === undefined ? this.abort(error) : undefined));
    this.#socket.setTimeout(this.#timeouts.responseMs).on('timeout', () => this.#silent());
    request.flushHeaders();
    return request;
  }

  #beginBody(): void {
    if (this.#over || this.#hungUp || this.#answer !== undefined || this.#stopStreaming !== undefined) return;
    clearTimeout(this.#timer);
    this.#stopStreaming = this.#upload.streamTo(this.#request as OutgoingRequest);
  }

  #read(answer: IncomingMessage): void {
    this.#answer = answer;
    this.#handler.onResponseStart(this, answer.statusCode ?? 0, fieldsOf(answer.rawHeaders));
    answer.on('data', (chunk: Buffer) => this.#handler.onResponseData(this, chunk));
    answer.on('end', () => this.#end(() => this.#handler.onResponseEnd(this, fieldsOf(answer.rawTrailers))));
    answer.on('error', (error) => this.abort(error));
  }

  /** Nothing went either way: the VM is to blame, unless it waits for the client to send, or the client for more room. */
  #silent(): void {
    const request = this.#request as OutgoingRequest;
    const clientSends = this.#stopStreaming !== undefined && !request.writableEnded && !request.writableNeedDrain;
    if (clientSends || this.#answer?.isPaused() === true) return;
    this.abort(Object.assign(new Error('the VM is silent'), { code: 'ETIMEDOUT' }));
  }

  #end(tell: () => void): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timer);
    this.#stopStreaming?.();
    this.#request?.on('error', () => {}).destroy();
    this.#socket.destroy();
    this.#ended();
    tell();
  }
}

/** Raw fields by their names in small letters; a name that comes again has all its values. */
function fieldsOf(raw: readonly string[]): Fields {
  const fields = Object.create(null) as Record<string, string | string[]>;
  for (let i = 0; i < raw.length; i += 2) {
    const name = (raw[i] as string).toLowerCase();
    const value = raw[i + 1] as string;
    const before = fields[name];
    fields[name] = before === undefined ? value : [before, value].flat();
  }
  return fields;
}
