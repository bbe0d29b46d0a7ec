// Serves the page: its own files from dashboard/, its three libraries from node_modules as ES modules, no bundler.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Router, static as serveFolder } from 'express';

/** What the page imports by name, and the file of the package that it gets. */
const MODULES: Readonly<Record<string, string>> = {
  preact: 'preact',
  'preact/hooks': 'preact/hooks',
  htm: 'htm',
  uplot: 'uplot/dist/uPlot.esm.js',
};
const STYLES = 'uplot/dist/uPlot.min.css';

const folder = fileURLToPath(new URL('dashboard/', import.meta.url));
const fileOf = (specifier: string): string => fileURLToPath(import.meta.resolve(specifier));
const pathOf = (name: string): string => `/vendor/${name.replace('/', '-')}.js`;

export interface Page {
  readonly routes: Router;
  /** Of the inline import map, for the content security policy. */
  readonly importMapHash: string;
}

export function createPage(): Page {
  const importMap = JSON.stringify({
    imports: Object.fromEntries(Object.keys(MODULES).map((name) => [name, `.${pathOf(name)}`])),
  });
  const html = readFileSync(`${folder}index.html`, 'utf8').replace(
    /<!-- the import map .*?-->/,
    `<script type="importmap">${importMap}</script>`,
  );
  const routes = Router();
  routes.get('/', (_request, response) => void response.set('cache-control', 'no-cache').type('html').send(html));
  for (const [name, specifier] of Object.entries(MODULES)) {
    const file = fileOf(specifier);
    routes.get(pathOf(name), (_request, response) => void response.type('js').sendFile(file, { dotfiles: 'allow' }));
  }
  routes.get(
    '/vendor/uplot.css',
    (_request, response) => void response.sendFile(fileOf(STYLES), { dotfiles: 'allow' }),
  );
  routes.use('/dashboard', serveFolder(folder, { index: false, cacheControl: false }));
  return { routes, importMapHash: createHash('sha256').update(importMap).digest('base64') };
}
