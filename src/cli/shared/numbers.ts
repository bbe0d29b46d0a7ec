import { MmeliotError } from '../../errors.ts';

export function positiveWhole(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new MmeliotError('BAD_REQUEST', `${name} "${text}": a whole number from 1 is expected.`);
  return value;
}
