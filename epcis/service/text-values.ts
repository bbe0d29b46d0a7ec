// Texts, numbers and times as query parameters and extension fields write them.
import { parseTime } from '../domain/time.ts';
import { trimmed } from '../domain/white-space.ts';

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const PLAIN = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** Undefined unless the whole text is a decimal number. */
export function numberOf(text: string): number | undefined {
  const digits = trimmed(text);
  if (digits.length > 60 || !NUMBER.test(digits)) return undefined;
  const number = Number(digits);
  return Number.isFinite(number) ? number : undefined;
}

/** Microseconds since 1970; undefined unless the text is a date and time. 1970-01-01T00:00:01.0000005Z gives 1000000. */
export function timeOf(text: string, offset: 'required' | 'optional' = 'required'): number | undefined {
  const instant = parseTime(trimmed(text), offset);
  return instant && instant.ms * 1000 + Number(instant.fraction.padEnd(6, '0').slice(3, 6));
}

/**
 * What EQ_ compares: equal numbers and equal instants are equal however they are written (3.0 and 3, 12:00Z and
 * 13:00+01:00), everything else as text, without white space around it, as the event hash has it: of two events that differ in that
 * alone the second one is not stored. Numbers that have lost or would lose something (007, more than 15 digits) are text.
 */
export function comparableText(written: string): string {
  const text = trimmed(written);
  if (text.length > 40) return text;
  if (PLAIN.test(text)) {
    const short = text.includes('.') ? text.replace(/\.?0+$/, '') : text;
    return short.replace(/\D/g, '').length <= 15 ? short.replace(/^-0$/, '0') : text;
  }
  const time = /^\d{4}-/.test(text) ? timeOf(text) : undefined;
  return time === undefined ? text : `time:${time}`;
}

/** A number of JSON without exponent, where it says the same: 2e1 is 20. */
export function plainNumber(text: string): string {
  if (!/e/i.test(text)) return text;
  const plain = String(Number(text));
  return PLAIN.test(plain) ? plain : text;
}
