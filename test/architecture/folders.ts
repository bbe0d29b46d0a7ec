// The project's folders are those of tsconfig.json: what is checked, tested and packed.
import { readFileSync } from 'node:fs';

export const FOLDERS = (JSON.parse(readFileSync('tsconfig.json', 'utf8')) as { include: readonly string[] }).include;
