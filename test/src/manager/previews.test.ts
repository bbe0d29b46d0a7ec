import { expect } from 'chai';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openJournalFile } from '../../../src/manager/journal-file.ts';
import { entriesFrom, previews } from '../../../src/manager/previews.ts';
import type { LoopState } from '../../../src/loop/loop-state.ts';
import { preview } from '../../../src/loop/preview.ts';
import { World } from '../../helpers/world.ts';

describe('previews of a running manager', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mmeliot-preview-'));
  const world = new World();
  let state: LoopState;
  before(async () => {
    world.cpu = () => Math.min(100, 150 / Math.max(1, world.gateway.serving.size));
    const journal = openJournalFile({ folder, maxBytes: 60_000, files: 9 });
    const loop = world.loop({ policy: 'eliot' });
    await loop.start();
    await world.clock.advance(1_200_000);
    state = loop.state();
    await loop.stop();
    const [head] = world.journal;
    if (head === undefined) throw new Error('nothing was recorded');
    for (const entry of world.journal) journal.append(entry, () => head);
    await journal.flush();
  });
  after(() => rmSync(folder, { recursive: true }));
  const ask = () => previews({ folder, flush: async () => undefined, loop: { state: () => state } });

  it('are made of the journal on disk, in several files', async () => {
    const whole = await ask()(['high=60'], { from: 0, until: Infinity });
    expect(whole).to.deep.equal(JSON.parse(JSON.stringify(preview(world.journal, { high: 60 }))));
    const late = await ask()(['high=60'], { from: state.at - 300_000, until: state.at });
    expect(late.periods).to.be.within(29, 31);
  });

  it('read periods of the span only, and no steps', async () => {
    const kinds: string[] = [];
    for await (const entry of entriesFrom(folder, state.at - 60_000)) kinds.push(entry.kind);
    expect(kinds.filter((kind) => kind === 'period').length).to.be.within(6, 7);
    expect(kinds).to.include('settings').and.not.include('step');
  });

  it('refuse what could not be set, and a second one beside the first', async () => {
    const asked = ask();
    const refusal = (set: readonly string[]) =>
      asked(set, { from: 0, until: 1 }).catch((error: Error) => error.message);
    expect(await refusal(['high=20'])).to.include('low (30) must be below high (20)');
    expect(await refusal(['hihg=20'])).to.include('did you mean high');
    const first = refusal(['high=60']);
    expect(await refusal(['high=61'])).to.include('Another preview is being made');
    await first;
  });
});
