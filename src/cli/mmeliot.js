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

// Somebody's proxy (NODE_USE_ENV_PROXY, --use-env-proxy) leads to the world: gateway, manager and VMs of this machine are asked directly
const { env } = process;
if (Object.keys(env).some((name) => /^https?_proxy$/i.test(name))) {
  const besides = [env.no_proxy ?? env.NO_PROXY, 'localhost', '127.0.0.1', '::1', '[::1]'].filter(Boolean).join(',');
  Object.assign(env, { no_proxy: besides, NO_PROXY: besides }); // VMs are told it, too
  const { globalAgent, setGlobalProxyFromEnv } = await import('node:http');
  if (globalAgent.options.proxyEnv) setGlobalProxyFromEnv?.(env);
}

const { main } = await import('./index.ts');
await main(process.argv);
