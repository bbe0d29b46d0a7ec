// Options of the load generator's commands, as people write them.
import { DURATION, parseQuantity, refuseQuantity } from '../../../epcis/domain/quantity.ts';
import { OptionError } from '../../../loadgen/workload/option-error.ts';
import { asSentence } from '../../settings/values.ts';

export function numberOf(option: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new OptionError(`${option} ${text}: a number is expected.`);
  return value;
}

/** ms. */
export function durationOf(option: string, text: string): number {
  const ms = parseQuantity(DURATION, text);
  if (ms === undefined) throw new OptionError(asSentence(`${option} ${text}: ${refuseQuantity(DURATION, text)}`));
  return ms;
}

/** The highest load: a number, or a share such as 80% of what the largest fleet answers. */
export function loadMax(text: string): number | string {
  if (/^\d+(\.\d+)? ?%$/.test(text) && parseFloat(text) > 0) return text;
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && Number.isFinite(value)) return value;
  throw new OptionError(`--max ${text}: a number above 0, or a share such as 80%, is expected.`);
}

export function wholeNumber(option: string, text: string): number {
  const value = numberOf(option, text);
  if (!Number.isInteger(value) || value < 0) throw new OptionError(`${option} ${text}: a whole number is expected.`);
  return value;
}

export function portNumber(option: string, text: string): number {
  const port = wholeNumber(option, text);
  if (port > 65_535) throw new OptionError(`${option} ${text}: a whole number from 0 to 65535 is expected.`);
  return port;
}

export function oneOf(option: string, text: string | undefined, choices: readonly string[]): string | undefined {
  if (text === undefined || choices.includes(text)) return text;
  throw new OptionError(`${option} ${text}: one of ${choices.join(', ')} is expected.`);
}

/** Of a client that has to be known. From the environment: a list of processes shows options. */
export function asClient(): { readonly headers?: Readonly<Record<string, string>> } {
  const key = process.env['MMELIOT_KEY'];
  return key === undefined || key === '' ? {} : { headers: { authorization: `Bearer ${key}` } };
}
