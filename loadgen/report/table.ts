// A table as data, and as Markdown, CSV, LaTeX and HTML.
import { escape } from '../../src/svg.ts';

export interface Table {
  /** Its file name. */
  readonly id: string;
  readonly title: string;
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** So many columns on the left are names; the others are numbers, aligned right. Default 1. */
  readonly names?: number;
}

export function markdownOf({ title, caption, columns, rows, names = 1 }: Table): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const rule = line(columns.map((_, i) => (i < names ? '---' : '---:')));
  return `## ${title}\n\n${[line(columns), rule, ...rows.map(line)].join('\n')}\n\n${caption}\n`;
}

export function csvOf({ columns, rows }: Table): string {
  const cell = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return [columns, ...rows].map((cells) => `${cells.map(cell).join(',')}\n`).join('');
}

/** In the fonts that LaTeX has without further packages, < > and | print as other signs. */
const LATEX: Readonly<Record<string, string>> = {
  ...{ '\\': '\\textbackslash{}', '~': '\\textasciitilde{}', '^': '\\textasciicircum{}', '"': "''", '\n': ' ' },
  ...{ '<': '\\textless{}', '>': '\\textgreater{}', '|': '\\textbar{}', '[': '{[}' },
  ...{ '±': '$\\pm$', '−': '$-$', '–': '--', '×': '$\\times$', '≤': '$\\le$', '≥': '$\\ge$', '…': '\\dots{}' },
  ...{ θ: '$\\theta$', τ: '$\\tau$', υ: '$\\upsilon$', '·': '$\\cdot$', '→': '$\\rightarrow$' },
};
const latex = (text: string): string =>
  text.replace(/[&%$#_{}]|[\\~^"\n<>|[±−–×≤≥…θτυ·→]/g, (sign) => LATEX[sign] ?? `\\${sign}`);

/** For \\input below \\usepackage{booktabs}. */
export function latexOf({ id, title, caption, columns, rows, names = 1 }: Table): string {
  const line = (cells: readonly string[]): string => `  ${cells.map(latex).join(' & ')} \\\\`;
  return [
    ...['\\begin{table}', '\\centering', `\\caption{${latex(`${title}. ${caption}`)}}`, `\\label{tab:${id}}`],
    `\\begin{tabular}{${columns.map((_, i) => (i < names ? 'l' : 'r')).join('')}}`,
    ...['\\toprule', line(columns), '\\midrule', ...rows.map(line), '\\bottomrule'],
    ...['\\end{tabular}', '\\end{table}', ''],
  ].join('\n');
}

export function htmlOf({ id, title, caption, columns, rows, names = 1 }: Table): string {
  const cells = (tag: string, row: readonly string[]): string =>
    row.map((cell, i) => `<${tag}${i < names ? ' class="name"' : ''}>${escape(cell)}</${tag}>`).join('');
  return `<section id="${escape(id)}"><h2>${escape(title)}</h2>
<div class="wide"><table><thead><tr>${cells('th', columns)}</tr></thead>
<tbody>${rows.map((row) => `<tr>${cells('td', row)}</tr>`).join('\n')}</tbody></table></div>
<p class="caption">${escape(caption)}</p></section>`;
}
