// Requests that wait for a VM, in order of importance. Knows no HTTP and no VM: it keeps order, bounds and deadlines.
import type { Millis } from '../../model.ts';

/** A waiting request's ticket. */
export interface Ticket<T> {
  readonly item: T;
  /** Its class, 0 the most important. */
  readonly level: number;
  readonly arrivedAt: Millis;
  readonly deadline: Millis;
  /** Only certain VMs may take it: those are placed before all others. */
  readonly pinned: boolean;
  waiting: boolean;
  before: Ticket<T> | undefined;
  after: Ticket<T> | undefined;
}

export interface QueueOptions {
  /** How many classes there are. */
  readonly levels: number;
  /** How many may wait, all classes together. */
  readonly capacity: number;
  /** A request that has waited this long moves up one level, and again after as long. */
  readonly promoteAfterMs: number;
}

/** First in, first out; two lists a class, the pinned and the others, so that neither blocks the other. */
class Line<T> {
  readonly level: number;
  first: Ticket<T> | undefined;
  last: Ticket<T> | undefined;

  constructor(level: number) {
    this.level = level;
  }

  /** In the order of arrival: at the end, save for a request that comes back after a VM failed it. */
  insert(ticket: Ticket<T>): void {
    let before = this.last;
    while (before !== undefined && before.arrivedAt > ticket.arrivedAt) before = before.before;
    const after = before === undefined ? this.first : before.after;
    ticket.before = before;
    ticket.after = after;
    if (before === undefined) this.first = ticket;
    else before.after = ticket;
    if (after === undefined) this.last = ticket;
    else after.before = ticket;
  }

  remove(ticket: Ticket<T>): void {
    if (ticket.before === undefined) this.first = ticket.after;
    else ticket.before.after = ticket.after;
    if (ticket.after === undefined) this.last = ticket.before;
    else ticket.after.before = ticket.before;
    ticket.before = undefined;
    ticket.after = undefined;
  }
}

export class AdmissionQueue<T> {
  readonly #options: QueueOptions;
  /** Two a class: [level × 2] the unpinned, [level × 2 + 1] the pinned. */
  readonly #lines: Line<T>[] = [];
  readonly #sizes: number[];
  #size = 0;

  constructor(options: QueueOptions) {
    this.#options = options;
    for (let level = 0; level < options.levels; level++) this.#lines.push(new Line(level), new Line(-1));
    this.#sizes = new Array<number>(options.levels).fill(0);
  }

  get size(): number {
    return this.#size;
  }

  /** How many of one class wait. */
  sizeOf(level: number): number {
    return this.#sizes[level] ?? 0;
  }

  /** When the longest waiting request came. */
  oldest(): Millis | undefined {
    let oldest: Millis | undefined;
    for (const { first } of this.#lines) {
      if (first !== undefined && (oldest === undefined || first.arrivedAt < oldest)) oldest = first.arrivedAt;
    }
    return oldest;
  }

  /**
   * Lets a request wait. When the queue is full the newest of the least important class has to go: another's
   * ticket (`displaced`), or, when none is less important than the new one, the new one itself (no `ticket`).
   */
  offer(
    item: T,
    level: number,
    arrivedAt: Millis,
    deadline: Millis,
    pinned = false,
  ): { ticket?: Ticket<T>; displaced?: Ticket<T> } {
    let displaced: Ticket<T> | undefined;
    if (this.#size >= this.#options.capacity) {
      displaced = this.#leastImportant(level);
      if (displaced === undefined) return {};
      this.remove(displaced);
    }
    return { ticket: this.putBack(item, level, arrivedAt, deadline, pinned), ...(displaced && { displaced }) };
  }

  /** Lets a request wait that had been admitted before: it keeps its place by its time of arrival. */
  putBack(item: T, level: number, arrivedAt: Millis, deadline: Millis, pinned = false): Ticket<T> {
    const ticket = { item, level, arrivedAt, deadline, pinned, waiting: true, before: undefined, after: undefined };
    this.#line(ticket).insert(ticket);
    this.#size++;
    this.#sizes[level] = this.sizeOf(level) + 1;
    return ticket;
  }

  /**
   * The next request to serve, out of the queue; undefined when none can be placed. The most important first:
   * by level, counting promotions, then by how long it has been on that level. `placeable` tells whether a
   * VM can take the request now; it is asked about the first of each class only.
   */
  take(now: Millis, placeable: (item: T) => boolean): T | undefined {
    let best: Ticket<T> | undefined;
    let bestLevel = Infinity;
    let bestSince = Infinity;
    for (const line of this.#lines) {
      const first = line.first;
      if (first === undefined) continue;
      const [level, since] = this.#standing(line.level, first.arrivedAt, now);
      if (level > bestLevel || (level === bestLevel && since >= bestSince)) continue;
      if (!placeable(first.item)) continue;
      best = first;
      bestLevel = level;
      bestSince = since;
    }
    if (best === undefined) return undefined;
    this.remove(best);
    return best.item;
  }

  /** Takes a request out whose client has gone. Asking twice is no error. */
  remove(ticket: Ticket<T>): boolean {
    if (!ticket.waiting) return false;
    ticket.waiting = false;
    this.#line(ticket).remove(ticket);
    this.#size--;
    this.#sizes[ticket.level] = this.sizeOf(ticket.level) - 1;
    return true;
  }

  /** All requests whose deadline has passed, out of the queue. */
  expire(now: Millis): T[] {
    const expired: T[] = [];
    for (const line of this.#lines) {
      for (let ticket = line.first; ticket !== undefined;) {
        const next: Ticket<T> | undefined = ticket.after;
        if (ticket.deadline <= now && this.remove(ticket)) expired.push(ticket.item);
        ticket = next;
      }
    }
    return expired;
  }

  /**
   * Level and since when, promotions counted. Pinned requests start at −1, before every class; waiting lifts the
   * others there too, one level each `promoteAfterMs`, so nothing starves.
   * Example: class 2, promotion after 5 s, waiting for 11 s: level 0, since 1 s.
   */
  #standing(level: number, arrivedAt: Millis, now: Millis): [level: number, since: Millis] {
    const { promoteAfterMs } = this.#options;
    const promotions = Math.min(level + 1, Math.max(0, Math.floor((now - arrivedAt) / promoteAfterMs)));
    return [level - promotions, arrivedAt + promotions * promoteAfterMs];
  }

  #line(ticket: Ticket<T>): Line<T> {
    return this.#lines[ticket.level * 2 + (ticket.pinned ? 1 : 0)] as Line<T>;
  }

  #leastImportant(than: number): Ticket<T> | undefined {
    for (let level = this.#options.levels - 1; level > than; level--) {
      const unpinned = this.#lines[level * 2]?.last;
      const pinned = this.#lines[level * 2 + 1]?.last;
      if (unpinned !== undefined || pinned !== undefined) return unpinned ?? pinned;
    }
    return undefined;
  }
}
