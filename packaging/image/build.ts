// npm run image [-- --fast] [-- --out FILE]: a container image as an OCI archive, for `podman load` and `docker load`. Made of
// plain tar files, without a daemon, a registry or root: Node.js with the libraries of this machine that it is linked to, and
// mmeliot. There is no shell in it. --fast doesn't compress, for tests.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { stage } from '../stage.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const { values } = parseArgs({
  options: { fast: { type: 'boolean' }, out: { type: 'string', default: `mmeliot-${version}.tar` } },
});

const UID = '10001';
const DATA = 'var/lib/mmeliot';
const NAME = `localhost/mmeliot:${version}`;
const work = mkdtempSync(join(tmpdir(), 'mmeliot-image-'));
const oci = join(work, 'oci');
/** One time for everything, so that the same sources make the same image. */
const EPOCH = '2020-01-01T00:00:00Z';

interface Blob {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

try {
  mkdirSync(join(oci, 'blobs/sha256'), { recursive: true });
  const app = join(work, 'program');
  stage(join(app, 'usr/lib/mmeliot'));
  const layers = [layer(system(app)), layer(app)];
  const config = blob(
    'application/vnd.oci.image.config.v1+json',
    JSON.stringify(configOf(layers.map(({ diff }) => diff))),
  );
  const manifest = {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config,
    layers: layers.map((one) => one.blob),
  };
  const top = blob(manifest.mediaType, JSON.stringify(manifest));
  const annotations = { 'org.opencontainers.image.ref.name': NAME };
  writeFileSync(join(oci, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [{ ...top, annotations }] }));
  writeFileSync(join(oci, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  // what `docker load` of older versions reads
  const path = ({ digest }: Blob): string => `blobs/${digest.replace(':', '/')}`;
  const docker = [{ Config: path(config), RepoTags: [NAME], Layers: manifest.layers.map(path) }];
  writeFileSync(join(oci, 'manifest.json'), JSON.stringify(docker));
  tar(oci, resolve(values.out));
  process.stdout.write(`${values.out}\n`);
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** What Node.js and the packages need of a system, and the folders that everything expects. */
function system(app: string): string {
  const folder = join(work, 'system');
  for (const one of ['etc', 'tmp', 'proc', 'dev', 'usr/lib', DATA]) mkdirSync(join(folder, one), { recursive: true });
  const compiled = globSync('**/*.node', { cwd: app }).map((file) => join(app, file));
  for (const file of librariesOf([realpathSync(process.execPath), ...compiled])) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(realpathSync(file), join(folder, file));
  }
  writeFileSync(join(folder, 'etc/passwd'), `root:x:0:0::/root:/\nmmeliot:x:${UID}:${UID}::/${DATA}:/\n`);
  writeFileSync(join(folder, 'etc/group'), `root:x:0:\nmmeliot:x:${UID}:\n`);
  writeFileSync(join(folder, 'etc/nsswitch.conf'), 'hosts: files dns\n');
  return folder;
}

/** Those that the loader names, itself among them, and those that the C library loads to find hosts. */
function librariesOf(files: readonly string[]): readonly string[] {
  const linked = files.map((file) => execFileSync('ldd', [file], { encoding: 'utf8' })).join('');
  const found = [...new Set([...linked.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path))];
  const libc = found.find((path) => /\/libc\.so/.test(path)) ?? '';
  const hosts = ['libnss_dns.so.2', 'libnss_files.so.2', 'libresolv.so.2'].map((name) => join(dirname(libc), name));
  return [...found, ...hosts.filter((path) => existsSync(path))];
}

function layer(folder: string): { readonly blob: Blob; readonly diff: string } {
  const file = `${folder}.tar`;
  tar(folder, file);
  const diff = `sha256:${digestOf(file)}`;
  if (values.fast) return { blob: keep('application/vnd.oci.image.layer.v1.tar', file), diff };
  execFileSync('gzip', ['--no-name', file]);
  return { blob: keep('application/vnd.oci.image.layer.v1.tar+gzip', `${file}.gz`), diff };
}

/** The same bytes for the same files; all are root's but the data folder, which is the user's. */
function tar(folder: string, file: string): void {
  const same = ['--sort=name', `--mtime=${EPOCH}`, '--numeric-owner', '--directory', folder];
  const data = existsSync(join(folder, DATA));
  execFileSync('tar', [
    '--create',
    '--file',
    file,
    ...same,
    '--owner=0',
    '--group=0',
    ...(data ? [`--exclude=./${DATA}`] : []),
    '.',
  ]);
  if (data)
    execFileSync('tar', [
      '--append',
      '--file',
      file,
      ...same,
      `--owner=${UID}`,
      `--group=${UID}`,
      '--mode=0700',
      `./${DATA}`,
    ]);
}

function blob(mediaType: string, text: string): Blob {
  const file = join(work, 'blob');
  writeFileSync(file, text);
  return keep(mediaType, file);
}

function keep(mediaType: string, file: string): Blob {
  const digest = digestOf(file);
  copyFileSync(file, join(oci, 'blobs/sha256', basename(digest)));
  return { mediaType, digest: `sha256:${digest}`, size: statSync(file).size };
}

function digestOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

function configOf(diffs: readonly string[]): object {
  const architecture = { x64: 'amd64', arm64: 'arm64' }[process.arch as string] ?? process.arch;
  return {
    ...{ architecture, os: 'linux', created: EPOCH },
    config: {
      User: UID,
      Env: ['PATH=/usr/lib/mmeliot', `HOME=/${DATA}`],
      Entrypoint: ['/usr/lib/mmeliot/node', '/usr/lib/mmeliot/bin/mmeliot.js'],
      Cmd: ['up'],
      WorkingDir: `/${DATA}`,
      Volumes: { [`/${DATA}`]: {} },
      ExposedPorts: { '8080/tcp': {}, '8081/tcp': {} },
      StopSignal: 'SIGTERM',
      Labels: { 'org.opencontainers.image.title': 'mmeliot', 'org.opencontainers.image.version': version },
    },
    rootfs: { type: 'layers', diff_ids: diffs },
  };
}
