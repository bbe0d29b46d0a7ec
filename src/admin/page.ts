// Serves the page: its own files from dashboard/, its three libraries from node_modules as ES modules, no bundler. All are read
// once, compressed once, and named by what they hold, so that a browser that has them asks only whether they still are so.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { Router, type RequestHandler } from 'express';

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
  routes.get('/', sent('.html', Buffer.from(html)));
  for (const [name, specifier] of Object.entries(MODULES)) routes.get(pathOf(name), sentFile(fileOf(specifier)));
  routes.get('/vendor/uplot.css', sentFile(fileOf(STYLES)));
  for (const name of readdirSync(folder).filter((one) => /[.](js|css|svg)$/.test(one)))
    routes.get(`/dashboard/${name}`, sentFile(`${folder}${name}`));
  return { routes, importMapHash: createHash('sha256').update(importMap).digest('base64') };
}

const sentFile = (file: string): RequestHandler => sent(extname(file), readFileSync(file));

function sent(type: string, whole: Buffer): RequestHandler {
  const small = gzipSync(whole);
  const etag = `"${createHash('sha256').update(whole).digest('base64url').slice(0, 22)}"`;
  return (request, response) => {
    const isZipped = request.acceptsEncodings('gzip') === 'gzip';
    // of each form by itself: a cache between must not mix them
    response.set({
      'cache-control': 'no-cache',
      vary: 'accept-encoding',
      etag: isZipped ? etag.replace(/"$/, '-z"') : etag,
    });
    response.type(type);
    if (request.fresh) return void response.status(304).end();
    if (isZipped) response.set('content-encoding', 'gzip');
    response.send(isZipped ? small : whole);
  };
}
