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
  /** The same across: a time to compare with. */
  readonly uprights?: readonly { readonly label: string; readonly x: number }[];
  /** What changes at once and stays: drawn as steps, each as wide as what lies between two x. */
  readonly steps?: true;
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

/** Each panel as a figure of its own, for a paper that has room for one: in a column. */
export const panelsOf = (figure: Figure): readonly Figure[] =>
  figure.panels.map((panel, i) => ({ ...figure, id: `${figure.id}-${i + 1}`, panels: [panel] }));

/** Told apart by most colour-blind people (Okabe and Ito), and by their strokes in black and white. */
const COLORS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#555555', '#000000'] as const;
const DASHES = [[], [7, 3], [2, 2], [9, 3, 2, 3], [15, 4], [9, 3, 2, 3, 2, 3], [4, 5], [1, 4]] as const;

export function strokeOf(index: number): { readonly color: string; readonly dash: readonly number[] } {
  return { color: COLORS[index % COLORS.length] ?? '#000000', dash: DASHES[index % DASHES.length] ?? [] };
}
