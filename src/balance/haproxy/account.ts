// What came and what became of it. HAProxy's log tells of a request when it ends, and of some never; its own counts tell of the others.
import type { Millis } from '../../model.ts';
import { Tally, type Counters, type LossCause } from '../core/counters.ts';
import { backendOf, type ServerStat } from './runtime.ts';
import type { HaproxyRequest } from './text/log.ts';

export class HaproxyAccount {
  readonly #tally: Tally;
  /** As many requests as are known to have arrived; the log tells of them only when they end. */
  #arrived = 0;
  /** Requests that HAProxy dropped without a line in its log, as far as counted; undefined: as many as it says at first. */
  #unanswered: number | undefined;

  constructor(classes: readonly string[]) {
    this.#tally = new Tally(classes);
  }

  addVm(id: string): void {
    this.#tally.addVm(id);
  }

  deleteVm(id: string): void {
    this.#tally.vms.delete(id);
  }

  /** Requests that have ended. */
  get ended(): number {
    return this.#tally.arrived;
  }

  /** An HAProxy that was started counts from 0. */
  startAnew(): void {
    this.#unanswered = 0;
  }

  /** What was in flight at an HAProxy that is gone. */
  isGone(): void {
    while (this.ended < this.#arrived) this.#lostUnlogged('closed');
  }

  /**
   * What HAProxy says of its servers. What ended while it was asked may be among what it says is in flight: beside that only what had
   * ended before counts.
   */
  look(stats: readonly ServerStat[], endedBefore: number): void {
    const { inFlight, unanswered } = backendOf(stats);
    this.#arrived = Math.max(this.#arrived, endedBefore + inFlight);
    this.#unanswered ??= unanswered;
    // where a VM broke off and it was not the first request of its connection, HAProxy closes that and says nothing
    for (; this.#unanswered < unanswered; this.#unanswered++) this.#lostUnlogged('vm-failed');
  }

  /** A line of its log. */
  tellsOf({ vm, queueMs, serviceMs, level, lost, retries }: HaproxyRequest, now: Millis): void {
    const tally = this.#tally;
    if (lost === 'malformed') {
      tally.refused++;
      return;
    }
    tally.arrivedIn(level);
    tally.ended();
    tally.retried += retries;
    if (vm !== undefined) {
      tally.sentTo(vm);
      tally.waited(level, queueMs);
      if (lost === 'error-answer' || lost === 'repository') tally.errorFrom(vm);
      else if (lost !== undefined && lost !== 'client-gone') tally.failedAt(vm);
    }
    if (lost !== undefined) tally.lose(level, lost);
    else tally.answeredBy(vm ?? '', level, serviceMs, now);
  }

  counters(stats: readonly ServerStat[], now: Millis): Counters {
    const { inFlight, queued } = backendOf(stats);
    const read = this.#tally.read(now, () => 0);
    this.#arrived = Math.max(this.#arrived, read.arrived);
    return { ...read, arrived: this.#arrived, inFlight, queued };
  }

  #lostUnlogged(cause: LossCause): void {
    this.#tally.arrivedIn(0);
    this.#tally.ended();
    this.#tally.lose(0, cause);
  }
}
