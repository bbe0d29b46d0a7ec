// A figure as data: panels one below the other over the same time. Drawn as SVG (svg.ts) or by uPlot (page.html).

export interface Line {
  readonly name: string;
  readonly color: string;
  /** Lengths of strokes and gaps; none: solid. */
  readonly dash?: readonly number[];
  readonly width?: number;
  readonly y: readonly (number | null)[];
  /** A band around the line, for instance from the lowest to the highest repetition. */
  readonly low?: readonly (number | null)[];
  readonly high?: readonly (number | null)[];
}

export interface Panel {
  readonly title: string;
  readonly lines: readonly Line[];
  /** A level to compare with, such as a threshold. */
  readonly marks?: readonly { readonly label: string; readonly y: number }[];
}

export interface Figure {
  /** Its file name. */
  readonly id: string;
  readonly title: string;
  readonly caption: string;
  readonly xTitle: string;
  readonly x: readonly number[];
  readonly panels: readonly Panel[];
}

/** Told apart by most colour-blind people (Okabe and Ito), and by their strokes in black and white. */
const COLORS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#555555', '#000000'] as const;
const DASHES = [[], [7, 3], [2, 2], [9, 3, 2, 3]] as const;

export function strokeOf(index: number): { readonly color: string; readonly dash: readonly number[] } {
  return { color: COLORS[index % COLORS.length] ?? '#000000', dash: DASHES[index % DASHES.length] ?? [] };
}

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
