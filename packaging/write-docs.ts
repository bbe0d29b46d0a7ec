// npm run docs: writes what is made from declarations. Tests say when it has to be run.
import { writeFileSync } from 'node:fs';
import { parameterDocs } from '../epcis/service/parameter-docs.ts';
import { exampleFile, reference } from '../src/config/print.ts';

const write = (file: string, text: string): void => writeFileSync(new URL(`../${file}`, import.meta.url), text);

write('src/config/CONFIG.md', reference());
write('src/config/mmeliot.example.yaml', exampleFile());
write('epcis/PARAMETERS.md', parameterDocs());
