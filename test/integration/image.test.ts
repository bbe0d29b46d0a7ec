// The container image, unpacked and run as a container would: alone in its root folder, with nothing of this machine but the
// kernel. And the compose file around it.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/load.ts';
import { FREE_PORTS, startProgram, temporaryFolder } from '../helpers/mmeliot.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const json = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

interface Manifest {
  readonly config: { readonly digest: string };
  readonly layers: readonly { readonly digest: string; readonly size: number }[];
}
interface ImageConfig {
  readonly config: {
    readonly Entrypoint: readonly string[];
    readonly User: string;
    readonly Env: readonly string[];
    readonly WorkingDir: string;
  };
  readonly rootfs: { readonly diff_ids: readonly string[] };
}

describe('the container image', function () {
  this.timeout(180_000);
  const temporary = temporaryFolder();
  const oci = join(temporary.path, 'oci');
  const container = join(temporary.path, 'root');
  const blob = (digest: string): string => join(oci, 'blobs', digest.replace(':', '/'));
  let image: ImageConfig;

  before(async () => {
    const file = join(temporary.path, 'image.tar');
    await run(process.execPath, ['--no-warnings', join(root, 'packaging/image/build.ts'), '--fast', '--out', file]);
    for (const folder of [oci, container]) mkdirSync(folder);
    await run('tar', ['--extract', '--file', file, '--directory', oci]);
    const index = json(join(oci, 'index.json')) as { manifests: { digest: string }[] };
    const manifest = json(blob(index.manifests[0]?.digest ?? '')) as Manifest;
    image = json(blob(manifest.config.digest)) as ImageConfig;
    for (const { digest } of manifest.layers)
      await run('tar', ['--extract', '--no-same-owner', '--file', blob(digest), '--directory', container]);
  });
  after(() => temporary.remove());

  it('is what its digests say, layer by layer', () => {
    const names = readdirSync(join(oci, 'blobs/sha256'));
    expect(names).to.have.length(4);
    for (const name of names)
      expect(
        createHash('sha256')
          .update(readFileSync(join(oci, 'blobs/sha256', name)))
          .digest('hex'),
      ).to.equal(name);
    for (const diff of image.rootfs.diff_ids) expect(names).to.include(diff.replace('sha256:', ''));
    const docker = json(join(oci, 'manifest.json')) as { Config: string; Layers: string[] }[];
    for (const path of [docker[0]?.Config ?? '', ...(docker[0]?.Layers ?? [])])
      expect(existsSync(join(oci, path)), path).to.equal(true);
    expect(image.config.User).to.match(/^[1-9]\d*$/);
  });

  it('runs alone in its root folder: a whole system that takes an event and gives it back', async () => {
    const enter = 'mount --rbind /proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" "$@"';
    const inside = ['--mount', '--user', '--map-root-user', 'bash', '-c', enter, container];
    // nothing of the surroundings but where unshare and chroot are, which the image's PATH lacks
    const surroundings = ['-i', ...image.config.Env, `PATH=${process.env['PATH']}`];
    const settings = [...FREE_PORTS, 'dataDir=/var/lib/mmeliot'].flatMap((one) => ['--set', one]);
    const start = (...args: readonly string[]) =>
      startProgram([...surroundings, 'unshare', ...inside, ...image.config.Entrypoint, ...args], { program: 'env' });
    // which loads every command, and with it all that they need of a system
    expect((await start('--version').ended()).output).to.match(/^\d+\.\d+\.\d+\n$/m);
    const system = start('up', ...settings);
    try {
      await system.says(/Put load on it/);
      const [, capture = '', query = ''] = /^ {2}(curl .*)\n {2}(curl .*)$/m.exec(system.output()) ?? [];
      await run('bash', ['-c', capture]);
      expect((await run('bash', ['-c', query])).stdout).to.include('urn:epc:id:sgtin:0614141.107346.2018');
      expect((await system.stop()).status).to.equal(0);
    } finally {
      await system.kill();
    }
  });
});

describe('the compose file', () => {
  const folder = join(root, 'packaging/compose');
  const compose = parse(readFileSync(join(folder, 'compose.yaml'), 'utf8')) as {
    services: Readonly<
      Record<
        string,
        {
          image: string;
          volumes: string[];
          environment?: Record<string, string>;
          ports?: string[];
          depends_on?: object;
        }
      >
    >;
    volumes: Readonly<Record<string, unknown>>;
  };
  const services = Object.entries(compose.services);

  it('mounts files that are there, and volumes that it declares; publishes on loopback only', () => {
    expect(Object.keys(compose.services).sort()).to.deep.equal(['grafana', 'mariadb', 'mmeliot', 'prometheus']);
    for (const [name, { image, volumes, ports = [], depends_on = {} }] of services) {
      expect(image, name).to.match(/^[\w.]+(\/[\w.-]+)+:[\w.]+$/);
      for (const [from = ''] of volumes.map((one) => one.split(':')))
        if (from.startsWith('.')) expect(existsSync(join(folder, from)), from).to.equal(true);
        else expect(compose.volumes).to.have.property(from);
      for (const port of ports) expect(port).to.match(/^127\.0\.0\.1:\d+:\d+$/);
      for (const other of Object.keys(depends_on)) expect(compose.services).to.have.property(other);
    }
    const { version } = json(join(root, 'package.json')) as { version: string };
    expect(compose.services['mmeliot']?.image).to.equal(`localhost/mmeliot:${version}`);
  });

  it('has settings that mmeliot takes, and a configuration that Prometheus takes', async () => {
    const { environment = {} } = compose.services['mmeliot'] ?? {};
    const config = loadConfig({ file: join(folder, 'mmeliot.yaml'), env: environment });
    expect(config.repository.url).to.equal('mysql://epcis:epcis@mariadb/epcis');
    const prometheus = readFileSync(join(folder, 'prometheus.yaml'), 'utf8');
    const { scrape_configs } = parse(prometheus) as {
      scrape_configs: { authorization: { credentials: string }; static_configs: { targets: string[] }[] }[];
    };
    expect(scrape_configs[0]?.authorization.credentials).to.equal(config.admin.token);
    expect(scrape_configs[0]?.static_configs[0]?.targets).to.deep.equal([`mmeliot:${config.admin.port}`]);
    await run('promtool', ['check', 'config', '--syntax-only', join(folder, 'prometheus.yaml')]);
  });
});
