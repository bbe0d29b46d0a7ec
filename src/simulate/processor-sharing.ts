// One VM at work: its requests share it equally. Each has got the same amount of service since it came, so it is enough
// to keep the amount that everybody got since the VM began, and each request's amount at which it will be done.
// Where they are served in turn it is the same with the amount that the first one got.
import type { Millis } from '../model.ts';
import type { Chance } from './chance.ts';
import { EventQueue } from './event-queue.ts';
import { completionRate, speedAfter, utilization, type VmModel } from './vm-model.ts';

/** What a VM must know of a request. */
export interface Request {
  /** In units of the mean request. */
  readonly work: number;
}

/** An unsteady VM keeps its pace for so long. */
const PACE_MS = 1_000;

export class ProcessorSharing<R extends Request> {
  readonly #model: VmModel;
  readonly #requests = new EventQueue<R>();
  #at: Millis;
  /** Work that each request present since the start would have got. */
  #given = 0;
  /** Where the request ends that came last. */
  #last = 0;
  /** Work done, in mean requests. */
  #done = 0;
  #busyMs = 0;
  readonly #chance: Pick<Chance, 'work'>;
  /** Share of full speed, as of the last change. */
  #speed: number;
  /** Of an unsteady VM: what its speed is multiplied by, and until when. */
  #pace = 1;
  #paceUntil: Millis = -Infinity;
  /** Changes whenever an expected end doesn't hold any more. */
  version = 0;

  constructor(model: VmModel, chance: Pick<Chance, 'work'>, now: Millis) {
    this.#model = model;
    this.#chance = chance;
    this.#at = now;
    this.#speed = this.#speedAt(now);
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

  /** ms that all of the VM was at work, however slow it was because it is new. */
  busyMs(now: Millis): number {
    this.#workUntil(now);
    return this.#busyMs;
  }

  #workUntil(now: Millis): void {
    const count = this.#requests.size;
    const span = now - this.#at;
    this.#at = now;
    if (count === 0 || span === 0) return;
    const work = (this.#speed * completionRate(this.#model, count) * span) / 1000;
    this.#busyMs += utilization(this.#model, count) * span;
    this.#done += work;
    this.#given += work / this.#sharing(count);
    this.#speed = this.#speedAt(now);
  }

  #speedAt(now: Millis): number {
    const { warming, unsteadiness = 0 } = this.#model;
    if (unsteadiness > 0 && now >= this.#paceUntil) {
      this.#pace = this.#chance.work(unsteadiness);
      this.#paceUntil = now + PACE_MS;
    }
    return this.#pace * speedAfter(this.#done, warming);
  }

  /** Among how many the VM divides itself. */
  #sharing(count: number): number {
    return this.#model.inTurn ? 1 : count;
  }
}
