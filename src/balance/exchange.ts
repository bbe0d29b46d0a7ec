// One request's way: from the client, through admission, to a VM (to another when one fails) and back.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Ticket } from './admission-queue.ts';
import type { Guest } from './admission.ts';
import { answer } from './answers.ts';
import type { BuiltInVm, Core } from './core.ts';
import type { LossCause } from './counters.ts';
import { failureOf } from './forwarder.ts';
import type { Failure, VmConnections, VmController, VmHandler, VmRequest } from './forwarder.ts';
import { requestFields, usableRequestId } from './headers.ts';
import type { RequestHead } from './headers.ts';
import type { RequestFacts } from './request-rules.ts';
import { ResponseRelay } from './response-relay.ts';
import { tunnel } from './tunnel.ts';
import type { Upgrade } from './tunnel.ts';

type Fields = Parameters<NonNullable<VmHandler['onResponseStart']>>[2];

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

const REASONS: Record<Failure, { status: number; cause: LossCause; reason: string }> = {
  unreachable: { status: 502, cause: 'vm-failed', reason: 'No VM could be reached with this request.' },
  broken: {
    status: 502,
    cause: 'vm-failed',
    reason: 'The VM broke off before it answered; the request was not repeated because it may have taken effect.',
  },
  timeout: { status: 504, cause: 'timeout', reason: 'The VM did not answer in time.' },
  nonsense: { status: 502, cause: 'vm-failed', reason: 'The VM answered something that is not HTTP.' },
};

const TURNED_AWAY = {
  'queue-full': 'All VMs are busy and too many requests wait already.',
  deadline: 'No VM became free for this request in time.',
  closed: 'The gateway is shutting down.',
};

export class Exchange implements Guest<VmConnections>, RequestFacts {
  level = 0;
  arrivedAt: number;
  deadline = 0;
  avoid: string | undefined;
  ticket: Ticket<Guest<VmConnections>> | undefined;
  readonly method: string;
  readonly path: string;

  readonly #core: Core;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #head: RequestHead;
  readonly #requestId: string;
  readonly #relay: ResponseRelay;
  /** Undefined: a stream, or nothing yet. */
  #body: Buffer | null | undefined;
  #mustContinue = false;
  #upgrade: Upgrade | undefined;
  #safe = false;
  #fields: string[] | undefined;
  #vm: BuiltInVm | undefined;
  #controller: VmController | undefined;
  #chosenAt = 0;
  #queueMs = 0;
  #attempts = 0;
  #sent = false;
  #entered = false;
  #ended = false;
  #clientActiveAt: number;

