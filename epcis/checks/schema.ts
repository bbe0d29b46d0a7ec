// What a schema of either kind says of the fields of its namespace at one place of an event.
import type { Field } from '../domain/event.ts';

export interface FieldFault {
  /** Within the place. */
  readonly pointer: string;
  /** No full stop at its end. */
  readonly reason: string;
}

export type Schema = (fields: readonly Field[], format: 'json' | 'xml') => readonly FieldFault[] | 'too slow';
