// Values of query parameters, read strictly: what is no time or number is a QueryParameterException.
import { EpcisException } from '../domain/exceptions.ts';
import type { Comparison } from './criteria.ts';
import type { Operator } from './queryable-numbers.ts';
import { numberOf, timeOf } from './text-values.ts';

export const COMPARISONS: Readonly<Record<Operator, Comparison>> = { EQ: '=', GT: '>', GE: '>=', LT: '<', LE: '<=' };

export function wrongValue(name: string, value: string, wanted: string): EpcisException {
  const shown = value.length > 60 ? `${value.slice(0, 60)}…` : value;
  return new EpcisException('QueryParameterException', `${name} takes ${wanted}, not '${shown}'.`);
}

/** Microseconds since 1970. A time without an offset (1.x) is UTC. */
export function readTime(name: string, value: string): number {
  const time = timeOf(value, 'optional');
  if (time === undefined) throw wrongValue(name, value, 'a date and time (ISO 8601)');
  return time;
}

export function readNumber(name: string, value: string): number {
  const number = numberOf(value);
  if (number === undefined) throw wrongValue(name, value, 'a number');
  return number;
}

export function readWhole(name: string, value: string, least: number): number {
  const number = readNumber(name, value);
  if (!Number.isSafeInteger(number) || number < least) throw wrongValue(name, value, `a whole number from ${least}`);
  return number;
}

/** The part of a name that the pattern's group caught. */
export function group(match: RegExpExecArray, name: string): string {
  return match.groups?.[name] ?? '';
}
