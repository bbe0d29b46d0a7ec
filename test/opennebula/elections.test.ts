// The provider against several front ends behind one address, whose leader changes: followers that refuse, are behind, or pass calls on
// and give up; and answers that come long after anybody waits for them.
import { expect } from 'chai';
import { createOpenNebulaProvider, type OpenNebulaOptions } from '../../opennebula/provider.ts';
import { http, page, type Played } from '../helpers/played.ts';
import { playFrontEnd, pool, refusal, success, TEMPLATE, vmXml, type PlayedFrontEnd } from './played.ts';
import { refused } from './scene.ts';

describe('OpenNebula provider of several front ends', function () {
  this.timeout(60_000);
  let frontEnd: PlayedFrontEnd;
  let provider: ReturnType<typeof createOpenNebulaProvider>;
  let now: number;
  /** What the leader has made, and what who is asked for a list knows of it. */
  let made: string[];
  let isBehind: boolean;
  /** The answer to `instantiate`; the leader makes the VM `late` ms after the call, or never. */
  let answer: () => Played | undefined;
  let late: number;

  beforeEach(async () => {
    now = 1_800_000_000_000;
    made = [];
    isBehind = false;
    late = 0;
    answer = () => success(40);
    const due: { readonly at: number; readonly vm: string }[] = [];
    frontEnd = await playFrontEnd((method, params) => {
      if (method === 'one.template.info') return TEMPLATE;
      if (method === 'one.template.instantiate') {
        const mark = /MMELIOT_MARK="(\w+)"/.exec(params[3] as string)?.[1] ?? '';
        due.push({ at: now + late, vm: vmXml({ id: 40 + due.length, mark, state: [1, 0] }) });
        return answer();
      }
      if (!method.startsWith('one.vmpool.')) return success(40);
      made = due.filter(({ at }) => at <= now).map(({ vm }) => vm);
      return pool(...(isBehind ? [] : made.toReversed()));
    });
  });
  afterEach(async () => {
    await provider.close();
    await frontEnd.close();
  });

  function open(options: Partial<OpenNebulaOptions> = {}): void {
    const login = { url: frontEnd.url, user: 'scaler', password: 's3cret' };
    provider = createOpenNebulaProvider(
      { ...login, group: 'demo', template: 0, context: {}, ...options },
      { now: () => now, sleep: async (ms) => void (now += ms) },
    );
  }
  const asked = (): number => frontEnd.calls.filter(([method]) => method === 'one.template.instantiate').length;

  /** As the manager does: asks again and again with the same mark, until there is a VM. */
  async function insist(seconds: number): Promise<string | undefined> {
    for (const end = now + seconds * 1000; now < end; now += 1_000) {
      const id = await provider.allocate({ mark: 'a' }).catch(() => undefined);
      if (id !== undefined) return id;
    }
    return undefined;
  }

  for (const sentence of [
    'Cannot process request, no leader found',
    'Cannot process request, oned cluster in election period',
    'Cannot process request, oned cluster in election mode',
    'Cannot process request, oned cluster is replicating log',
  ])
    it(`says that nobody leads, and asks again without a doubt: ${sentence}`, async () => {
      open();
      answer = () => refusal(8192, `[one.template.instantiate] ${sentence}`);
      late = Infinity;
      const began = now;
      const error = await refused(provider.allocate({ mark: 'a' }));
      expect(error.message).to.equal(
        `OpenNebula's front ends have no leader just now, and are asked again. (${sentence})`,
      );
      expect(error.code).to.equal('PROVIDER_FAILED');
      expect([now - began, provider.mayCome?.()], 'nothing is looked for').to.deep.equal([0, false]);
      late = 0;
      answer = () => success(41);
      expect(await provider.allocate({ mark: 'a' })).to.equal('41');
    });

  for (const [what, said] of [
    ['gives up', refusal(8192, '[one.template.instantiate] RPC call timed out and aborted')],
    ['loses its leader in the middle', refusal(8192, '[one.template.instantiate] Empty reply from server')],
    ['is a proxy, which gives up', page('504 Gateway Timeout')],
  ] as const)
    it(`finds the VM that a leader made though the follower that passed the call on ${what}`, async () => {
      open();
      answer = () => said;
      late = 4_000;
      expect(await provider.allocate({ mark: 'a' })).to.equal('40');
      expect([asked(), provider.mayCome?.()]).to.deep.equal([1, false]);
    });

  it('says what failed inside where nothing came of it', async () => {
    open();
    late = Infinity;
    answer = () => refusal(8192, '[one.template.instantiate] Cannot update the database: read-only');
    const { message } = await refused(provider.allocate({ mark: 'a' }));
    expect(message).to.match(/^OpenNebula failed inside; .*\(Cannot update the database: read-only\)$/);
    expect(provider.mayCome?.()).to.equal(false);
  });

  for (const [what, said] of [
    ['nobody answers in time', undefined],
    ['a follower gives up', refusal(8192, '[one.template.instantiate] RPC call timed out and aborted')],
  ] as const)
    for (const seconds of [15, 60, 110])
      it(`makes one VM where ${what}, and it comes ${seconds} s late`, async () => {
        open({ deadlineMs: said === undefined ? 1_000 : 10_000 });
        answer = () => said;
        late = seconds * 1000;
        expect(await insist(5), 'no VM yet').to.equal(undefined);
        expect(provider.mayCome?.(), 'one may come').to.equal(true);
        expect(await insist(seconds)).to.equal('40');
        expect([asked(), made.length, provider.mayCome?.()]).to.deep.equal([1, 1, false]);
      });

  it('asks for another one when none will come any more', async () => {
    open({ deadlineMs: 1_000 });
    answer = () => undefined;
    late = Infinity;
    expect(await insist(100)).to.equal(undefined);
    expect(asked()).to.equal(1);
    answer = () => success(41);
    late = 0;
    expect(await insist(60)).to.equal('41');
    expect(asked()).to.equal(2);
  });

  it('makes no second VM where who is asked does not know of the first one yet', async () => {
    open();
    const first = await provider.allocate({ mark: 'a' });
    isBehind = true;
    expect(await provider.allocate({ mark: 'a' })).to.equal(first);
    isBehind = false;
    expect(await provider.allocate({ mark: 'a' })).to.equal(first);
    expect(asked()).to.equal(1);
  });

  it('keeps no VM in mind that is gone, and none that is released before any list has shown it', async () => {
    open();
    const first = await provider.allocate({ mark: 'a' });
    await provider.release(first);
    isBehind = true;
    answer = () => success(41);
    expect(await provider.allocate({ mark: 'a' })).to.equal('41');
    now += 61_000;
    answer = () => success(42);
    expect(await provider.allocate({ mark: 'a' })).to.equal('42');
  });

  it('takes a number that is none for no answer, however late the VM comes', async () => {
    open();
    answer = () => ({ bytes: http('') });
    late = 3_000;
    expect(await provider.allocate({ mark: 'a' })).to.equal('40');
    expect(asked()).to.equal(1);
  });
});
