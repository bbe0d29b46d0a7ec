// npm run site [-- --out FOLDER]: the repository's Markdown as plain pages that need no server and no internet. Links between
// documents become links between pages; those to other files name them, as a page has no copy of them.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import MarkdownIt from 'markdown-it';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({ options: { out: { type: 'string', default: 'site' } } });

/** The way in; everything else is below "Reference". */
const FIRST: Readonly<Record<string, string>> = {
  'README.md': 'mmeliot',
  'docs/first-steps.md': 'First five minutes',
  'docs/operating.md': 'Operating',
  'docs/researching.md': 'Researching',
  'docs/extending.md': 'Extending',
  'docs/promises.md': 'What is promised',
};
const STYLE = readFileSync(new URL('site.css', import.meta.url), 'utf8');

const sources = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: root,
  encoding: 'utf8',
})
  .trim()
  .split('\n');
const pages = [...Object.keys(FIRST), ...sources.filter((one) => !Object.hasOwn(FIRST, one)).sort()];
const known = new Set(pages);

/** README.md of a folder is its index. */
function pageOf(source: string): string {
  return source.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html');
}

function htmlOf(source: string): string {
  const markdown = new MarkdownIt({ html: false, linkify: false });
  const anchors = new Map<string, number>();
  markdown.core.ruler.push('page', ({ tokens }) => {
    for (const [i, token] of tokens.entries()) {
      if (token.type === 'heading_open') token.attrSet('id', anchorOf(tokens[i + 1]?.content ?? '', anchors));
      for (const child of token.children ?? []) {
        const href = child.type === 'link_open' ? child.attrGet('href') : null;
        if (href !== null) child.attrSet('href', linkFrom(source, String(href)));
      }
    }
  });
  const body = markdown.render(readFileSync(join(root, source), 'utf8'));
  const title = titleOf(source);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title === 'mmeliot' ? title : `${title} · mmeliot`}</title><style>${STYLE}</style></head>
<body><main><p class="to-pages"><a href="#pages">All pages</a></p>${wide(body)}</main><nav id="pages" aria-label="Pages">${navigation(source)}</nav></body></html>
`;
}

/** A table that is wider than the window scrolls by itself. */
const wide = (html: string): string =>
  html.replaceAll('<table>', '<div class="wide" tabindex="0"><table>').replaceAll('</table>', '</table></div>');

function navigation(from: string): string {
  const entry = (page: string): string => {
    const here = page === from ? ' aria-current="page"' : '';
    return `<li><a href="${relativeTo(from, pageOf(page))}"${here}>${titleOf(page)}</a></li>`;
  };
  const others = pages.filter((page) => !Object.hasOwn(FIRST, page));
  const list = (of: readonly string[]): string => `<ul>${of.map(entry).join('')}</ul>`;
  return `${list(Object.keys(FIRST))}<h2>Reference</h2>${list(others)}`;
}

const titleOf = (source: string): string => FIRST[source] ?? source.replace(/\/?README\.md$/, '').replace(/\.md$/, '');

const relativeTo = (from: string, to: string): string => relative(dirname(pageOf(from)), to) || './';

/** As GitHub makes them, so that a link works in both places. */
function anchorOf(heading: string, taken: Map<string, number>): string {
  const plain = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
  const times = taken.get(plain) ?? 0;
  taken.set(plain, times + 1);
  return times === 0 ? plain : `${plain}-${times}`;
}

function linkFrom(source: string, href: string): string {
  if (/^([a-z]+:|#)/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const target = posix.normalize(posix.join(posix.dirname(source), path));
  const page = [target, posix.join(target, 'README.md')].find((one) => known.has(one));
  if (page === undefined) return href;
  return relativeTo(source, pageOf(page)) + (anchor === undefined ? '' : `#${anchor}`);
}

rmSync(values.out, { recursive: true, force: true });
for (const page of pages) {
  const file = join(values.out, pageOf(page));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, htmlOf(page));
}
process.stdout.write(`${join(values.out, 'index.html')}\n`);
