// Every start is a first start: whatever the path, the home, the locale, the time zone or the user, the system comes up, answers
// the curl lines that it prints, and ends. One row has several oddities at once; all rows start at the same time.
import { execFile } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { FREE_PORTS, startProgram, temporaryFolder, type Program } from '../helpers/mmeliot.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const AS_ROOT = process.getuid?.() === 0;
const NOBODY = 65_534;

/** No rights but to read, so that a checkout in somebody's home is no hindrance. */
const AS_NOBODY = [
  ...[
    '--reuid',
    String(NOBODY),
    '--regid',
    String(NOBODY),
    '--clear-groups',
    '--bounding-set',
    '-all,+dac_read_search',
  ],
  ...['--inh-caps', '-all,+dac_read_search', '--ambient-caps', '-all,+dac_read_search', process.execPath],
];

interface Row {
  /** Below a folder of its own. */
  readonly data: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly settings?: readonly string[];
  /** Somebody without rights, who may make no cgroup; where the suite isn't run by root, that is who runs it. */
  readonly nobody?: true;
}

const ROWS: Readonly<Record<string, Row>> = {
  'a path with spaces, quotes and letters of others; Turkish; the first time zone of the earth': {
    data: `für mich, "50 %" & 'mehr'/données #1`,
    env: { LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', TZ: 'Pacific/Kiritimati' },
  },
  'no home, no locale; somebody without rights': {
    data: 'x',
    env: { HOME: '/nonexistent', LC_ALL: 'C', TZ: 'America/St_Johns' },
    nobody: true,
  },
  'HAProxy below a path that is too long for a socket; a proxy that leads nowhere near': {
    data: 'ein langer Pfad mit Umlauten: ä ö ü/'.repeat(4),
    env: { LANG: 'ja_JP.UTF-8', TZ: 'Asia/Kathmandu', http_proxy: 'http://127.0.0.1:9', NODE_USE_ENV_PROXY: '1' },
    settings: ['gateway.dataPlane=haproxy'],
  },
};

describe('the first start, wherever it is', function () {
  this.timeout(120_000);
  const temporary = temporaryFolder();
  const checkout = join(temporary.path, 'ein Çheckout', 'mmeliot');
  const running: Program[] = [];

  before(async () => {
    chmodSync(temporary.path, 0o755);
    for (const folder of ['src', 'epcis', 'loadgen', 'opennebula', 'ec2', 'package.json'])
      cpSync(join(root, folder), join(checkout, folder), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
    // which follows no link, so node_modules stays as it is
    await run('chmod', ['-R', 'a-w', checkout]);
  });
  after(async () => {
    await Promise.all(running.map((one) => one.kill()));
    await run('chmod', ['-R', 'u+w', checkout]);
    temporary.remove();
  });

  const start = (args: readonly string[], { env = {}, nobody }: Pick<Row, 'env' | 'nobody'>, cwd: string): Program => {
    const own = { env: { ...env, XDG_RUNTIME_DIR: undefined, NODE_COMPILE_CACHE: undefined }, cwd };
    const program = join(checkout, 'src/cli/mmeliot.js');
    const started =
      nobody && AS_ROOT
        ? startProgram([...AS_NOBODY, program, ...args], { ...own, program: 'setpriv' })
        : startProgram([program, ...args], { ...own, program: process.execPath });
    running.push(started);
    return started;
  };
  const folderOf = (nobody: boolean): string => {
    const folder = mkdtempSync(join(temporary.path, 'row-'));
    if (nobody) chmodSync(folder, 0o777);
    return folder;
  };

  it('answers its own curl lines and ends, in every row, from a read-only checkout', async () => {
    await Promise.all(
      Object.entries(ROWS).map(async ([name, row]) => {
        const cwd = folderOf(row.nobody === true);
        const settings = [`dataDir=${join(cwd, row.data)}`, ...FREE_PORTS, ...(row.settings ?? [])];
        const system = start(['up', ...settings.flatMap((one) => ['--set', one])], row, cwd);
        await system.says(/Put load on it[^]*\n {2}npx mmeliot load/);
        const [, capture = '', query = ''] = /^ {2}(curl .*)\n {2}(curl .*)$/m.exec(system.output()) ?? [];
        const env = { ...process.env, ...row.env };
        await run('bash', ['-c', capture], { env });
        const { stdout } = await run('bash', ['-c', query], { env });
        expect(stdout, name).to.include('urn:epc:id:sgtin:0614141.107346.2018');
        const [, page = ''] = await system.says(/operator looks at\s+(\S+)/);
        expect(await (await fetch(page)).text(), name).to.include('<title>');
        expect(/No cgroup may be written/.test(system.output()), name).to.equal(row.nobody === true && AS_ROOT);
        expect((await system.stop()).status, name).to.equal(0);
        expect(existsSync(join(cwd, row.data, 'epcis.db')), name).to.equal(true);
        expect(
          readdirSync(join(cwd, row.data, 'vms')).filter((one) => /^vm-/.test(one)),
          name,
        ).to.deep.equal([]);
      }),
    );
  });

  it('says in one sentence where it may not write, whoever wants to', async () => {
    const cwd = folderOf(false);
    mkdirSync(join(cwd, 'mmeliot-data'));
    chmodSync(join(cwd, 'mmeliot-data'), 0o555);
    mkdirSync(join(cwd, 'theirs'));
    chmodSync(join(cwd, 'theirs'), 0o777);
    writeFileSync(join(cwd, 'theirs/epcis.db'), '', { mode: 0o444 });
    chmodSync(cwd, 0o555);
    const refused = async (...args: string[]) => await start(args, { nobody: true }, cwd).ended();
    const [up, theirs, elsewhere, experiment] = await Promise.all([
      refused('up'),
      refused('up', ...[`dataDir=theirs`, ...FREE_PORTS].flatMap((one) => ['--set', one])),
      refused('up', '--set', 'dataDir=elsewhere'),
      refused('experiment', 'map', '--out', 'map'),
    ]);
    const whereTo = 'name a folder that this user may write.\n';
    expect(up).to.deep.equal({
      status: 2,
      output: `mmeliot: dataDir ${cwd}/mmeliot-data cannot be written (EACCES): ${whereTo}`,
    });
    expect(theirs).to.deep.equal({
      status: 2,
      output: `mmeliot: repository.url: The repository file ${cwd}/theirs/epcis.db cannot be opened: this user may not read and write it (EACCES); give it to that user.\n`,
    });
    expect(elsewhere).to.deep.equal({
      status: 2,
      output: `mmeliot: dataDir ${cwd}/elsewhere cannot be made (EACCES): ${whereTo}`,
    });
    expect(experiment).to.deep.equal({
      status: 2,
      output: `mmeliot: --out map: it can't be made or written here (EACCES); ${whereTo}`,
    });
    chmodSync(cwd, 0o755);
    rmSync(cwd, { recursive: true });
  });

  it('says so where the folder that it was started in is gone', async () => {
    const cwd = mkdtempSync(join(temporary.path, 'gone-'));
    const command = [process.execPath, join(checkout, 'src/cli/mmeliot.js'), 'up'];
    const ended = run('sh', ['-c', 'rmdir "$PWD" && exec "$0" "$@"', ...command], { cwd });
    expect(await ended.catch((error: unknown) => error)).to.include({
      code: 2,
      stderr: 'mmeliot: The folder that this was started in is gone: change to one that is there.\n',
    });
  });
});