  constructor(core: Core, request: IncomingMessage, response: ServerResponse, head: RequestHead, path: string) {
    this.#core = core;
    this.#request = request;
    this.#response = response;
    this.#head = head;
    this.path = path;
    this.method = request.method ?? 'GET';
    this.arrivedAt = core.deps.now();
    this.#clientActiveAt = this.arrivedAt;
    this.#requestId = usableRequestId(head.requestId) ?? core.nextRequestId();
    this.#relay = new ResponseRelay(request, response, this.#requestId);
    response.on('close', () => this.#clientGone());
    response.on('error', ignore);
  }

  /** A request for another protocol on this connection: `socket`, where `first` has been read already. */
  startUpgrade(protocol: string, socket: Duplex, first: Buffer): void {
    this.#upgrade = { protocol, socket, first };
    this.#body = null;
    this.#enter();
  }

  start(expectsContinue: boolean): void {
    const { contentLength, chunked } = this.#head;
    this.#mustContinue = expectsContinue;
    if (!chunked && (contentLength === undefined || contentLength === 0)) {
      this.#body = null;
      this.#enter();
    } else if (contentLength !== undefined && contentLength <= this.#core.options.retry.replayBytes) {
      this.#readBody();
    } else {
      this.#core.waitingForClient.add(this);
      this.#enter();
    }
  }

  // --- what rules ask
  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  client(): string {
    return this.#request.socket?.remoteAddress ?? '';
  }

  body(): string | undefined {
    return this.#body === undefined ? undefined : (this.#body?.toString('latin1') ?? '');
  }

  // --- admission
  place(vm: BuiltInVm): void {
    const { deps, tally } = this.#core;
    this.#vm = vm;
    this.#sent = false;
    this.#controller = undefined;
    this.#chosenAt = deps.now();
    this.#attempts++;
    const counters = tally.vms.get(vm.id);
    if (counters !== undefined) counters.sent++;
    if (this.#attempts === 1) {
      this.#queueMs = this.#chosenAt - this.arrivedAt;
      tally.waited(this.level, this.#queueMs);
    }
    this.#proceed();
    vm.handle.dispatch(this.#vmRequest(), this);
  }

  turnAway(cause: 'queue-full' | 'deadline' | 'closed'): void {
    const oldest = this.#core.admission.queue.oldest() ?? this.arrivedAt;
    const seconds = Math.min(30, Math.max(1, Math.ceil((this.#core.deps.now() - oldest) / 1000)));
    this.#fail(503, cause, TURNED_AWAY[cause], ['retry-after', String(seconds)]);
  }

  /** A client that neither sends what it announced nor takes what it asked for must not keep a VM busy. */
  cutOffIfStalled(now: number): void {
    const { uploadIdleMs } = this.#core.options.timeouts;
    const notTaking = this.#relay.stalledSince(now);
    if (notTaking !== undefined) {
      if (now - notTaking >= uploadIdleMs) this.#response.destroy();
    } else if (this.#request.complete) {
      this.#core.waitingForClient.delete(this);
    } else if (this.ticket !== undefined || this.#request.readableLength > 0) {
      // it waits for a VM, or the VM for nobody but itself
      this.#clientActiveAt = now;
    } else if (now - this.#clientActiveAt >= uploadIdleMs) {
      this.#response.destroy();
    }
  }

  // --- the VM's side (called by the forwarder)
  onRequestStart(controller: VmController): void {
    this.#sent = true;
    this.#controller = controller;
    if (this.#ended) controller.abort(new Error('the client has gone'));
  }

  onBodySent(): void {
    this.#clientActiveAt = this.#core.deps.now();
  }

  onResponseStart(controller: VmController, status: number, fields: Fields): void {
    if (status < 200) return this.#relay.inform(status, fields);
    const drop = status === 503 && this.#safe && this.#attempts < this.#core.options.retry.attempts;
    this.#relay.begin(controller, status, fields, drop);
  }

  onRequestUpgrade(_: VmController, status: number, fields: Fields, vmSocket: Duplex): void {
    const vm = this.#vm;
    if (vm === undefined || this.#upgrade === undefined || this.#ended) {
      vmSocket.destroy();
      return;
    }
    const ms = this.#core.deps.now() - this.#chosenAt;
    this.#finish(status, ms);
    this.#core.tally.answeredBy(vm.id, this.level, ms);
    this.#response.detachSocket(this.#upgrade.socket as Socket);
    const cut = tunnel(this.#upgrade, status, fields, vmSocket, () => {
      this.#core.admission.endTunnel(vm, cut);
    });
    vm.tunnels.add(cut);
    this.#leave(undefined);
  }

  onResponseData(_: VmController, chunk: Buffer): void {
    if (!this.#relay.data(chunk)) this.#core.waitingForClient.add(this);
  }

  onResponseEnd(_: VmController, trailers: Fields): void {
    const vm = this.#vm;
    if (vm === undefined || this.#ended) return;
    const now = this.#core.deps.now();
    const ms = now - this.#chosenAt;
    const { status } = this.#relay;
    if (this.#relay.dropped) {
      this.#leave({ responseMs: ms, error: true });
      if (this.#core.budget.spend()) return this.#again(vm);
      return this.#fail(503, 'error-answer', 'The VM is not ready, and no other could be asked.');
    }
    this.#relay.end(trailers);
    this.#finish(status, ms);
    if (status < 500) this.#core.tally.answeredBy(vm.id, this.level, ms);
    else this.#lose('error-answer');
    this.#leave({ responseMs: ms, error: this.#relay.blamesVm() });
  }

  onResponseError(_: VmController | null, error: Error): void {
    const vm = this.#vm;
    if (vm === undefined || this.#ended) return;
    if (error === this.#request.errored) return this.#clientGone();
    const failure = failureOf(error, this.#sent);
    const counters = this.#core.tally.vms.get(vm.id);
    if (counters !== undefined) counters.failed++;
    this.#core.vmFailed(vm, failure, error.message);
    this.#leave(undefined);
    this.avoid = vm.id;
    if (this.#relay.started) {
      this.#lose('cut');
      this.#finish(0, 0);
      this.#response.destroy();
    } else if (this.#canRepeat(failure)) {
      this.#again(vm);
    } else {
      const { status, cause, reason } = REASONS[failure];
      this.#fail(status, cause, reason);
    }
  }

  // --- steps
  /** A small body is read before a VM is chosen: a slow client occupies none, and it can be sent again. */
  #readBody(): void {
    const chunks: Buffer[] = [];
    this.#core.waitingForClient.add(this);
    this.#proceed();
    this.#request.on('data', (chunk: Buffer) => chunks.push(chunk));
    this.#request.on('end', () => {
      this.#core.waitingForClient.delete(this);
      this.#body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
      this.#enter();
    });
  }

  #enter(): void {
    const { options, tally, budget, admission, classify, mayRepeat } = this.#core;
    this.level = classify(this);
    this.#safe = SAFE_METHODS.has(this.method) || mayRepeat(this);
    this.deadline = this.arrivedAt + (options.queue.classes[this.level]?.deadlineMs ?? options.queue.deadlineMs);
    this.#entered = true;
    tally.arrivedIn(this.level);
    tally.inFlight++;
    budget.earn();
    admission.enter(this, this.arrivedAt);
  }

  #vmRequest(): VmRequest {
    this.#fields ??= requestFields(this.#head, {
      clientAddress: this.client(),
      protocol: 'http',
      requestId: this.#requestId,
      trusted: this.#core.options.trustForwarded,
    });
    const { contentLength } = this.#head;
    if (this.#body !== undefined) {
      const upgrade = this.#upgrade?.protocol ?? null;
      return { method: this.method, path: this.path, headers: this.#fields, body: this.#body, upgrade };
    }
    const headers =
      contentLength === undefined ? this.#fields : [...this.#fields, 'content-length', String(contentLength)];
    return { method: this.method, path: this.path, headers, body: this.#request };
  }

  /** Tells a client that waits for it to send its body. */
  #proceed(): void {
    if (!this.#mustContinue) return;
    this.#mustContinue = false;
    this.#response.writeContinue();
  }

  /** A request that never reached a VM may be repeated; another only where that is safe and its body is still here. */
  #canRepeat(failure: Failure): boolean {
    if (this.#attempts >= this.#core.options.retry.attempts) return false;
    if (this.#body === undefined && this.#request.readableDidRead) return false;
    const repeatable = failure === 'unreachable' || (this.#safe && failure !== 'timeout');
    return repeatable && this.#core.budget.spend();
  }

  #again(failed: BuiltInVm): void {
    this.#core.tally.retried++;
    this.#relay.reset();
    this.avoid = failed.id;
    this.#core.admission.enterAgain(this);
  }

  #fail(status: number, cause: LossCause, reason: string, fields: readonly string[] = []): void {
    if (this.#ended) return;
    this.#core.waitingForClient.delete(this);
    this.#lose(cause);
    this.#finish(status, 0);
    answer(this.#request, this.#response, status, reason, ['x-request-id', this.#requestId, ...fields]);
  }

  #clientGone(): void {
    this.#core.waitingForClient.delete(this);
    if (this.#ended || !this.#entered) return;
    this.#core.admission.withdraw(this);
    this.#lose('client-gone');
    this.#finish(0, 0);
    this.#controller?.abort(new Error('the client has gone'));
    if (this.#vm !== undefined) this.#leave(undefined);
  }

  #leave(result: { responseMs: number; error: boolean } | undefined): void {
    const vm = this.#vm;
    if (vm === undefined) return;
    this.#vm = undefined;
    const tookOut = this.#core.admission.leave(vm, result, this.#core.deps.now());
    if (tookOut) this.#core.vmFailed(vm, 'errors', vm.out ?? '');
  }

  #lose(cause: LossCause): void {
    this.#core.tally.lose(this.level, cause);
  }

  #finish(status: number, serviceMs: number): void {
    const { deps, tally, options } = this.#core;
    this.#ended = true;
    tally.inFlight--;
    deps.onSample?.({
      at: deps.now(),
      vm: this.#vm?.id ?? this.avoid,
      class: options.queue.classes[this.level]?.name ?? '',
      status,
      queueMs: this.#queueMs,
      serviceMs,
    });
  }
}

function ignore(): void {
  // a client that has gone is seen by its 'close'
}
