// The benchmark's tables and its chart as one page that needs nothing else, on the screen and on paper.
import { htmlOf, type Table } from '../../loadgen/report/table.ts';
import { escape } from '../svg.ts';

const STYLE = `
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; color: #111; background: #fff }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .25em .7em; text-align: right; vertical-align: top; border-bottom: 1px solid #ddd }
th { border-bottom: 2px solid #555 }
.name { text-align: left }
.wide { overflow-x: auto }
.caption { color: #444; max-width: 60em }
svg { max-width: 100%; height: auto }
@media print { body { margin: 0; max-width: none; font-size: 9pt } .wide { overflow: visible } }`;

export function benchmarkPage(title: string, tables: readonly Table[], chart: string | undefined): string {
  const [first, second, ...others] = tables.map(htmlOf);
  const drawn = chart === undefined ? [] : [`<figure id="chart">${chart}</figure>`];
  return [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escape(title)}</title><style>${STYLE}</style></head><body>`,
    `<h1>${escape(title)}</h1>`,
    ...[first, second, ...drawn, ...others],
    '</body></html>\n',
  ].join('\n');
}
