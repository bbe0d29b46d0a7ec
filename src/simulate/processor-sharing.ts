// One VM at work: its requests share it equally. Each has got the same amount of service since it came, so it is enough
// to keep the amount that everybody got since the VM began, and each request's amount at which it will be done.
import type { Millis } from '../model.ts';
import { EventQueue } from './event-queue.ts';
import { completionRate, speedAfter, type VmModel } from './vm-model.ts';

/** What a VM must know of a request. */
export interface Request {
  /** In units of the mean request. */
  readonly work: number;
}

export class ProcessorSharing<R extends Request> {
  readonly #model: VmModel;
  readonly #requests = new EventQueue<R>();
  #at: Millis;
  /** Work that each request present since the start would have got. */
  #given = 0;
  /** Where the request ends that came last. */
  #last = 0;
  /** Work done, in mean requests, and what would have been done at full speed. */
  #done = 0;
  #used = 0;
  /** Share of full speed, as of the last change. */
  #speed: number;
  /** Changes whenever an expected end doesn't hold any more. */
  version = 0;

  constructor(model: VmModel, now: Millis) {
    this.#model = model;
    this.#at = now;
    this.#speed = speedAfter(0, model.warming);
  }

  add(request: R, now: Millis): void {
    this.#workUntil(now);
    this.#last = (this.#model.inTurn ? Math.max(this.#given, this.#last) : this.#given) + request.work;
    this.#requests.add(this.#last, request);
    this.version++;
  }

  /** When the next request will be done. Worked: two of work 1 at 10 a second: each gets 5 a second, both end in 200 ms. */
  nextEnd(now: Millis): Millis {
    this.#workUntil(now);
    const count = this.#requests.size;
    if (count === 0) return Infinity;
    const left = Math.max(0, this.#requests.nextAt - this.#given);
    return now + (left * this.#sharing(count) * 1000) / (this.#speed * completionRate(this.#model, count));
  }

  /** The request that ends now, out of the VM. */
  end(now: Millis): R | undefined {
    this.#workUntil(now);
    this.version++;
    return this.#requests.take();
  }

  /** All requests, out of the VM. */
  all(): readonly R[] {
    const requests: R[] = [];
    for (let next = this.#requests.take(); next !== undefined; next = this.#requests.take()) requests.push(next);
    return requests;
  }

  /** ms at the VM's best rate: a VM that is slow because it is new is as busy as one at full speed. */
  busyMs(now: Millis, best: number): number {
    this.#workUntil(now);
    return (1000 * this.#used) / best;
  }

  #workUntil(now: Millis): void {
    const count = this.#requests.size;
    const used = (completionRate(this.#model, count) * (now - this.#at)) / 1000;
    this.#at = now;
    if (count === 0) return;
    const work = used * this.#speed;
    this.#used += used;
    this.#done += work;
    this.#given += work / this.#sharing(count);
    this.#speed = speedAfter(this.#done, this.#model.warming);
  }

  /** Among how many the VM divides itself. */
  #sharing(count: number): number {
    return this.#model.inTurn ? 1 : count;
  }
}
