#!/usr/bin/env node
// Plain JavaScript, so that it still runs, and can say so, on a Node that is too old for everything else.

const NEEDED = 24;
const found = Number(process.versions.node.split('.')[0]);
if (found < NEEDED) {
  console.error(
    `mmeliot needs Node.js ${NEEDED} or later and this is ${process.version}: start it by "npm start" or "npx mmeliot" ` +
      `in its folder (npm ci has put a Node.js ${NEEDED} there), or install a newer Node.js.`,
  );
  process.exit(2);
}

const { main } = await import('./index.ts');
await main(process.argv);
