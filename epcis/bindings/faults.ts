// What is wrong with one event or vocabulary element of a document, where the rest is to be captured all the same.
import { EpcisException } from '../domain/exceptions.ts';
import type { CaptureItem } from '../service/services.ts';

export type OnFault = (fault: EpcisException) => void;

/** Reads one item; its fault goes to `onFault`, if there is one. What is wrong with the document as such is always thrown. */
export function readItem(read: () => CaptureItem, into: CaptureItem[], onFault: OnFault | undefined): void {
  try {
    into.push(read());
  } catch (error) {
    const isItsOwn = error instanceof EpcisException && error.name === 'ValidationException';
    if (onFault === undefined || !isItsOwn) throw error;
    onFault(error);
  }
}

/**
 * Items of which the wrong ones are thrown, one by one, while reading can go on: `next` may be called again after it threw.
 * (A generator is over when it throws.)
 */
export function goingOn(start: (onFault: OnFault) => AsyncIterable<CaptureItem>): AsyncIterable<CaptureItem> {
  const faults: EpcisException[] = [];
  const items = start((fault) => faults.push(fault))[Symbol.asyncIterator]();
  let waiting: IteratorResult<CaptureItem> | undefined;
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        waiting ??= await items.next();
        const fault = faults.shift();
        if (fault !== undefined) throw fault;
        const result = waiting;
        waiting = undefined;
        return result;
      },
      async return() {
        await items.return?.();
        return { done: true, value: undefined };
      },
    }),
  };
}
