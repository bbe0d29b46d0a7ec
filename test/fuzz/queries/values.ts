// What values of parameters and of events say, read as plainly as the standard has it.
import { pick, type Random } from './chance.ts';

/** Microseconds since 1970; what is finer is not told apart. */
export function instant(text: string, offset: 'required' | 'optional' = 'optional'): number | undefined {
  const match = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?$/.exec(text);
  if (match === null || (offset === 'required' && match[4] === undefined)) return undefined;
  const [, day = '', clock = '', fraction = '', zone = 'Z'] = match;
  const seconds = Date.parse(`${day}${clock}Z`) / 1000;
  if (Number.isNaN(seconds) || new Date(seconds * 1000).toISOString().slice(0, 10) !== day) return undefined;
  const minutes = zone === 'Z' ? 0 : Number(`${zone[0]}1`) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4)));
  return (seconds - minutes * 60) * 1e6 + Number(fraction.padEnd(6, '0').slice(0, 6));
}

export const bare = (text: string): string => text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');

export function number(text: string): number | undefined {
  const digits = bare(text);
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(digits)) return undefined;
  return Number.isFinite(Number(digits)) ? Number(digits) : undefined;
}

/** Numbers as people write them (not 05, +5, 1e3 or what a double cannot tell), and times, are equal however they are written. */
function comparable(written: string): string | number {
  const text = bare(written);
  if (text.length > 40) return text;
  if (/^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)) {
    const significant = (text.includes('.') ? text.replace(/0+$/, '') : text).replace(/\D/g, '');
    return significant.length > 15 ? text : Number(text) + 0;
  }
  const time = instant(text, 'required');
  return time === undefined ? text : `at ${time}`;
}
export const equal = (a: string, b: string): boolean => comparable(a) === comparable(b);

export const TESTS = {
  EQ: (a: number, b: number) => a === b,
  GT: (a: number, b: number) => a > b,
  GE: (a: number, b: number) => a >= b,
  LT: (a: number, b: number) => a < b,
  LE: (a: number, b: number) => a <= b,
} as const;
export type Operator = keyof typeof TESTS;
export const OPERATORS = Object.keys(TESTS) as Operator[];
export const ORDERS = ['GT', 'GE', 'LT', 'LE'] as const;

/** A number as one may write it. */
export const written = (random: Random, n: number): string =>
  pick(random, [
    String(n),
    n.toExponential(),
    ` ${n} `,
    Number.isInteger(n) && Math.abs(n) < 1e20 ? `${n}.00` : String(n),
  ]);

export const without = <T>(values: readonly (T | undefined)[]): T[] => values.filter((value) => value !== undefined);
