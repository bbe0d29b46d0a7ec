// The operator's commands against a real admin server with a scripted manager behind it, found by mmeliot.yaml.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { startAdminServer, type AdminServer } from '../../src/admin/server.ts';
import { NO_AUDIT, NO_KEYS, NO_TLS } from '../helpers/gatekeeper.ts';
import { startProgram, temporaryFolder, type Finished } from '../helpers/mmeliot.ts';
import { playRiseAndFall, ScriptedSource, vm } from '../src/admin/scripted-source.ts';

describe('the commands of an operator', function () {
  this.timeout(60_000);
  const folder = temporaryFolder();
  let source: ScriptedSource;
  let admin: AdminServer;

  before(async () => {
    source = new ScriptedSource();
    playRiseAndFall(source);
    source.fleet = [vm('vm-1', 'ready'), vm('vm-2', 'ready')];
    source.problems = [{ since: source.now, severity: 'error', message: 'Disk full.', condition: 'disk' }];
    source.conditions = [{ name: 'disk', status: 'error', reason: 'Disk full.', since: source.now }];
    const options = { host: '127.0.0.1', port: 0, token: 'secret-token', viewerToken: '', tls: NO_TLS };
    admin = await startAdminServer(options, {
      ...{ source, keys: NO_KEYS, audit: NO_AUDIT },
      metrics: { contentType: 'text/plain', text: async () => '' },
      log: { error: () => undefined },
    });
    const { port } = new URL(admin.url);
    writeFileSync(
      join(folder.path, 'mmeliot.yaml'),
      `gateway: { port: 9 }\nadmin: { port: ${port}, token: secret-token }\n`,
    );
  });
  after(async () => {
    await admin.close();
    folder.remove();
  });

  const run = (...args: string[]): Promise<Finished> => startProgram(args, { cwd: folder.path }).ended();

  it('find the manager by the configuration, and say where nobody answers', async () => {
    const [status, nobody] = await Promise.all([run('status'), run('status', '--admin', 'http://127.0.0.1:9')]);
    expect(status.status, 'a condition is an error').to.equal(1);
    expect(status.output).to.include('Conditions').and.include('Disk full.');
    expect(nobody.status).to.equal(2);
    expect(nobody.output).to.match(/^mmeliot: No mmeliot answers at http:\/\/127.0.0.1:9 /);
  });

  it('put load where the configuration says that clients connect', async () => {
    const { status, output } = await run('load', '--max', '5');
    expect(output).to.match(/^mmeliot: Nothing listens at http:\/\/127.0.0.1:9 /);
    expect(status).to.equal(2);
  });

  it('list VMs for people and for programs', async () => {
    const [list, json, top] = await Promise.all([run('vm', 'list'), run('vm', 'list', '--json'), run('top')]);
    expect(list.output)
      .to.match(/^ {2}VM +STATE +FOR +LP/)
      .and.match(/^ {2}vm-1 +ready /m);
    expect((JSON.parse(json.output) as { id: string }[]).map(({ id }) => id)).to.deep.equal(['vm-1', 'vm-2']);
    expect(top.output).to.include('signals').and.include('error: Disk full.').and.include('vm-2');
  });

  it('drain, replace and add VMs, pause and resume, and look after a problem', async () => {
    const [replaced, drained, added, unknown] = await Promise.all([
      run('vm', 'replace', 'vm-1'),
      run('vm', 'drain', 'vm-2'),
      run('vm', 'add', '2', '--json'),
      run('vm', 'drain', 'vm-x'),
    ]);
    expect(replaced).to.deep.equal({ status: 0, output: 'VM vm-1 is ready until another one serves in its place\n' });
    expect(drained.output).to.match(/^VM vm-2 is draining: Drained by operator \(\w+\)\.\n$/);
    expect(JSON.parse(added.output)).to.deep.equal({ added: 2 });
    expect(unknown).to.deep.equal({ status: 2, output: 'mmeliot: There is no VM vm-x in this group.\n' });
    const deeds = source.hand.map(({ deed }) => deed.what);
    expect(deeds.toSorted()).to.deep.equal(['add', 'drain', 'replace']);
    await run('pause');
    expect(source.parameters.paused).to.equal(true);
    await run('resume');
    expect(source.parameters.paused).to.equal(false);
    const [none, disk] = await Promise.all([run('acknowledge', 'no-such'), run('acknowledge', 'disk')]);
    expect([none.status, disk.status]).to.deep.equal([2, 0]);
    expect((await run('acknowledge')).output).to.match(/^disk: Disk full\. \(operator \(\w+\) looks after it\)\n$/);
  });

  it('try other settings on what was recorded, and refuse what could not be set', async () => {
    const [text, json, wrong] = await Promise.all([
      run('preview', 'high=60', 'low=10'),
      run('preview', 'high=60', '--span', '5m', '--json'),
      run('preview', 'high=60', '--span', '5'),
    ]);
    expect(text.output)
      .to.match(/^ {2}VM-minutes +[\d.]+ +[\d.]+$/m)
      .and.include('90 periods, 14 min up to 2026-01-02T');
    expect((JSON.parse(json.output) as { periods: number }).periods).to.be.within(30, 31);
    expect(wrong).to.deep.equal({ status: 2, output: 'mmeliot: span is a duration such as 30m, 1h or 7d.\n' });
  });

  it('tell what happened, and go on with what happens', async () => {
    const past = await run('events', '--limit', '3', '--json');
    const lines = past.output.trim().split('\n');
    expect(lines).to.have.length(3);
    expect(Object.keys(JSON.parse(lines[0] ?? '') as object)).to.deep.equal(['at', 'kind', 'text']);
    const following = startProgram(['events', '--follow'], { cwd: folder.path });
    await following.says(/by hand .*drained vm-2/);
    source.play(93, { action: 'allocate', failed: 'no host has room' });
    await following.says(/decision +allocate 1: LP 93 is above/);
    await following.says(/step +allocate of vm-2 failed: no host has room/);
    source.problems = [{ since: source.now, severity: 'error', message: 'The provider is away.' }];
    await following.says(/problem +The provider is away\./);
    const { status, output } = await following.stop();
    expect(status).to.equal(0);
    expect(output.match(/LP 93 is above/g), 'told once').to.have.length(1);
  });
});
