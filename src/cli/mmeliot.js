#!/usr/bin/env node
// Plain JavaScript, so that it still runs, and can say so, on a Node that is too old for everything else.

const NEEDED = [22, 19];
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1])) {
  console.error(
    `mmeliot needs Node.js ${NEEDED.join('.')} or later and this is ${process.version}: install a newer Node.js, ` +
      'or start it by "npm start" or "npx mmeliot" in a checkout, where npm ci has put one.',
  );
  process.exit(2);
}

// Node.js 22 warns of its own SQLite, which works
const show = process.listeners('warning');
process.removeAllListeners('warning');
process.on('warning', (warning) => {
  if (!/SQLite is an experimental feature/.test(warning.message)) for (const each of show) each(warning);
});

const { main } = await import('./index.ts');
await main(process.argv);
