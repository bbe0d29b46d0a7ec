// The project's folders are those of tsconfig.json: what is checked, tested and packed.
import { readFileSync } from 'node:fs';

export const FOLDERS = (JSON.parse(readFileSync('tsconfig.json', 'utf8')) as { include: readonly string[] }).include;

/** Clouds, each a folder of its own. */
export const PROVIDERS = FOLDERS.filter((folder) => !['src', 'epcis', 'loadgen', 'packaging', 'test'].includes(folder));
