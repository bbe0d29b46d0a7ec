// One request's way: from the client, through admission, to a VM (to another when one fails) and back.
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Verdict } from '../../access/access.ts';
import type { Ticket } from '../core/admission-queue.ts';
import type { Answer, Guest } from '../core/admission.ts';
import { ClientTurn } from '../core/client-turn.ts';
import { answer, later } from './answers.ts';
import type { BuiltInVm, Core } from './core.ts';
import type { LossCause } from '../core/counters.ts';
import { failureOf } from './forwarder.ts';
import type { Failure, Fields, Line, VmController, VmHandler } from './forwarder.ts';
import { ExchangeTrace } from './exchange-trace.ts';
import { ClientRequest } from './incoming.ts';
import type { Incoming } from './incoming.ts';
import { answerBehind } from './linger.ts';
import { FAILED, TOO_LARGE, TOO_SLOW, TURNED_AWAY } from './refusals.ts';
import { ResponseRelay } from './response-relay.ts';
import { isOfAllVms } from '../core/shared-trouble.ts';
import { tunnel } from './tunnel.ts';
import type { VmConnections } from './vm-connections.ts';
import { VmTime } from './vm-time.ts';

const CLIENT_GONE = 'the client has gone';
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

export class Exchange implements Guest<VmConnections>, VmHandler {
  level = 0;
  sender: string;
  tenant = '';
  readonly arrivedAt: number;
  deadline = 0;
  avoid: string | undefined;
  ticket: Ticket<Guest<VmConnections>> | undefined;

  readonly #core: Core;
  readonly #incoming: Incoming;
  readonly #request: ClientRequest;
  readonly #turn: ClientTurn;
  readonly #relay: ResponseRelay;
  readonly #time = new VmTime();
  /** Undefined: nothing is traced. */
  readonly #trace: ExchangeTrace | undefined;
  #safe = false;
  #vm: BuiltInVm | undefined;
  #controller: VmController | undefined;
  #line: Line | undefined;
  /** Its client has gone: how long the VM has to let go of it. */
  #lettingGo: NodeJS.Timeout | undefined;
  #queueMs = 0;
  #attempts = 0;
  /** Those that reached a VM. One that can't be reached is out at once, so these attempts come to an end by themselves. */
  #reached = 0;
  #uploaded = 0;
  /** The class of all that its client asks. */
  #ownClass: string | undefined;
  /** Whether any of it may have reached the VM. */
  #sent = false;
  /** Counted as arrived; counted as ended. */
  #entered = false;
  #ended = false;

