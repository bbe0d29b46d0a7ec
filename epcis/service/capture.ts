// The capture service: a document's items in, committed events out.
import { EpcisException, inShort } from '../domain/exceptions.ts';
import type { CapturedEvent, VocabularyElement } from '../domain/event.ts';
import type { EventRepository, EventWriter } from './repository.ts';
import type { CaptureItem, CaptureResult, CaptureService, Warning } from './services.ts';

/** What is held in memory at a time. */
const BATCH_EVENTS = 500;
const BATCH_CHARACTERS = 4_000_000;
/** A million would help nobody. */
const MOST_WARNINGS = 1000;

export function createCaptureService(repository: EventRepository): CaptureService {
  return {
    capture(items, { errorBehaviour, newIDs = false }) {
      const reader = new BatchReader(items, errorBehaviour);
      return reader.closing(() =>
        errorBehaviour === 'rollback' ? allOrNothing(repository, reader, newIDs) : whatIsValid(repository, reader),
      );
    },
  };
}

/**
 * One transaction. A document of one batch, which most are, is read before the transaction begins and can be written
 * again after a conflict; so a slow client holds no lock. A longer one is written as it arrives: what was read is gone, so a
 * conflict ends it, and nothing is captured.
 */
async function allOrNothing(repository: EventRepository, reader: BatchReader, newIDs: boolean): Promise<CaptureResult> {
  const first = await reader.next();
  let goneOn = false;
  return repository.write(async (writer) => {
    if (goneOn)
      throw new EpcisException(
        'ImplementationException',
        'The document met another change of the repository and was not captured; send it again.',
      );
    const count = new Count();
    for (let batch = first; ; batch = await reader.next()) {
      if (newIDs) await refuseKnownIDs(writer, batch);
      await count.write(writer, batch);
      if (reader.done) return count.result(reader);
      goneOn = true;
    }
  });
}

async function refuseKnownIDs(writer: EventWriter, { events }: Batch): Promise<void> {
  for (const { event } of events) {
    if (event.eventID === undefined || event.errorDeclaration !== undefined) continue;
    if (await writer.holds(event.eventID))
      throw new EpcisException('ResourceAlreadyExistsException', `There is an event '${event.eventID}' already.`);
  }
}

/** A transaction for each batch: what is valid stays, whatever comes later. */
async function whatIsValid(repository: EventRepository, reader: BatchReader): Promise<CaptureResult> {
  const total = new Count();
  while (!reader.done) {
    const batch = await reader.next();
    total.add(
      await repository.write(async (writer) => {
        const count = new Count();
        await count.write(writer, batch);
        return count;
      }),
    );
  }
  return total.result(reader);
}

interface Batch {
  readonly events: readonly CapturedEvent[];
  readonly elements: readonly VocabularyElement[];
}

class Count {
  #events = 0;
  #captured = 0;
  #elements = 0;

  async write(writer: EventWriter, { events, elements }: Batch): Promise<void> {
    this.#events += events.length;
    this.#elements += elements.length;
    if (elements.length > 0) await writer.vocabulary(elements);
    if (events.length > 0) this.#captured += await writer.events(events);
  }

  add(other: Count): void {
    this.#events += other.#events;
    this.#captured += other.#captured;
    this.#elements += other.#elements;
  }

  result({ errors, warnings }: Pick<CaptureResult, 'errors' | 'warnings'>): CaptureResult {
    return {
      captured: this.#captured,
      duplicates: this.#events - this.#captured,
      vocabularyElements: this.#elements,
      errors,
      warnings,
    };
  }
}

/** Cuts the items into batches. With `proceed` a wrong item is noted, and reading goes on where the reader can. */
class BatchReader {
  done = false;
  readonly errors: { type: string; reason: string; at?: string }[] = [];
  readonly warnings: Warning[] = [];
  readonly #items: AsyncIterator<CaptureItem>;
  readonly #goesOn: boolean;

  constructor(items: AsyncIterable<CaptureItem>, errorBehaviour: 'rollback' | 'proceed') {
    this.#items = items[Symbol.asyncIterator]();
    this.#goesOn = errorBehaviour === 'proceed';
  }

  async next(): Promise<Batch> {
    const events: CapturedEvent[] = [];
    const elements: VocabularyElement[] = [];
    for (let characters = 0; events.length + elements.length < BATCH_EVENTS && characters < BATCH_CHARACTERS;) {
      const item = await this.#item();
      if (item === undefined) break;
      if (item.kind === 'event') {
        events.push(item.captured);
        if (item.warnings !== undefined && this.warnings.length < MOST_WARNINGS) this.warnings.push(...item.warnings);
        characters += item.captured.source.text.length;
      } else {
        elements.push(item.element);
        characters += sizeOf(item.element);
      }
    }
    return { events, elements };
  }

  async #item(): Promise<CaptureItem | undefined> {
    for (;;) {
      try {
        const result = await this.#items.next();
        if (!result.done) return result.value;
        this.done = true;
        return undefined;
      } catch (error) {
        if (!this.#goesOn || !(error instanceof EpcisException)) throw error;
        const { name: type, reason, at } = error;
        this.errors.push({ type, reason, ...(at !== undefined && { at: inShort(at) }) });
      }
    }
  }

  /** Whatever happens, the document's reader is told that nobody reads on. */
  async closing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      if (!this.done) await this.#items.return?.();
    }
  }
}

/** In characters, about. */
function sizeOf({ attributes, children }: VocabularyElement): number {
  const texts = [
    ...attributes.map(({ value }) => (typeof value === 'string' ? value : JSON.stringify(value))),
    ...children,
  ];
  return texts.reduce((sum, { length }) => sum + length, 0);
}
