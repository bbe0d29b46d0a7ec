#!/usr/bin/env node
// A checkout runs its sources; an installed package runs what packaging/build.ts made of them.
import { existsSync } from 'node:fs';

const sources = new URL('../src/cli/mmeliot.js', import.meta.url);
await import(existsSync(sources) ? sources.href : '../dist/src/cli/mmeliot.js');
