// What a document may be at most; each limit has its sentence.
import { FIELD_KINDS, type FieldName } from './event-shape.ts';
import { EpcisException } from './exceptions.ts';
import { METADATA_FIELDS, REPORT_FIELDS } from './sensor-shape.ts';

export interface DocumentLimits {
  /** Size of the document. */
  readonly bytes: number;
  /** Size of one event or vocabulary element: all that is held in memory at once. */
  readonly itemBytes: number;
  /** What one event or vocabulary element says, counted by `ValueCount`: reading, hashing and indexing cost by that, not by bytes. */
  readonly itemValues: number;
  /** Nesting of elements, or of objects and arrays; never above 64 (deeper XML costs the square of its depth). */
  readonly depth: number;
  /** Events and vocabulary elements. */
  readonly items: number;
}

export const DEFAULT_LIMITS: DocumentLimits = {
  bytes: 128 * 1024 * 1024,
  itemBytes: 8 * 1024 * 1024,
  itemValues: 10_000,
  depth: 64,
  items: 100_000,
};

export const MAX_DEPTH = 64;

/** As `schemaVersion` has it. */
export const isVersion = (text: string): boolean => /^\d+(?:\.\d+)*$/.test(text);

/** Namespaces in force, declarations or `@context`, in characters: every event carries along what it needs of them. */
export const MAX_CONTEXT = 64 * 1024;

/** Of one namespace, in characters: each event that uses it has it with it. */
const MAX_NAMESPACE = 1024;

/** `prefix` is the name that stands for the namespace. */
export function checkNamespace(prefix: string, namespace: string): void {
  if (namespace.length > MAX_NAMESPACE)
    throw tooLarge(`the namespace of ‘${prefix.slice(0, 40)}’ is longer than allowed`, MAX_NAMESPACE);
}

/** What an event of this size may have with it of what its document declares. */
export const mayCarry = (size: number): number => 4096 + 4 * size;

/** What the texts of an event, or of a vocabulary element, of this size may be where each prefix is written out. */
export const mayStandFor = (size: number): number => 4096 + 16 * size;

/**
 * What a value counts, in tenths of one. Lists of many EPCs are what events are about, and of many children what places are: one takes a third
 * of the CPU that a field of an extension does, and nearly all of that in pieces. What a sensor measured, in the standard's own fields, takes
 * half of it, and most in pieces.
 */
export const WORTH = { any: 10, listed: 1, sensed: 3 } as const;

/** In which the values of sensor elements stand. */
const SENSOR_FIELDS: ReadonlySet<string> = new Set([
  ...['sensorMetadata', 'sensorReport'],
  ...Object.keys(METADATA_FIELDS),
  ...Object.keys(REPORT_FIELDS),
]);
export const isSensorField = (name: string): boolean => SENSOR_FIELDS.has(name);

/** Whether an event's, or a vocabulary element's, own field of this name is one. */
export const isLongList = (field: string): boolean =>
  field === 'children' || (Object.hasOwn(FIELD_KINDS, field) && FIELD_KINDS[field as FieldName] === 'epcs');

/** Counts what one event or vocabulary element says: members and items in JSON, elements and attributes in XML. */
export class ValueCount {
  readonly #limit: number;
  #counted = 0;

  constructor(limit: number) {
    this.#limit = limit * WORTH.any;
  }

  /** False where there are too many. */
  add(worth: number = WORTH.any): boolean {
    this.#counted += worth;
    return this.#counted <= this.#limit;
  }

  startAnew(): void {
    this.#counted = 0;
  }
}

export const tooLarge = (what: string, limit: number): EpcisException =>
  new EpcisException('CaptureLimitExceededException', `${what}; the limit is ${limit}`);
