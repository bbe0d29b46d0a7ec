// The small rules of the event hash about single texts.

const RDFS = 'http://www.w3.org/2000/01/rdf-schema#';

interface Named {
  readonly namespace: string;
  readonly name: string;
}

export const fieldName = ({ namespace, name }: Named): string => (namespace === '' ? name : `{${namespace}}${name}`);

/** Comments say nothing about the event: rdfs:comment, or plain comment. */
export const isComment = ({ namespace, name }: Named): boolean =>
  name === 'comment' && (namespace === '' || namespace.replace(/\/$/, '') === RDFS);

/** In the order of code points; JavaScript's own order is that too, as long as no text goes beyond the basic plane. */
export const sortTexts = (texts: readonly string[]): readonly string[] =>
  texts.some((text) => /[\ud800-\udfff]/.test(text)) ? texts.toSorted(compareText) : texts.toSorted();

/** By code point, which is also the order of UTF-8 bytes. */
function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1;
  }
  return a.length - b.length;
}

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?$/;

/**
 * A number in its shortest decimal form, as a double: 26.0 → 26, 0815 → 815, +1.50 → 1.5, 1e3 → 1000. Whole numbers are
 * written out (111100001111000011110000 → 111100001111000003641344, the nearest double), tiny ones with an exponent of
 * two digits (0.00001 → 1e-05), as the standard's reference implementation does. What isn't a number stays.
 */
export function numberText(text: string): string {
  if (!NUMBER.test(text)) return text;
  const value = Number(text);
  if (!Number.isFinite(value)) return text;
  if (Number.isInteger(value)) return BigInt(value).toString();
  if (Math.abs(value) >= 0.0001) return value.toString();
  return value.toExponential().replace(/e-(\d)$/, 'e-0$1');
}
