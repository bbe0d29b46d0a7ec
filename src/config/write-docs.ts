// `npm run docs`: writes what is made from the schema. A test says when it has to be run.
import { writeFileSync } from 'node:fs';
import { exampleFile, reference } from './print.ts';

writeFileSync(new URL('./CONFIG.md', import.meta.url), reference());
writeFileSync(new URL('./mmeliot.example.yaml', import.meta.url), exampleFile());
