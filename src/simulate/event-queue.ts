// What will happen, by time: a binary heap. Events of the same time come in the order they were added.
import type { Millis } from '../model.ts';

interface Event<T> {
  readonly at: Millis;
  readonly order: number;
  readonly what: T;
}

export class EventQueue<T> {
  readonly #heap: Event<T>[] = [];
  #order = 0;

  get size(): number {
    return this.#heap.length;
  }

  /** When the next event is; Infinity without any. */
  get nextAt(): Millis {
    return this.#heap[0]?.at ?? Infinity;
  }

  add(at: Millis, what: T): void {
    const heap = this.#heap;
    const event = { at, order: this.#order++, what };
    let i = heap.length;
    heap.push(event);
    while (i > 0) {
      const parent = (i - 1) >> 1;
      const above = heap[parent] as Event<T>;
      if (!isBefore(event, above)) break;
      heap[i] = above;
      i = parent;
    }
    heap[i] = event;
  }

  /** The next event, out of the queue. */
  take(): T | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined) return undefined;
    if (heap.length > 0) this.#sink(last);
    return first.what;
  }

  #sink(event: Event<T>): void {
    const heap = this.#heap;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Event<T>, heap[child] as Event<T>)) child++;
      if (!isBefore(heap[child] as Event<T>, event)) break;
      heap[i] = heap[child] as Event<T>;
      i = child;
    }
    heap[i] = event;
  }
}

const isBefore = (a: Event<unknown>, b: Event<unknown>): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);
