// npm run check:supply [-- --sbom FILE]: what comes from others. The lockfile by the rules of supply.ts; the bill of materials
// (CycloneDX), which must name every package that an installation gets; advisories, where the registry offers them.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { installed, supplyFindings, type Lock, type Manifest } from './supply.ts';

const AUDIT_MS = 30_000;
const { values } = parseArgs({ options: { sbom: { type: 'string' } } });
const read = <T>(file: string): T => JSON.parse(readFileSync(file, 'utf8')) as T;
const npm = (...args: string[]) => spawnSync('npm', args, { encoding: 'utf8', timeout: AUDIT_MS, maxBuffer: 1 << 28 });
const lock = read<Lock>('package-lock.json');
const findings = supplyFindings(read<Manifest>('package.json'), lock);

interface Bill {
  readonly bomFormat?: string;
  readonly components?: readonly { readonly name: string; readonly version: string; readonly purl?: string }[];
}
// tools are in it, marked as such: with --omit dev npm leaves out what they share with an installation
const bill = npm('sbom', '--sbom-format', 'cyclonedx', '--package-lock-only');
const { bomFormat, components = [] } = JSON.parse(bill.stdout || '{}') as Bill;
if (bomFormat !== 'CycloneDX') findings.push(`npm makes no bill of materials: ${bill.stderr.trim().slice(0, 300)}`);
const named = new Set(components.map(({ name, version, purl }) => `${nameIn(purl) ?? name}@${version}`));
for (const one of installed(lock)) if (!named.has(one)) findings.push(`The bill of materials does not name ${one}.`);
if (values.sbom !== undefined) writeFileSync(values.sbom, bill.stdout);

/** `pkg:npm/%40a/b@1.2.3`: @a/b. */
function nameIn(purl: string | undefined): string | undefined {
  const found = /^pkg:npm\/([^@]+)@/.exec(purl ?? '')?.[1];
  return found && decodeURIComponent(found);
}

interface Audit {
  readonly metadata?: { readonly vulnerabilities: { readonly high: number; readonly critical: number } };
}
const { metadata } = JSON.parse(npm('audit', '--json', '--omit', 'dev').stdout || '{}') as Audit;
const severe = metadata && metadata.vulnerabilities.high + metadata.vulnerabilities.critical;
if (severe === undefined)
  process.stdout.write('The registry offers no advisories: known faults were not looked for.\n');
else if (severe > 0) findings.push(`${severe} advisories of high or critical severity: see npm audit --omit dev.`);

for (const finding of findings) process.stdout.write(`${finding}\n`);
process.stdout.write(`${installed(lock).length} packages in an installation, ${findings.length} findings\n`);
process.exitCode = findings.length > 0 ? 1 : 0;
