// One VM at work: its requests share it equally. Each has got the same amount of service since it came, so it is enough
// to keep the amount that everybody got since the VM began, and each request's amount at which it will be done.
import type { Millis } from '../model.ts';
import { EventQueue } from './event-queue.ts';
import { completionRate, type VmModel } from './vm-model.ts';

export interface Request {
  readonly arrivedAt: Millis;
  /** When a VM took it. */
  seatedAt: Millis;
  /** In units of the mean request. */
  readonly work: number;
  readonly client: number | undefined;
}

export class ProcessorSharing {
  readonly #model: VmModel;
  readonly #requests = new EventQueue<Request>();
  #at: Millis;
  /** Work that each request present since the start would have got. */
  #given = 0;
  /** Work done, in mean requests. */
  #done = 0;
  /** Changes whenever an expected end doesn't hold any more. */
  version = 0;

  constructor(model: VmModel, now: Millis) {
    this.#model = model;
    this.#at = now;
  }

  add(request: Request, now: Millis): void {
    this.#workUntil(now);
    this.#requests.add(this.#given + request.work, request);
    this.version++;
  }

  /** When the next request will be done. Worked: two of work 1 at 10 a second: each gets 5 a second, both end in 200 ms. */
  nextEnd(now: Millis): Millis {
    this.#workUntil(now);
    const count = this.#requests.size;
    if (count === 0) return Infinity;
    const left = Math.max(0, this.#requests.nextAt - this.#given);
    return now + (left * count * 1000) / completionRate(this.#model, count);
  }

  /** The request that ends now, out of the VM. */
  end(now: Millis): Request | undefined {
    this.#workUntil(now);
    this.version++;
    return this.#requests.take();
  }

  /** All requests, out of the VM. */
  all(): readonly Request[] {
    const requests: Request[] = [];
    for (let next = this.#requests.take(); next !== undefined; next = this.#requests.take()) requests.push(next);
    return requests;
  }

  busyMs(now: Millis, best: number): number {
    this.#workUntil(now);
    return (1000 * this.#done) / best;
  }

  #workUntil(now: Millis): void {
    const count = this.#requests.size;
    const work = (completionRate(this.#model, count) * (now - this.#at)) / 1000;
    this.#at = now;
    if (count === 0) return;
    this.#given += work / count;
    this.#done += work;
  }
}
