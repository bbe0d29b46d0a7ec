// The program itself: where it lies for starting another one, what it is called, which version it is.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const PROGRAM = fileURLToPath(new URL('../cli/mmeliot.js', import.meta.url));

/** How it is called by hand: in a checkout by npx. */
export const COMMAND = import.meta.url.endsWith('.ts') ? 'npx mmeliot' : 'mmeliot';

export const VERSION = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;
