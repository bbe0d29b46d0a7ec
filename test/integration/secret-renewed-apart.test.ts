// A new secret of the group where gateways are processes of their own: one in the manager's data folder, and one with its own copy.
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { runLoad } from '../../loadgen/cli.ts';
import { startProgram, temporaryFolder, type Program } from '../helpers/mmeliot.ts';
import { until } from '../helpers/until.ts';
import type { ManagerView } from '../../src/loop/view.ts';

describe('the secret of a group whose gateways are processes of their own', function () {
  this.timeout(180_000);
  const folder = temporaryFolder();
  const file = (...names: string[]) => join(folder.path, ...names);
  const running: Program[] = [];
  const start = (...args: string[]): Program => {
    const program = startProgram(args);
    running.push(program);
    return program;
  };
  const startGateway = async (dataDir: string, ...settings: string[]) => {
    const all = [`dataDir=${dataDir}`, 'gateway.port=0', 'gateway.control.port=0', ...settings];
    const program = start('gateway', ...all.flatMap((one) => ['--set', one]));
    const [, clients = '', control = ''] = await program.says(
      /clients connect to\s+(\S+)\s+a manager connects to\s+(\S+)/,
    );
    return { program, clients, control };
  };
  const secretOf = (dataDir: string) => readFileSync(join(dataDir, 'secret'), 'utf8');
  /** How the control door answers whoever shows this. */
  const opens = async (control: string, secret: string) =>
    (await fetch(`${control}state`, { headers: { authorization: `Bearer ${secret}` } })).status;

  after(async () => {
    for (const program of running) await program.stop();
    folder.remove();
  });

  it('is renewed while they serve, and no request is lost', async () => {
    const beside = await startGateway(file('data'));
    mkdirSync(file('elsewhere'), { mode: 0o700 });
    const copy = () => {
      copyFileSync(file('data', 'secret'), file('elsewhere', 'secret'));
      chmodSync(file('elsewhere', 'secret'), 0o600);
    };
    copy();
    const elsewhere = await startGateway(file('elsewhere'));
    const config = file('mmeliot.yaml');
    writeFileSync(
      config,
      `dataDir: ${file('data')}
manager: { gateways: ['${beside.control}', '${elsewhere.control}'] }
admin: { port: 0 }
collector: { port: 0 }
elasticity: { period: 1s, min: 2, max: 2 }
local: { cpu: 0.5 }
`,
    );
    const manager = start('manager', '--config', config);
    const [, admin = ''] = await manager.says(/operator looks at\s+(\S+)/);
    const state = async () => (await (await fetch(`${admin}api/state`)).json()) as ManagerView;
    const idsOf = ({ vms }: ManagerView) => vms.map(({ id }) => id);
    await until('both VMs are ready', async () => (await state()).counts.ready === 2, 90_000);
    const before = { secret: secretOf(file('data')), vms: idsOf(await state()) };

    const stopLoad = new AbortController();
    const loads = [beside, elsewhere].map(({ clients: url }) =>
      runLoad({
        ...{ url, profile: 'constant', drive: 'open', max: 10, duration: 170_000, mix: 'poll=1,rest=1' },
        signal: stopLoad.signal,
      }),
    );
    const renewed = start('secret', 'renew', '--config', config, '--admin', admin);
    await renewed.says(/waiting: the gateway at (\S+) does not take the new secret yet/);
    expect(renewed.output()).to.include(`at ${elsewhere.control} does`).and.not.include('is replaced');
    copy();
    const { status, output } = await renewed.ended();
    stopLoad.abort();
    expect(status, output).to.equal(0);
    expect(output).to.include(`still taken by the gateway at ${elsewhere.control}: copy `);
    for (const { sent, ok, stopped, lossByCause } of await Promise.all(loads)) {
      expect(lossByCause).to.deep.equal({});
      expect(ok + stopped).to.equal(sent);
      expect(ok).to.be.greaterThan(20);
    }
    const secret = secretOf(file('data'));
    expect(secret)
      .to.match(/^[\w-]{32}$/)
      .and.not.equal(before.secret);
    expect(idsOf(await state()))
      .to.have.length(2)
      .and.not.include.members(before.vms);
    expect([await opens(beside.control, before.secret), await opens(beside.control, secret)]).to.deep.equal([401, 200]);
    expect(await opens(elsewhere.control, before.secret)).to.equal(200);
    copy();
    await until('it lets go of it', async () => (await opens(elsewhere.control, before.secret)) === 401);
    expect(await opens(elsewhere.control, secret)).to.equal(200);
    await until('the manager steers both', async () =>
      (await state()).conditions.some(({ name, status: is }) => name === 'gateways' && is === 'ok'),
    );
    // and so does one that starts now
    await manager.stop();
    const next = start('manager', '--release', '--config', config);
    await next.says(/operator looks at/);
    expect((await next.stop()).status).to.equal(0);
  });
});
