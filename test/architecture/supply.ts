// What may come into this project from others: rules about package.json and package-lock.json. Pure.
export interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly hasInstallScript?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly peer?: boolean;
}

export interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly allowScripts?: Readonly<Record<string, boolean>>;
}

export interface Lock {
  readonly packages: Readonly<Record<string, Locked>>;
}

/** They ask for no more than to be named; of MPL's files only changed ones would have to be given away. */
const LICENCES = new Set([
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'MPL-2.0',
]);
/** Of tools that are no part of what is installed. */
const LICENCES_OF_TOOLS = new Set([...LICENCES, 'Python-2.0', 'PSF-2.0']);
const EXACT = /^\d+\.\d+\.\d+(-[\w.]+)?$/;

/** A sentence for each thing that is not as it should be. */
export function supplyFindings(manifest: Manifest, lock: Lock): string[] {
  const asked = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
  const loose = asked.filter(([, version]) => !EXACT.test(version));
  const packages = Object.entries(lock.packages).filter(([path]) => path !== '');
  return [
    ...loose.map(([name, version]) => `${name} is asked for as ${version}: name one version.`),
    ...packages.flatMap(([path, one]) => findingsOf(path, one, manifest)),
  ];
}

function findingsOf(path: string, one: Locked, { allowScripts = {} }: Manifest): string[] {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const licences = one.dev ? LICENCES_OF_TOOLS : LICENCES;
  const found: string[] = [];
  if (!/^sha512-/.test(one.integrity ?? '')) found.push(`${path} has no SHA-512 in the lockfile.`);
  if (one.resolved !== undefined && !one.resolved.startsWith('https://'))
    found.push(`${path} comes from ${one.resolved}.`);
  if (one.hasInstallScript && allowScripts[name] !== true)
    found.push(`${path} runs a script when it is installed, which package.json does not allow.`);
  if (!licences.has(one.license ?? '')) found.push(`${path} has the licence ${one.license ?? '(none)'}.`);
  return found;
}

/** The packages that an installation gets, as `name@version`. */
export function installed(lock: Lock): string[] {
  return Object.entries(lock.packages)
    .filter(([path, one]) => path !== '' && !one.dev && !one.optional && !one.peer)
    .map(
      ([path, { version }]) => `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${version}`,
    );
}
