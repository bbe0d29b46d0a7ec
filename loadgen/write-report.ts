// A report into a folder: one HTML file, each figure and each of its panels as SVG and PNG, each table as CSV and LaTeX, all
// tables as Markdown.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Resvg } from '@resvg/resvg-js';
import { panelsOf } from './report/figure.ts';
import { pageOf } from './report/html.ts';
import type { Report } from './report/report.ts';
import { COLUMN, svgOf } from './report/svg.ts';
import { csvOf, latexOf, markdownOf } from './report/table.ts';

const own = (name: string): string => fileURLToPath(new URL(`report/${name}`, import.meta.url));
const uplot = (name: string): string => fileURLToPath(import.meta.resolve(`uplot/dist/${name}`));

/** Resolves with the HTML file's path. */
export async function writeReport(report: Report, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const html = join(folder, 'report.html');
  await writePage(report, html);
  const draw = async (id: string, svg: string): Promise<void> => {
    await writeFile(join(folder, `${id}.svg`), svg);
    await writeFile(join(folder, `${id}.png`), pngOf(svg));
  };
  for (const figure of report.figures) {
    await draw(figure.id, svgOf(figure));
    for (const panel of panelsOf(figure)) await draw(panel.id, svgOf(panel, COLUMN));
  }
  for (const table of report.tables) {
    await writeFile(join(folder, `${table.id}.csv`), csvOf(table));
    await writeFile(join(folder, `${table.id}.tex`), latexOf(table));
  }
  const text = [`# ${report.title}\n`, ...report.notes.map((note) => `${note}\n`), ...report.tables.map(markdownOf)];
  await writeFile(join(folder, 'tables.md'), text.join('\n'));
  return html;
}

/** The HTML file alone. */
export async function writePage(report: Report, file: string): Promise<void> {
  const [page, script, style] = await Promise.all(
    [own('page.html'), uplot('uPlot.iife.min.js'), uplot('uPlot.min.css')].map((part) => readFile(part, 'utf8')),
  );
  await writeFile(file, pageOf(report, { page: page ?? '', script: script ?? '', style: style ?? '' }));
}

/** Twice the size, for print. The font is our own: many servers have none, and then no text would be drawn. */
export function pngOf(svg: string): Uint8Array {
  const font = { fontFiles: [own('fonts/Inter-Regular.ttf')], loadSystemFonts: false, defaultFontFamily: 'Inter' };
  return new Resvg(svg, { font, fitTo: { mode: 'zoom', value: 2 } }).render().asPng();
}
