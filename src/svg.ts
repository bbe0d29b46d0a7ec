// What every drawing in SVG needs: scales, round numbers on them, and text that may be anything.

export type Scale = (value: number) => number;

/** Linear: `from` lies at `start`, `to` at `end`. */
export const scale =
  (from: number, to: number, start: number, end: number): Scale =>
  (value) =>
    start + ((value - from) / (to - from || 1)) * (end - start);

/** About `wanted` round numbers that cover the range. 0 to 337, 5 wanted: 0, 100, 200, 300, 400. */
export function ticks(low: number, high: number, wanted = 5): readonly number[] {
  const range = high > low ? high - low : 1;
  const raw = range / Math.max(1, wanted - 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= raw * 0.999) ?? 10);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil((low + range) / step - 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

export const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
