// The two kinds of value that people write with a unit. Read and printed in the same form (`mmeliot config print`).
import { z } from 'zod';

const MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const BYTES = { B: 1, kB: 1e3, KiB: 2 ** 10, MB: 1e6, MiB: 2 ** 20, GB: 1e9, GiB: 2 ** 30 } as const;

function quantity(units: Readonly<Record<string, number>>, pattern: RegExp, what: string) {
  const largestFirst = Object.entries(units).sort(([, a], [, b]) => b - a);
  return z.codec(z.string().regex(pattern, what), z.number(), {
    decode: (text) => {
      const [, number, unit] = pattern.exec(text) ?? [];
      return Number(number) * (units[unit ?? ''] ?? NaN);
    },
    encode: (value) => {
      const [unit, size] = largestFirst.find(([, size]) => value >= size && value % size === 0) ?? ['', 1];
      return value === 0 ? `0${largestFirst.at(-1)?.[0]}` : `${value / size}${unit}`;
    },
  });
}

/** `10s`, `500ms`, `2m`, `1.5h`, `7d` ↔ milliseconds. */
export const duration = () =>
  quantity(MS, /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/, 'a duration such as 500ms, 10s, 2m, 1h or 7d is expected');

/** `64kB`, `100MB`, `1GiB` ↔ bytes. */
export const bytes = () =>
  quantity(BYTES, /^(\d+(?:\.\d+)?)(B|kB|KiB|MB|MiB|GB|GiB)$/, 'a size such as 64kB, 100MB or 1GiB is expected');

export const parseDuration = (text: string): number => duration().parse(text);
