import { expect } from 'chai';
import { checkProvider } from '../../../src/act/provider-check.ts';
import type { Provider } from '../../../src/act/provider.ts';
import { FakeProvider } from '../../helpers/fake-provider.ts';

describe('the check of a cloud', () => {
  let now: number;
  let cloud: FakeProvider;
  let lines: string[];
  beforeEach(() => {
    now = 0;
    lines = [];
    cloud = new FakeProvider(() => now);
  });

  const check = (provider: Provider): Promise<boolean> =>
    checkProvider(
      {
        provider,
        now: () => now,
        sleep: async (ms) => void (now += ms),
        print: (line) => void lines.push(line),
        reach: async () => true,
        signal: new AbortController().signal,
      },
      { before: [], after: [], patienceMs: 300_000 },
    );

  /** Its answer is lost, and the VM comes after so long. */
  function comesLate(seconds: number): Provider {
    const late = Object.assign(cloud, {
      mayCome: () => now < 120_000 && cloud.vms.size === 0 && cloud.calls.length === 0,
      allocate: () => Promise.reject(new Error('It did not answer.')),
    });
    const list = cloud.list.bind(cloud);
    late.list = () => {
      if (now >= seconds * 1000 && cloud.calls.length === 0) cloud.appear('late');
      return list();
    };
    return late;
  }

  it('gives back the VM that it has made', async () => {
    expect(await check(cloud)).to.equal(true);
    expect(cloud.vms.size).to.equal(0);
    expect(lines.at(-1)).to.match(/^ok +release +the VM is gone/);
  });

  it('waits for the VM of an answer that was lost, and gives it back', async () => {
    expect(await check(comesLate(60))).to.equal(false);
    expect([cloud.calls, cloud.vms.size]).to.deep.equal([['release late'], 0]);
    expect(lines.slice(-3)).to.deep.equal([
      'FAILED  allocate   It did not answer.',
      '        …          A VM may still come of what was asked for: it is waited for.',
      'ok      release    the VM is gone (60000 ms)',
    ]);
  });

  it('waits no longer than one may come', async () => {
    expect(await check(comesLate(1_000))).to.equal(false);
    expect(now).to.be.within(120_000, 125_000);
    expect(lines.at(-1)).to.equal('-       release    there is nothing to give back');
  });
});
