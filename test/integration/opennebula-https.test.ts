// The README's HTTPS example: its proxy before the front end, with a certificate of an authority of one's own.
import { expect } from 'chai';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../helpers/free-port.ts';
import { startProgram, temporaryFolder } from '../helpers/mmeliot.ts';
import { until } from '../helpers/until.ts';
import { LOGIN, openCloud, type Cloud } from '../opennebula/emulated.ts';

const run = promisify(execFile);
const readme = readFileSync(new URL('../../opennebula/README.md', import.meta.url), 'utf8');

describe('OpenNebula behind HTTPS', function () {
  this.timeout(60_000);
  const folder = temporaryFolder();
  const certificate = join(folder.path, 'one.pem');
  let cloud: Cloud;
  let proxy: ChildProcess;
  let url: string;

  before(async () => {
    cloud = await openCloud();
    const [key, cert] = [join(folder.path, 'key'), join(folder.path, 'cert')];
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    await run('openssl', [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      ...names,
      '-keyout',
      key,
      '-out',
      cert,
    ]);
    writeFileSync(certificate, readFileSync(cert, 'utf8') + readFileSync(key, 'utf8'));
    const port = await freePort();
    url = `https://localhost:${port}/RPC2`;
    const [, block = ''] = /```haproxy\n([^]*?)```/.exec(readme) ?? [];
    const example = block
      .replace(':2634', `127.0.0.1:${port}`)
      .replace('/etc/haproxy/one.pem', certificate)
      .replace('127.0.0.1:2633', new URL(cloud.emulator.url).host);
    writeFileSync(join(folder.path, 'haproxy.cfg'), example);
    proxy = spawn('haproxy', ['-db', '-q', '-f', join(folder.path, 'haproxy.cfg')], { stdio: 'ignore' });
    await until('the proxy listens', () => answers(port));
  });
  after(async () => {
    proxy.kill();
    await cloud.stop();
    folder.remove();
  });

  const check = (env: NodeJS.ProcessEnv) => {
    const options = ['--url', url, '--user', LOGIN.user, '--template', 'mmeliot'];
    return startProgram(['check', 'opennebula', ...options], { env: { ONE_PASSWORD: LOGIN.password, ...env } }).ended();
  };

  it('is all that is needed, as the README shows it', async () => {
    const { status, output } = await check({ NODE_EXTRA_CA_CERTS: join(folder.path, 'cert') });
    expect(status, output).to.equal(0);
  });

  it('is refused in a sentence where the authority is not known', async () => {
    const { length: before } = cloud.calls;
    const { status, output } = await check({});
    expect(status).to.equal(1);
    expect(output)
      .to.match(/^FAILED +version .*front end cannot be reached; .*NODE_EXTRA_CA_CERTS.*certificate/m)
      .and.not.include(LOGIN.password);
    expect(cloud.calls, 'no login was sent').to.have.length(before);
  });
});

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
