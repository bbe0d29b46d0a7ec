// The keys of orders, in a file of its own.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { openOrderKeys } from '../../../src/manager/order-keys.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

const DAY = 86_400_000;

describe('keys of orders to nodes', () => {
  const folder = temporaryFolder();
  after(() => folder.remove());

  it('are known for nine changes more, so that a node that was away for days is told the newest', async () => {
    let now = 0;
    const file = join(folder.path, 'keys.json');
    const keys = await openOrderKeys(
      file,
      () => now,
      () => now,
    );
    const [first] = keys.current();
    await keys.rotate(DAY);
    expect(keys.current()).to.deep.equal([first]);
    for (let day = 1; day <= 9; day++) {
      now += DAY + 1;
      await keys.rotate(DAY);
    }
    expect(keys.current()).to.have.length(10);
    expect(keys.current()[0]).to.equal(first);
    expect(JSON.parse(readFileSync(file, 'utf8'))).to.deep.equal(keys.current());
    const again = await openOrderKeys(
      file,
      () => now,
      () => now,
    );
    expect(again.current()).to.deep.equal(keys.current());
    now += DAY + 1;
    await again.rotate(DAY);
    expect(again.current()).to.have.length(10);
    expect(again.current()).not.to.deep.include(first);
  });

  it('are renewed when they are old, however the clock is set, before a restart or after', async () => {
    let [now, passed] = [400 * DAY, 0];
    const open = () =>
      openOrderKeys(
        join(folder.path, 'set.json'),
        () => now + passed,
        () => passed,
      );
    let keys = await open();
    const changes = async (pass: number): Promise<boolean> => {
      const [before] = keys.current().slice(-1);
      passed += pass;
      await keys.rotate(DAY);
      return keys.current().at(-1) !== before;
    };
    for (const set of [-300 * DAY, 300 * DAY]) {
      now += set;
      expect(await changes(DAY)).to.equal(false);
      expect(await changes(1)).to.equal(true);
    }
    now -= 300 * DAY;
    keys = await open();
    expect(await changes(DAY)).to.equal(false);
    expect(await changes(1)).to.equal(true);
    now += DAY; // the manager was away, as far as anybody can say
    keys = await open();
    expect(await changes(1)).to.equal(true);
  });

  it('are not made anew because what stands there is none', async () => {
    const file = join(folder.path, 'none.json');
    for (const text of ['', '{}', 'null', '[{"private":']) {
      writeFileSync(file, text);
      const open = openOrderKeys(file, Date.now, Date.now);
      expect(await open.catch(String), text).to.match(/cannot be read \(damaged\): put the file aside/);
    }
  });
});