  constructor(core: Core, incoming: Incoming) {
    this.#core = core;
    this.#incoming = incoming;
    this.sender = incoming.sender;
    this.#request = new ClientRequest(incoming);
    const { uploadIdleMs: idleMs } = core.options.timeouts;
    this.#turn = new ClientTurn({ idleMs, bytesPerSecond: core.options.limits.bytesPerSecond });
    this.#relay = new ResponseRelay(incoming, core.answerMemory);
    this.arrivedAt = core.deps.now();
    incoming.response.on('close', () => this.#clientGone());
    incoming.response.on('error', ignore);
    // behind these: it ends what nobody else has ended
    const { tracer } = core.deps;
    this.#trace = tracer && new ExchangeTrace(tracer, incoming);
  }

  /** Its body is too large to be read before a VM has it, or may be. */
  get isUpload(): boolean {
    return !this.#request.hasNoBody() && !this.#request.hasSmallBody(this.#core.options.retry.replayBytes);
  }

  start(): void {
    const { access } = this.#core.deps;
    if (access === undefined) return this.#receive();
    const verdict = access.admit(this.#request.ofWhom());
    if (!(verdict instanceof Promise)) return this.#judged(verdict);
    void verdict.then((one) => (this.#incoming.response.destroyed ? undefined : this.#judged(one)));
  }

  #judged(verdict: Verdict): void {
    if ('status' in verdict) {
      const { status, reason, fields } = verdict;
      this.#core.tally.refused++;
      const restMs =
        status === 401 ? this.#core.strangerRates.restAfter(this.#incoming.sender, 1, this.#core.deps.now()) : 0;
      later(restMs, this.#incoming.response, () => this.#answer(status, reason, fields));
      return;
    }
    this.#request.isFrom(verdict.fields);
    if (verdict.identity !== undefined) this.sender = verdict.identity;
    this.tenant = verdict.tenant ?? '';
    this.#ownClass = verdict.requestClass;
    this.#receive();
  }

  /** Reads its body first, where that is small. */
  #receive(): void {
    if (this.#request.hasNoBody()) return this.#enter();
    const { bodyBytes } = this.#core.options.limits;
    if ((this.#incoming.head.contentLength ?? 0) > bodyBytes) {
      this.#core.tally.refused++;
      this.#answer(TOO_LARGE.status, TOO_LARGE.reason(bodyBytes));
      return;
    }
    this.#core.waitingForClient.add(this);
    if (this.#request.hasSmallBody(this.#core.options.retry.replayBytes)) {
      this.#request.readBody(() => (this.#ended ? undefined : this.#enter()));
    } else this.#enter();
  }

  // --- admission
  place(vm: BuiltInVm): void {
    const { deps, tally, way } = this.#core;
    this.#vm = vm;
    this.#sent = false;
    this.#controller = undefined;
    this.#line = undefined;
    const now = deps.now();
    this.#time.begin(now);
    this.#attempts++;
    tally.sentTo(vm.id);
    if (this.#attempts === 1) {
      this.#queueMs = now - this.arrivedAt;
      tally.waited(this.level, this.#queueMs);
    }
    if (this.#trace !== undefined) this.#request.isTraced(this.#trace.sentTo(vm.id));
    if (this.#request.isUpload()) vm.handle.upload(this.#request.upload(way, this.#passed), this);
    else vm.handle.send(this.#request.forVm(way), this);
  }

  readonly #passed = (bytes: number): number => {
    this.#uploaded += bytes;
    if (this.#uploaded > this.#core.options.limits.bodyBytes) this.#turnedOutTooLarge();
    return this.#incoming.rest(bytes);
  };

  turnAway(cause: keyof typeof TURNED_AWAY): void {
    const now = this.#core.deps.now();
    // as long as the queue is now: the wait of the one that has waited longest, 1 to 30 s
    const wait = now - Math.min(this.arrivedAt, this.#core.admission.queue.oldest() ?? now);
    const seconds = Math.min(30, Math.max(1, Math.ceil(wait / 1000)));
    this.#refuse(503, cause, TURNED_AWAY[cause], ['retry-after', String(seconds)]);
  }

  /** A client that sends, or takes, slowly has no slot meanwhile; one that does so too slowly is given up. */
  look(now: number): void {
    const { request } = this.#incoming;
    const taking = this.#relay.waits();
    const itsTurn = taking || (!this.#ended && this.ticket === undefined && this.#request.isToSend());
    const pace = this.#turn.look(request.socket.bytesRead + this.#relay.taken(), itsTurn, now);
    if (pace === 'too-slow') this.#giveUpOnClient();
    else this.#rest(pace === 'slow', now);
    const over = request.complete && !taking && !this.#time.rests;
    if (over) this.#core.waitingForClient.delete(this);
  }

  // --- the VM's side (called by the forwarder)
  onLine(line: Line): void {
    this.#line = line;
  }

  onRequestStart(controller: VmController): void {
    if (this.#ended) throw new Error(CLIENT_GONE);
    this.#sent = true;
    this.#reached++;
    this.#controller = controller;
  }

  onRequestUpgrade(_: VmController, status: number, fields: Fields, vmSocket: Duplex): void {
    const vm = this.#vm;
    const { upgrade } = this.#request;
    if (vm === undefined || upgrade === undefined || this.#ended) {
      vmSocket.destroy();
      this.#leave(undefined);
      return;
    }
    this.#answered(vm, status);
    this.#incoming.response.detachSocket(upgrade.socket as Socket);
    const { admission, streams } = this.#core;
    const shown = this.#request.ofWhom();
    const cut = tunnel(upgrade, status, fields, vmSocket, () => {
      streams?.delete(cut);
      admission.endTunnel(vm, cut);
    });
    vm.tunnels.add(cut);
    streams?.add(cut, shown);
    this.#leave(undefined, false);
  }

  onResponseStart(controller: VmController, status: number, fields: Fields): void {
    if (this.#ended) return controller.abort(new Error(CLIENT_GONE));
    if (status < 200) return this.#relay.inform(status, fields);
    const isTheVms = status === 503 && !isOfAllVms(status, fields);
    const drop = isTheVms && this.#safe && this.#reached < this.#core.options.retry.attempts;
    this.#relay.begin(controller, status, fields, drop, this.#core.namesVm ? this.#vm?.id : undefined);
  }

  onResponseData(_: VmController, chunk: Buffer): void {
    this.#relay.data(chunk);
    if (this.#relay.waits()) this.#core.waitingForClient.add(this);
  }

  onResponseEnd(_: VmController, trailers: Fields): void {
    const vm = this.#vm;
    if (vm === undefined || this.#ended) return;
    // a large body takes as long as its client and the VM let it: that tells nothing of how soon another request is answered
    const saysNothing = this.#request.isUpload() || this.#relay.isOfAllVms();
    const responseMs = saysNothing ? undefined : this.#time.took(this.#core.deps.now());
    if (this.#relay.dropped) {
      this.#leave({ responseMs, error: true });
      if (this.#core.budget.spend()) this.#again(vm);
      else this.#refuse(503, 'error-answer', 'The VM is not ready, and no other could be asked.');
      return;
    }
    this.#deliver(() => {
      this.#relay.end(trailers);
      if (this.#relay.waits()) this.#core.waitingForClient.add(this);
    });
    this.#answered(vm, this.#relay.status);
    this.#leave({ responseMs, error: this.#relay.blamesVm() });
    if (this.#relay.isOfAllVms()) this.#core.tellApart();
  }

  onResponseError(_: VmController | null, error: Error): void {
    const vm = this.#vm;
    if (vm === undefined) return;
    if (this.#ended) return this.#leave(undefined);
    const failure = failureOf(error, this.#sent);
    if (failure !== 'unsendable') {
      this.#core.tally.failedAt(vm.id);
      // one that has answered others since is not silent: this request is what takes it so long
      if (failure !== 'timeout' || vm.lastSignAt <= this.#time.chosenAt)
        this.#core.vmFailed(vm, failure, error.message);
    }
    this.#leave(undefined);
    if (this.#relay.started) {
      this.#lost('cut', 0);
      this.#incoming.response.destroy();
    } else if (this.#canRepeat(failure)) {
      this.#again(vm);
    } else {
      const { status, cause, reason } = FAILED[failure];
      this.#refuse(status, cause, reason);
    }
  }

  // --- steps
  #enter(): void {
    const { options, tally, budget, admission, classify, mayRepeat } = this.#core;
    const own = options.queue.classes.findIndex(({ name }) => name === this.#ownClass);
    this.level = own < 0 ? classify(this.#request) : own;
    this.#safe = SAFE_METHODS.has(this.#request.method) || mayRepeat(this.#request);
    this.deadline = this.arrivedAt + (options.queue.classes[this.level]?.deadline ?? options.queue.deadlineMs);
    this.#entered = true;
    tally.arrivedIn(this.level);
    budget.earn();
    admission.enter(this, this.arrivedAt);
  }

  /** A request that never reached a VM may be repeated; another where that is safe; each only while its body is here. */
  #canRepeat(failure: Failure): boolean {
    if (this.#reached >= this.#core.options.retry.attempts || !this.#request.canBeSentAgain()) return false;
    const repeatable = failure === 'unreachable' || (this.#safe && failure !== 'timeout');
    return repeatable && this.#core.budget.spend();
  }

  #again(failed: BuiltInVm): void {
    this.#core.tally.retried++;
    this.#relay.reset();
    this.avoid = failed.id;
    this.#core.admission.enterAgain(this);
  }

  /** While it is the client's turn its slot is another's. */
  #rest(rests: boolean, now: number): void {
    const vm = this.#vm;
    if (vm === undefined || rests === this.#time.rests) return;
    if (rests) {
      this.#time.rest(now);
      this.#core.admission.rest(this, vm);
    } else {
      this.#time.goOn(now);
      this.#core.admission.goOn(this, vm);
    }
  }

  #leave(result: Answer | undefined, failed = result?.error !== false): void {
    const vm = this.#vm;
    if (vm === undefined) return;
    clearTimeout(this.#lettingGo);
    this.#trace?.left(failed);
    const now = this.#core.deps.now();
    this.#rest(false, now);
    this.#vm = undefined;
    const tookOut = this.#core.admission.leave(this, vm, result, now);
    if (tookOut) this.#core.vmFailed(vm, 'errors', vm.out ?? '');
  }

  // --- ends: each request comes to exactly one
  #answered(vm: BuiltInVm, status: number): void {
    const now = this.#core.deps.now();
    const ms = this.#time.took(now);
    if (status >= 500) {
      this.#core.tally.errorFrom(vm.id);
      return this.#lost(this.#relay.isOfAllVms() ? 'repository' : 'error-answer', status);
    }
    this.#core.tally.answeredBy(vm.id, this.level, ms, now);
    this.#end(status);
  }

  #refuse(status: number, cause: LossCause, reason: string, fields: readonly string[] = []): void {
    if (this.#ended) return;
    this.#lost(cause, status);
    this.#relay.reset();
    this.#answer(status, reason, fields);
  }

  #answer(status: number, reason: string, fields: readonly string[] = []): void {
    const { corsOrigins } = this.#core.deps;
    const named = ['x-request-id', this.#incoming.requestId, ...fields];
    this.#deliver(() => answer(this.#incoming, status, reason, named, corsOrigins));
  }

  /** Ends with an answer; behind a proxy of our own only when the request has ended. */
  #deliver(answer: () => void): void {
    const { request } = this.#incoming;
    if (this.#core.front === undefined || request.complete || this.#request.hasNoBody()) answer();
    else answerBehind(request, this.#incoming.rest, answer);
  }

  /** A body of no announced length. What the VM has of it is no whole request: it is cut off, and not to blame. */
  #turnedOutTooLarge(): void {
    const vm = this.#vm;
    if (vm === undefined || this.#ended) return;
    this.#answered(vm, TOO_LARGE.status);
    this.#leave(undefined);
    this.#controller?.abort(new Error('the body is too large'));
    if (this.#relay.started) this.#incoming.response.destroy();
    else this.#answer(TOO_LARGE.status, TOO_LARGE.reason(this.#core.options.limits.bodyBytes));
  }

  #giveUpOnClient(): void {
    if (this.#ended || this.#relay.started) {
      this.#incoming.response.destroy();
      return;
    }
    if (this.#entered) {
      this.#core.admission.withdraw(this);
      this.#lost('client-gone', TOO_SLOW.status);
      this.#controller?.abort(new Error('the client is too slow'));
      this.#leave(undefined);
    } else {
      this.#core.tally.refused++;
      this.#ended = true;
    }
    this.#relay.reset();
    this.#answer(TOO_SLOW.status, TOO_SLOW.reason);
  }

  #clientGone(): void {
    this.#core.waitingForClient.delete(this);
    if (this.#ended || !this.#entered) return;
    this.#core.admission.withdraw(this);
    this.#lost('client-gone', 0);
    this.#core.abandonedRates.restAfter(this.#incoming.sender, 1, this.#core.deps.now());
    if (this.#vm !== undefined) this.#hangUp();
  }

  /**
   * A VM may have looked neither at the request yet nor at its connection, which waits there whether or not anybody is left. So its
   * slot is taken until the VM lets go: who leaves again and again has no more there than who stays. One that does not look
   * for as long as a connection may take is not waited for.
   */
  #hangUp(): void {
    const giveUp = () => {
      this.#controller?.abort(new Error(CLIENT_GONE));
      this.#leave(undefined);
    };
    const { connectMs } = this.#core.options.timeouts;
    // its answer has begun, so it has looked
    if (this.#relay.status > 0) return giveUp();
    this.#rest(false, this.#core.deps.now());
    this.#lettingGo = setTimeout(giveUp, connectMs).unref();
    if (this.#sent) this.#line?.hangUp();
  }

  #lost(cause: LossCause, status: number): void {
    this.#trace?.lost(cause);
    this.#core.tally.lose(this.level, cause);
    this.#end(status);
  }

  #end(status: number): void {
    const { tally, options } = this.#core;
    this.#ended = true;
    tally.ended();
    const name = options.queue.classes[this.level]?.name ?? '';
    this.#trace?.ended(status, { 'mmeliot.class': name, 'mmeliot.queue_ms': this.#queueMs });
  }
}

function ignore(): void {
  // a client that has gone is seen by its 'close'
}
