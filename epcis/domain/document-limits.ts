// What a document may be at most; each limit has its sentence.
import { EpcisException } from './exceptions.ts';

export interface DocumentLimits {
  /** Size of the document. */
  readonly bytes: number;
  /** Size of one event or vocabulary element: all that is held in memory at once. */
  readonly itemBytes: number;
  /** Nesting of elements, or of objects and arrays; never above 64 (deeper XML costs the square of its depth). */
  readonly depth: number;
  /** Events and vocabulary elements. */
  readonly items: number;
}

export const DEFAULT_LIMITS: DocumentLimits = {
  bytes: 128 * 1024 * 1024,
  itemBytes: 8 * 1024 * 1024,
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

export const tooLarge = (what: string, limit: number): EpcisException =>
  new EpcisException('CaptureLimitExceededException', `${what}; the limit is ${limit}`);
