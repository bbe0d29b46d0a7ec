// What is done with each item between a document's reader and capture.
import type { CaptureItem } from './services.ts';

type Changed = CaptureItem | undefined;

/**
 * The items as `change` gives them back; undefined leaves one out. No generator: one would be over with the first item that is wrong,
 * and with `proceed` reading goes on behind it (`next` is called again after it threw).
 */
export function eachItem(
  items: AsyncIterable<CaptureItem>,
  change: (item: CaptureItem) => Changed | Promise<Changed>,
): AsyncIterable<CaptureItem> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = items[Symbol.asyncIterator]();
      return {
        async next() {
          for (;;) {
            const result = await iterator.next();
            if (result.done === true) return result;
            const changed = change(result.value);
            const value = changed instanceof Promise ? await changed : changed;
            if (value !== undefined) return { done: false, value };
          }
        },
        async return() {
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
