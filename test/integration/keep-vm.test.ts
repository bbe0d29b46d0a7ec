// `mmeliot vm keep` and `vm release` on a running system, over a restart and the end of `mmeliot up`.
import { expect } from 'chai';
import { mmeliot, startProgram, startSystem, temporaryFolder, type System } from '../helpers/mmeliot.ts';
import { until } from '../helpers/until.ts';

describe('mmeliot vm keep', function () {
  this.timeout(120_000);
  const folder = temporaryFolder();
  const settings = ['local.cpu=0.5', 'elasticity.period=1s', 'elasticity.max=1', 'manager.releaseWithin=20s'];
  let system: System;
  before(async () => {
    system = await startSystem(folder.path, ...settings);
  });
  after(async () => {
    await system.stop();
    folder.remove();
  });

  const tell = (...args: string[]) => mmeliot('vm', ...args, '--admin', system.admin);
  const stateOf = async (id: string) => (await system.state()).vms.find((vm) => vm.id === id)?.state;
  const readyOne = () =>
    until('a VM is ready', async () => (await system.state()).vms.find(({ state }) => state === 'ready'), 60_000);

  it('takes a VM out for as long as it is wanted, whatever happens to the manager, and gives it back', async () => {
    const { id, address } = await readyOne();
    const kept = await tell('keep', id);
    expect(kept.status, kept.output).to.equal(0);
    await until('it is kept', async () => (await stateOf(id)) === 'kept');
    const other = await readyOne();
    expect(other.id, 'another one fills the minimum, though max is 1').to.not.equal(id);
    const status = await mmeliot('status', '--admin', system.admin);
    expect(status.output).to.match(new RegExp(`kept +note .*One VM is kept aside.*: ${id} `));

    const end = await system.stop();
    expect(end.output).to.include(`Kept as they are, since somebody asked for it by \`mmeliot vm keep\`: ${id}.`);
    expect(end.status).to.equal(0);
    const url = `http://${address?.host}:${address?.port}/ready`;
    expect((await fetch(url)).status, 'it runs on without a manager').to.equal(200);

    const set = [`dataDir=${folder.path}`, ...settings].flatMap((one) => ['--set', one]);
    await mmeliot('release', ...set);
    expect((await fetch(url)).status, 'nor does mmeliot release give it back').to.equal(200);

    system = await startSystem(folder.path, ...settings);
    expect(await stateOf(id)).to.equal('kept');
    const released = await tell('release', id);
    expect(released.status, released.output).to.equal(0);
    await until('it is gone', async () => (await stateOf(id)) === undefined);
    expect(
      await fetch(url).then(
        ({ status: is }) => is,
        () => 'nobody there',
      ),
    ).to.equal('nobody there');
  });

  it('ends in order, and so do those who watch it, though nobody reads what they say any more', async () => {
    const watching = startProgram(['events', '--follow', '--admin', system.admin]);
    watching.child.stdout?.destroy();
    const { address } = await readyOne();
    system.child.stdout?.destroy();
    // something to say: the policy is the same, by another hand
    await mmeliot('set', 'downThreshold=29', '--admin', system.admin);
    expect((await watching.ended()).status).to.equal(0);
    expect((await system.stop()).status).to.equal(0);
    const url = `http://${address?.host}:${address?.port}/ready`;
    expect(await fetch(url).catch(() => 'nobody there')).to.equal('nobody there');
    system = await startSystem(folder.path, ...settings);
  });

  it('says in one sentence what it cannot do', async () => {
    const { id } = await readyOne();
    for (const [args, sentence] of [
      [['keep', 'no-such'], 'There is no VM no-such in this group.'],
      [['release', id], `VM ${id} is not kept: drain it, or let the manager decide when it goes.`],
    ] as const)
      expect(await tell(...args)).to.deep.equal({ status: 2, output: `mmeliot: ${sentence}\n` });
    expect(await tell('kep')).to.include({ status: 2 });
  });
});
