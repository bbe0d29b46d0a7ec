// What is wrong with one event or vocabulary element of a document, where the rest is to be captured, or checked, all the same.
import { eventFaults } from '../domain/event-shape.ts';
import type { EpcisEvent } from '../domain/event.ts';
import { EpcisException } from '../domain/exceptions.ts';
import type { InPieces } from '../domain/in-pieces.ts';
import type { CaptureItem } from '../service/services.ts';

export type OnFault = (fault: EpcisException) => void;

/** Without either the first fault is thrown. */
export interface Faults {
  /** Takes the first fault of each item, and reading goes on. */
  readonly onFault?: OnFault;
  /** Takes all faults, of items and of the document around them, as far as it can be read at all. */
  readonly everyFault?: OnFault;
}

/** Does what may find a fault of the document itself, which ends the reading unless all faults are looked for. */
export function readPart(read: () => void, everyFault: OnFault | undefined): void {
  try {
    read();
  } catch (error) {
    if (everyFault === undefined || !(error instanceof EpcisException) || error.name !== 'ValidationException')
      throw error;
    everyFault(error);
  }
}

/** Reads one item; its fault goes to `onFault`, if there is one. What is wrong with the document as such is always thrown. */
export function* readItem(
  reading: InPieces<CaptureItem>,
  into: CaptureItem[],
  onFault: OnFault | undefined,
): InPieces<void> {
  try {
    into.push(yield* reading);
  } catch (error) {
    const isItsOwn = error instanceof EpcisException && error.name === 'ValidationException';
    if (onFault === undefined || !isItsOwn) throw error;
    onFault(error);
  }
}

/** More would help nobody, and each costs another reading of the item: fewer of a large one (80,000 characters: 50; 1,000,000: 4). */
const MOST_OF_ITEM = 50;
const MOST_CHARACTERS = 4_000_000;

/**
 * Reads one item for all of its faults: what is wrong is taken out and the rest is read again. That something lacks what was taken out of
 * it is no fault, and what is said of the event as a whole counts only where it is about nothing that was taken out.
 */
export function readEveryFault<T>(
  whole: T,
  { read, without, fieldOf, gapOf, size }: FaultSearch<T>,
  into: CaptureItem[],
  onFault: OnFault,
): void {
  let item: T | undefined = whole;
  const out = new Set<string>();
  const told = new Set<string>();
  const gaps = new Set<string>();
  const most = Math.max(1, Math.min(MOST_OF_ITEM, Math.floor(MOST_CHARACTERS / size)));
  for (let n = 0; item !== undefined && n < most; n++) {
    try {
      const done = read(item);
      if (n === 0) into.push(done);
      return;
    } catch (error) {
      if (!(error instanceof EpcisException) || error.name !== 'ValidationException') throw error;
      const event = eventOf(error);
      if (event !== undefined) {
        for (const { rule, reason, about } of eventFaults(event))
          if (!about.some((field) => out.has(field)))
            onFault(new EpcisException(error.name, reason, error.at, { broken: { rule } }));
        return;
      }
      const place = `${error.at} ${error.message}`;
      if (told.has(place)) return;
      told.add(place);
      if (!isGap(error, gaps)) onFault(error);
      out.add(fieldOf(item, error));
      gaps.add(gapOf(item, error));
      item = without(item, error);
    }
  }
}

/** ‘quantityElement lacks epcClass’, where a wrong epcClass was taken out before. */
const isGap = ({ at, reason, broken }: EpcisException, gaps: ReadonlySet<string>): boolean =>
  broken?.rule === 'required' && reason.split(/[^\w]+/).some((name) => gaps.has(`${at} ${name}`));

export interface FaultSearch<T> {
  /** Of the item, in characters. */
  readonly size: number;
  readonly read: (item: T) => CaptureItem;
  /** The item without what the fault is about; undefined where that is all of it. */
  readonly without: (item: T, fault: EpcisException) => T | undefined;
  /** The event's field in which the fault stands. */
  readonly fieldOf: (item: T, fault: EpcisException) => string;
  /** Where something is missing once that is taken out, as a fault tells the place, and its name: `/quantityList/1 epcClass`. */
  readonly gapOf: (item: T, fault: EpcisException) => string;
}

function eventOf({ cause }: EpcisException): EpcisEvent | undefined {
  return typeof cause === 'object' && cause !== null && 'type' in cause ? (cause as EpcisEvent) : undefined;
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
