import { expect } from 'chai';
import { Admission, type Guest } from '../../../../src/balance/core/admission.ts';
import type { Candidate } from '../../../../src/balance/core/selectors/selector.ts';
import { GATEWAY_DEFAULTS } from '../../../../src/balance/core/options.ts';

describe('admission', () => {
  let now = 0;
  const address = { host: '127.0.0.1', port: 9000 };
  const open = () => {
    now = 0;
    return new Admission<undefined>(GATEWAY_DEFAULTS, {
      now: () => now,
      random: () => 0.5,
      selector: (vms) => vms[0] as Candidate,
    });
  };
  /** A request that waits; what became of it. */
  function guest(): Guest<undefined> & { fate: string } {
    const one: Guest<undefined> & { fate: string } = {
      ...{
        fate: 'waits',
        level: 0,
        sender: 'a',
        tenant: '',
        arrivedAt: now,
        deadline: now + 30_000,
        avoid: undefined,
        ticket: undefined,
      },
      place: () => (one.fate = 'placed'),
      turnAway: (cause) => (one.fate = cause),
    };
    return one;
  }

  it('turns requests away soon while every VM is out: the database is down, say', () => {
    const admission = open();
    const [first, second] = ['vm-1', 'vm-2'].map((id) => admission.add(id, address, undefined));
    if (first === undefined || second === undefined) throw new Error('no VM');
    admission.pool.takeOut(first, '/ready answered 503', now);
    now = 2_000;
    admission.pool.takeOut(second, '/ready answered 503', now);
    const early = guest();
    admission.enter(early, now);
    now = 6_900;
    admission.expire(now);
    expect(early.fate).to.equal('waits');
    now = 7_000;
    admission.expire(now);
    expect(early.fate).to.equal('all-out');
    const late = guest();
    admission.enter(late, now);
    admission.expire(now + 100);
    expect(late.fate).to.equal('all-out');
    admission.pool.takeBack(second, now);
    const back = guest();
    admission.enter(back, now);
    expect(back.fate).to.equal('placed');
  });

  it('lets requests wait while there is no VM, since one is on its way', () => {
    const admission = open();
    const early = guest();
    admission.enter(early, now);
    now = 20_000;
    admission.expire(now);
    expect(early.fate).to.equal('waits');
    admission.add('vm-1', address, undefined);
    expect(early.fate).to.equal('placed');
  });

  it('counts the uploads at a VM, one that waits for its client not', () => {
    const admission = open();
    const vm = admission.add('vm-1', address, undefined);
    const upload = { ...guest(), isUpload: true };
    const counted = (): readonly number[] => [vm.inFlight, vm.uploads];
    admission.enter(upload, now);
    admission.enter(guest(), now);
    expect(counted()).to.deep.equal([2, 1]);
    admission.rest(upload, vm);
    expect(counted()).to.deep.equal([1, 0]);
    admission.goOn(upload, vm);
    expect(counted()).to.deep.equal([2, 1]);
    admission.leave(upload, vm, undefined, now);
    expect(counted()).to.deep.equal([1, 0]);
  });

  it('keeps a place for what is more important and comes all the time, and leaves the others to the rest', () => {
    now = 0;
    const admission = new Admission<undefined>(
      { ...GATEWAY_DEFAULTS, perVm: 4 },
      { now: () => now, random: () => 0.5, selector: (vms) => vms[0] as Candidate },
    );
    for (const id of ['vm-1', 'vm-2']) admission.add(id, address, undefined);
    const ends: { at: number; end: () => void }[] = [];
    const waited: number[] = [];
    const served = { important: 0, rest: 0 };
    const ask = (level: number, sender: string, again: () => void) => {
      const since = now;
      const one: Guest<undefined> = {
        ...{ ...guest(), level, sender, deadline: Infinity },
        place: (vm) => {
          if (level === 0) waited.push(now - since);
          ends.push({
            at: now + 80,
            end: () => {
              served[level === 0 ? 'important' : 'rest']++;
              admission.leave(one, vm, { responseMs: 80, error: false }, now);
              again();
            },
          });
        },
        turnAway: () => {},
      };
      admission.enter(one, now);
    };
    const askAgain = (sender: string): void => ask(3, sender, () => askAgain(sender));
    for (let i = 0; i < 50; i++) askAgain(`bulk-${i}`);
    // one client, that asks 4 ms after each answer
    const important = (): void => ask(0, 'important', () => ends.push({ at: now + 4, end: important }));
    important();
    for (; now < 40_000; now++) {
      const over = ends.filter(({ at }) => at <= now);
      for (const one of over) ends.splice(ends.indexOf(one), 1);
      for (const one of over) one.end();
    }
    const late = waited.slice(20).filter((ms) => ms > 0);
    expect(late.length, `of ${waited.length} waited`).to.be.below(0.05 * waited.length);
    expect(served.important).to.be.above((0.95 * 40_000) / 84);
    expect(served.rest).to.be.above((0.98 * 7 * 40_000) / 80);
  });
});
