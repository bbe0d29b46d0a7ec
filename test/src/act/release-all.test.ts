import { expect } from 'chai';
import { releaseAll, type Remains } from '../../../src/act/release-all.ts';
import { FakeProvider } from '../../helpers/fake-provider.ts';

describe('the end of a fleet', () => {
  let now = 0;
  let provider: FakeProvider;
  const happens = new Map<number, () => void>();
  const clock = {
    now: () => now,
    sleep: async (ms: number) => {
      now += ms;
      for (const [at, what] of happens) if (at <= now && happens.delete(at)) what();
    },
  };
  beforeEach(() => {
    now = 0;
    happens.clear();
    provider = new FakeProvider(() => now);
    for (const id of ['a', 'b', 'c']) provider.appear(id);
  });

  it('releases every VM', async () => {
    expect(await releaseAll(provider, 60_000, clock)).to.deep.equal({ vms: [], kept: [] });
    expect(provider.vms.size).to.equal(0);
    expect(now).to.be.below(2_000);
  });

  it('does not wait for long where VMs are gone soon', async () => {
    const release = provider.release.bind(provider);
    provider.release = async (id) => void happens.set(120 + id.charCodeAt(0), () => void release(id));
    expect(await releaseAll(provider, 60_000, clock)).to.deep.equal({ vms: [], kept: [] });
    expect(now).to.be.below(400);
  });

  it('releases the others when one is refused, names it and says why', async () => {
    const release = provider.release.bind(provider);
    provider.release = (id) => (id === 'b' ? Promise.reject(new Error('It is locked.')) : release(id));
    expect(await releaseAll(provider, 20_000, clock)).to.deep.equal({
      vms: [{ id: 'b', why: 'It is locked.' }],
      kept: [],
    });
    expect([...provider.vms.keys()]).to.deep.equal(['b']);
    expect(now).to.be.within(20_000, 21_000);
  });

  it('waits for a front end that is away, as long as it is told', async () => {
    provider.moods.list = 'errors';
    happens.set(30_000, () => (provider.moods.list = 'works'));
    expect(await releaseAll(provider, 60_000, clock)).to.deep.equal({ vms: [], kept: [] });
    provider.appear('d');
    provider.moods.list = 'errors';
    expect(await releaseAll(provider, 5_000, clock)).to.deep.equal({
      vms: [],
      kept: [],
      unlisted: 'The cloud is on fire.',
    });
  });

  it('waits for a VM that may still come, and gives it back', async () => {
    let mayCome = true;
    const cloud = Object.assign(provider, { mayCome: () => mayCome });
    happens.set(60_000, () => {
      provider.appear('d');
      mayCome = false;
    });
    expect(await releaseAll(cloud, 300_000, clock)).to.deep.equal({ vms: [], kept: [] });
    expect([provider.vms.size, now >= 60_000]).to.deep.equal([0, true]);
  });

  it('says of a VM that may still come that it may', async () => {
    const cloud = Object.assign(provider, { mayCome: () => true });
    expect(await releaseAll(cloud, 5_000, clock)).to.deep.equal({ vms: [], kept: [], mayCome: true });
  });

  it('names the VMs that were known of a front end that is never heard again', async () => {
    provider.moods.list = 'errors';
    expect(await releaseAll(provider, 5_000, clock, { kept: new Set(['b']), known: ['a', 'b'] })).to.deep.equal({
      vms: [{ id: 'a', why: 'nobody could ask for its release' }],
      kept: ['b'],
      unlisted: 'The cloud is on fire.',
    });
  });

  it('asks once where a release is taken and takes its time, and names what is still there', async () => {
    provider.moods.release = 'says yes and does nothing';
    provider.change('a', { note: 'It is in EPILOG for 3 min.' });
    const { vms } = await releaseAll(provider, 20_000, clock);
    expect(vms.map(({ id, why }) => [id, why])).to.deep.equal([
      ['a', 'It is in EPILOG for 3 min.'],
      ['b', 'running'],
      ['c', 'running'],
    ]);
    expect(provider.calls).to.deep.equal(['release a', 'release b', 'release c']);
  });

  it('leaves those alone that a person keeps, and names them', async () => {
    const remains = await releaseAll(provider, 60_000, clock, { kept: new Set(['b', 'of another time']) });
    expect(remains).to.deep.equal({ vms: [], kept: ['b'] });
    expect([...provider.vms.keys()]).to.deep.equal(['b']);
    expect(now).to.be.below(2_000);
  });

  it('gives back, too, what comes of an order that was under way', async () => {
    let isAsking = true;
    happens.set(3_000, () => {
      provider.appear('late');
      isAsking = false;
    });
    const seen: string[] = [];
    const tell = ({ vms }: Remains) => void seen.push(vms.map(({ id }) => id).join());
    const remains = await releaseAll(provider, 60_000, clock, { isAsking: () => isAsking, tell });
    expect(remains).to.deep.equal({ vms: [], kept: [] });
    expect(provider.calls.filter((call) => call.startsWith('release'))).to.include('release late');
    expect(provider.vms.size).to.equal(0);
    expect(seen).to.include('late');
  });

  it('asks again what failed', async () => {
    provider.moods.release = 'errors';
    happens.set(12_000, () => (provider.moods.release = 'works'));
    expect(await releaseAll(provider, 60_000, clock)).to.deep.equal({ vms: [], kept: [] });
    expect(now).to.be.within(12_000, 18_000);
  });
});
