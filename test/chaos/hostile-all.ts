// All hostile clients.
import { join } from 'node:path';
import { HOSTILE, type Hostile } from './hostile.ts';
import { HOSTILE_EPCIS } from './hostile-epcis.ts';
import { HOSTILE_KEYS } from './hostile-keys.ts';
import { HOSTILE_LARGE } from './hostile-large.ts';
import { HOSTILE_NAMES } from './hostile-names.ts';
import { HOSTILE_TLS } from './hostile-tls.ts';
import { HOSTILE_WORK } from './hostile-work.ts';
import { startPart, type Part } from './part.ts';

export const CLIENTS: readonly Hostile[] = [
  ...HOSTILE,
  ...HOSTILE_TLS,
  ...HOSTILE_KEYS,
  ...HOSTILE_EPCIS,
  ...HOSTILE_LARGE,
  ...HOSTILE_NAMES,
  ...HOSTILE_WORK,
];

export type Plane = 'builtin' | 'haproxy';

export const plays = (plane: Plane, { door }: Hostile): boolean => plane === 'haproxy' || door !== 'http2';

/** It tells when it begins. */
export const startHostile = ({ name }: Hostile, port: number): Part<number> =>
  startPart(join(import.meta.dirname, 'play.ts'), [name, String(port)]);
