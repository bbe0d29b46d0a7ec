#!/usr/bin/env node
// Plain JavaScript, so that it still runs, and can say so, on a Node that is too old for everything else.
import { existsSync } from 'node:fs';

const NEEDED = 24;
const found = Number(process.versions.node.split('.')[0]);
if (found < NEEDED) {
  console.error(
    `mmeliot needs Node.js ${NEEDED} or later and this is ${process.version}: start it by "npm start" or "npx mmeliot" ` +
      `in its folder (npm ci has put a Node.js ${NEEDED} there), or install a newer Node.js.`,
  );
  process.exit(2);
}

const source = new URL('./index.ts', import.meta.url);
// The published package holds compiled JavaScript: Node strips no types under node_modules.
const entry = existsSync(source) ? source : new URL('../../dist/src/cli/index.js', import.meta.url);
const { main } = await import(entry.href);
await main(process.argv);
