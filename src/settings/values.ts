// Values of settings: read as people write them, refused in one sentence, written as they are read.
import type { Declaration, NumberDeclaration, QuantityDeclaration, TextDeclaration } from './declaration.ts';
import { LOGIN_IN_URL } from '../secrets.ts';
import { nearest } from './nearest.ts';
import { DURATION, parseQuantity, refuseQuantity, showQuantity, SIZE } from '../../epcis/domain/quantity.ts';

export type Read = { readonly value: unknown } | { readonly refused: string };

/** `refused` goes on from the setting's name: `is 0: a whole number from 1 to 60 is expected`. */
export function read(declaration: Declaration, given: unknown): Read {
  const { type } = declaration;
  if ((type === 'duration' || type === 'size') && given !== 0) {
    const { quantity, counted } = formOf(declaration);
    const value = typeof given === 'string' ? parseQuantity(quantity, given) : undefined;
    if (value === undefined) return { refused: `is ${shown(given)}: ${refuseQuantity(quantity, given)}` };
    return refusedOr(declaration, value / counted);
  }
  return refusedOr(declaration, type === 'list' && typeof given === 'string' ? itemsOf(given) : given);
}

/** A list on one line: `a; b`. */
const itemsOf = (text: string): readonly string[] =>
  text
    .split(';')
    .map((item) => item.trim())
    .filter((item) => item !== '');

const refusedOr = (declaration: Declaration, value: unknown): Read => {
  const refused = refusal(declaration, value);
  return refused === undefined ? { value } : { refused };
};

/** A value as it is kept: why it can't be one, or undefined. */
export function refusal(declaration: Declaration, value: unknown): string | undefined {
  if (holds(declaration, value)) return undefined;
  const given = declaration.secret ? '***' : shown(write(declaration, value), declaration.type);
  const meant = declaration.type === 'choice' ? nearest(String(value), declaration.choices.map(String)) : undefined;
  return `is ${given}: ${expected(declaration)} is expected${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}

/** As people write it: 10,000 → `10s`. */
export function write(declaration: Declaration, value: unknown): unknown {
  if ((declaration.type !== 'duration' && declaration.type !== 'size') || typeof value !== 'number') return value;
  const { quantity, counted } = formOf(declaration);
  return showQuantity(quantity, value * counted);
}

function formOf({ type, unit }: QuantityDeclaration) {
  return { quantity: type === 'size' ? SIZE : DURATION, counted: unit === 's' ? 1000 : 1 };
}

/** A quantity stands as it is written; any other text in quotes, so that "80" is seen to be no number. */
const shown = (value: unknown, type?: Declaration['type']): string =>
  typeof value === 'number' || ((type === 'duration' || type === 'size') && typeof value === 'string')
    ? String(value)
    : shortened(withoutLogins(JSON.stringify(value) ?? 'not given'));

/** In the place of another setting, too, a URL has its password. */
const withoutLogins = (text: string): string => text.replaceAll(new RegExp(LOGIN_IN_URL, 'g'), '$1:***@');

const LONGEST = 100;
const shortened = (text: string): string => (text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`);

function holds(declaration: Declaration, value: unknown): boolean {
  switch (declaration.type) {
    case 'number':
    case 'whole':
      return value === (declaration.or ?? NaN) || isWithin(declaration, value);
    case 'duration':
    case 'size':
      return isWithin(declaration, value);
    case 'choice':
      return (declaration.choices as readonly unknown[]).includes(value);
    case 'flag':
      return typeof value === 'boolean';
    case 'text':
      return typeof value === 'string' && matches(declaration, value);
    case 'list':
      return Array.isArray(value) && value.every((text) => typeof text === 'string' && matches(declaration, text));
    case 'name':
      return typeof value === 'string' ? value !== '' : Number.isInteger(value) && Number(value) >= 0;
    case 'data':
      return true;
  }
}

function isWithin({ type, min = -Infinity, max = Infinity }: NumberDeclaration | QuantityDeclaration, value: unknown) {
  const fits = typeof value === 'number' && Number.isFinite(value) && value >= min && value <= max;
  return fits && (type !== 'whole' || Number.isInteger(value));
}

const matches = ({ pattern }: TextDeclaration, text: string): boolean =>
  pattern === undefined || new RegExp(`^(?:${pattern})$`).test(text);

/** `a whole number from 1 to 60`. */
export function expected(declaration: Declaration): string {
  switch (declaration.type) {
    case 'number':
    case 'whole':
      return `${declaration.or === undefined ? '' : `${declaration.or} or `}${numberWithin(declaration)}`;
    case 'duration':
    case 'size':
      return declaration.min === undefined && declaration.max === undefined
        ? formOf(declaration).quantity.example
        : `a ${declaration.type}${bounds(declaration)}`;
    case 'choice':
      return `one of ${declaration.choices.join(', ')}`;
    case 'flag':
      return 'true or false';
    case 'text':
      return declaration.expected ?? 'a text';
    case 'list':
      return declaration.expected === undefined
        ? 'a list of texts'
        : `a list, each ${declaration.expected.replace(/,$/, '')},`;
    case 'name':
      return 'a name or a number';
    case 'data':
      return 'something else';
  }
}

const numberWithin = (declaration: NumberDeclaration): string =>
  `a ${declaration.type === 'whole' ? 'whole ' : ''}number${bounds(declaration)}`;

/** ` from 1 to 60`, ` from 1 on`, ` up to 60`. */
function bounds(declaration: NumberDeclaration | QuantityDeclaration): string {
  const { min, max } = declaration;
  const show = (value: number): string => String(write(declaration, value));
  if (min === undefined) return max === undefined ? '' : ` up to ${show(max)}`;
  return max === undefined ? ` from ${show(min)} on` : ` from ${show(min)} to ${show(max)}`;
}

/** With its full stop, where it doesn't end in a question. */
export const asSentence = (text: string): string => (/[.?]$/.test(text) ? text : `${text}.`);
