// A report as one HTML file that needs nothing else: data, charts and their library are in it.
import { escape } from '../../src/svg.ts';
import { rangeOf, svgOf } from './svg.ts';
import { htmlOf } from './table.ts';
import type { Report } from './report.ts';

export interface PageParts {
  /** page.html: the frame, its style and the script that draws. */
  readonly page: string;
  /** uPlot's script and style. */
  readonly script: string;
  readonly style: string;
}

/** Rows. */
const LONG = 50;

/** On the screen uPlot draws; on paper, and without scripts, the same figures stand there as SVG. */
export function pageOf({ title, notes, figures, tables }: Report, { page, script, style }: PageParts): string {
  const drawn = figures.map(
    (figure, i) =>
      `<figure id="${escape(figure.id)}"><h2>${escape(figure.title)}</h2><div class="live" data-figure="${i}"></div>` +
      `<div class="still">${svgOf(figure)}</div><figcaption class="caption">${escape(figure.caption)}</figcaption></figure>`,
  );
  // the first table says what came out, unless it is so long that nobody would see the figures
  const isSummary = (tables[0]?.rows.length ?? 0) <= LONG;
  const [before, behind] = isSummary ? [tables.slice(0, 1), tables.slice(1)] : [[], tables];
  const intro = `<h1>${escape(title)}</h1>\n${notes.map((note) => `<p>${escape(note)}</p>`).join('\n')}`;
  const data = figures.map(({ x, xTitle, panels }) => ({
    ...{ x, xTitle },
    panels: panels.map((panel) => ({ ...panel, range: rangeOf(panel.lines, panel.marks) })),
  }));
  // no end tag can be in the data: JSON knows another way to write <
  const json = JSON.stringify(data).replaceAll('<', '\\u003c');
  const parts: Readonly<Record<string, string>> = {
    title: escape(title),
    head: `<style>${style}</style>\n<script>${script}</script>`,
    body: [
      ...[intro, ...before.map(htmlOf), ...drawn, ...behind.map(htmlOf)],
      `<script type="application/json" id="figures">${json}</script>`,
    ].join('\n'),
  };
  return page.replace(/\{\{(title|head|body)\}\}/g, (whole, name: string) => parts[name] ?? whole);
}
