// A secret wherever one can be configured: what the program says, keeps and starts afterwards has none of them in it.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { openapi } from '../../src/admin/openapi.ts';
import { listed } from '../../src/config/print.ts';
import { childrenOf } from '../helpers/children.ts';
import { freshMariaDb } from '../helpers/mariadb.ts';
import { startProgram, temporaryFolder, type Program } from '../helpers/mmeliot.ts';
import { until } from '../helpers/until.ts';

/** Each setting that is declared a secret, and what its environment variable is called. */
const DECLARED = listed()
  .filter(({ declaration }) => declaration.secret === true)
  .map(({ path }) => ({ path, variable: path.join('_').toUpperCase(), secret: `c4n4ry-of-${path.join('-')}` }));
/** As people have them: with what a URL, XML and JSON write in another way. */
const DATABASE = 'c4n4ry of <the> "database"/&@:é';
const [URL_WRITTEN, FILE_HELD] = [encodeURIComponent(DATABASE), 'c4n4ry-in-a-file'];
/** Of the surroundings that it is started in: nobody's whom it starts. */
const OTHERS = { AWS_SECRET_ACCESS_KEY: 'c4n4ry-of-somebody-else', ONE_PASSWORD: 'c4n4ry-of-the-cloud' };

describe('secrets, wherever they are configured', function () {
  this.timeout(180_000);
  const folder = temporaryFolder();
  const file = (name: string): string => join(folder.path, name);
  const env = {
    ...OTHERS,
    ...Object.fromEntries(DECLARED.map(({ variable, secret }) => [variable, secret])),
    DATABASE: URL_WRITTEN,
  };
  const secrets = [...DECLARED.map(({ secret }) => secret), ...Object.values(OTHERS), DATABASE, URL_WRITTEN, FILE_HELD];
  const ADMIN = DECLARED.find(({ path }) => path.join('.') === 'admin.token')?.secret ?? '';
  let program: Program;
  let [gateway, admin] = ['', ''];

  before(async () => {
    const url = await freshMariaDb();
    const database = await openDatabase({ url });
    await database.run(`CREATE USER canary@'%' IDENTIFIED BY '${DATABASE}'`);
    await database.run("GRANT ALL ON *.* TO canary@'%'");
    await database.close();
    const withPassword = url.replace('root', 'canary:${DATABASE}');
    writeFileSync(file('held'), `${FILE_HELD}\n`, { mode: 0o600 });
    const config: Record<string, Record<string, unknown>> = {
      gateway: { port: 0, dataPlane: 'haproxy' },
      repository: { url: withPassword, readUrl: withPassword },
      elasticity: { period: '1s', min: 1 },
      local: { cpu: 1 },
    };
    for (const { path, variable } of DECLARED) {
      const [section = '', name = ''] = path;
      config[section] = { ...config[section], [name]: `\${${variable}}` };
    }
    config['admin'] = { ...config['admin'], port: 0, viewerToken: `\${file:${file('held')}}` };
    config['collector'] = { ...config['collector'], port: 0 };
    writeFileSync(
      file('mmeliot.yaml'),
      stringify({ dataDir: file('data'), access: 'known', logLevel: 'debug', ...config }),
    );
    program = startProgram(['up', '--config', file('mmeliot.yaml')], { env });
    [, gateway = '', admin = ''] = await program.says(
      /clients connect to\s+(\S+)[^]*operator looks at\s+(\S+)[^]*Ctrl-C/,
    );
  });
  after(async () => {
    await program.stop();
    folder.remove();
  });

  const discreet = (what: string, text: string): void => {
    for (const secret of secrets)
      expect(text.includes(secret), `${secret} in ${what}: ${text.slice(0, 2_000)}`).to.equal(false);
  };
  const command = async (...args: string[]): Promise<string> => {
    const given = { ...env, MMELIOT_ADMIN_TOKEN: ADMIN };
    return (await startProgram(args, { env: given }).ended()).output;
  };
  const allBelow = (pid: number): readonly number[] => childrenOf(pid).flatMap((child) => [child, ...allBelow(child)]);

  it('are several, of each part', () => {
    expect(DECLARED.map(({ path }) => path.join('.'))).to.include.members([
      'admin.token',
      'collector.secret',
      'opennebula.password',
    ]);
  });

  it('stand in no answer of the admin page, its API and /metrics', async () => {
    const paths = Object.keys((openapi('1') as { readonly paths: object }).paths).map((path) =>
      `api${path}`.replace('{id}', 'none'),
    );
    // one that goes on until somebody hangs up
    const all = ['', 'metrics', 'health', ...paths.filter((path) => path !== 'api/events')];
    expect(all).to.include.members(['api/state', 'api/config', 'api/audit']);
    for (const path of all)
      // who tries others is answered later and later
      for (const token of [ADMIN, FILE_HELD, ...(path === 'api/state' ? [`${ADMIN}x`] : [])]) {
        const answer = await fetch(admin + path, { headers: { authorization: `Bearer ${token}` } });
        discreet(path, JSON.stringify([...answer.headers]) + (await answer.text()));
      }
  });

  it('stand in no answer to clients', async () => {
    for (const path of ['/events', '/', '/none', '/events?EQ_bizStep=a&perPage=no', '/queries', '/capture'])
      for (const method of ['GET', 'POST', 'DELETE'])
        discreet(path, await (await fetch(new URL(path, gateway), { method })).text());
  });

  it('are said by no command', async () => {
    const config = ['--config', file('mmeliot.yaml')];
    for (const args of [
      ['status', '--admin', admin],
      ['explain', '--admin', admin],
      ['events', '--admin', admin],
      ['audit', '--admin', admin],
      ['vm', 'list', '--json', '--admin', admin],
      ['config', 'check', ...config],
      ['config', 'print', ...config],
      ['config', 'print', '--effective', '--json', ...config],
      ['repository', 'stats', ...config],
      // where they end in an error
      ['repository', 'stats', ...config, '--set', 'repository.url=mysql://epcis:${DATABASE}@127.0.0.1:1/none'],
      ['check', 'opennebula', ...config],
    ])
      discreet(args.join(' '), await command(...args));
  });

  it('are not quoted where they are what is wrong', async () => {
    for (const [at, wrong] of DECLARED.map(({ path, secret }): [string, string] => [path.join('.'), secret]))
      for (const value of [`[${wrong}]`, `{${wrong}`])
        discreet(at, await command('config', 'check', '--set', `${at}=${value}`));
    const url = `mysql://epcis:${URL_WRITTEN}@h/d`;
    discreet(
      'a URL',
      await command('config', 'check', '--set', `repository.url=[${url}]`, '--set', `gateway.port=${url}`),
    );
  });

  it('are in no list of processes, and told to no process that has no use for them', async () => {
    const pids = await until('HAProxy and a VM run', () => {
      const all = allBelow(program.child.pid ?? 0).map(
        (pid) => [pid, readFileSync(`/proc/${pid}/cmdline`, 'utf8')] as const,
      );
      return all.some(([, line]) => line.includes('haproxy')) && all.some(([, line]) => line.includes('\0vm\0')) && all;
    });
    for (const [pid, line] of pids) {
      discreet('its arguments', line);
      const told = secrets.filter((secret) => readFileSync(`/proc/${pid}/environ`, 'utf8').includes(secret));
      const own = ['c4n4ry-of-collector-secret', URL_WRITTEN];
      expect(told, line.replaceAll('\0', ' ')).to.have.members(line.includes('haproxy') ? [] : own);
    }
  });

  it('stand in no log, and in nothing that is kept', async () => {
    const kept = (): readonly string[] =>
      readdirSync(file('data'), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name));
    await until('a period is in the journal', () => kept().some((path) => path.includes('journal')));
    for (const path of kept()) discreet(path, readFileSync(path, 'utf8'));
    discreet('what it said', program.output());
  });
});
