import { expect } from 'chai';
import fc from 'fast-check';
import { classify, type JobClass, type JobOrigin } from '../../../epcis/service/jobs-classes.ts';
import { WORK_DEFAULTS } from '../../../epcis/work/options.ts';

const from = (said: Partial<Omit<JobOrigin, 'header'>> & { readonly headers?: Readonly<Record<string, string>> }) => ({
  ...{ path: '/capture', client: '192.0.2.1', ...said },
  header: (name: string) => said.headers?.[name],
});

const CLASSES: readonly JobClass[] = [
  { name: 'gate', rules: [{ client: '^gate-' }, { path: '[?]now' }] },
  { name: 'normal' },
  { name: 'bulk', rules: [{ header: { name: 'X-Request-Class', value: '^bulk$' } }, { bytes: 1000, client: '^crm$' }] },
];

describe('classes of capture jobs', () => {
  const of = classify(CLASSES, 300);

  it('go by client, path, header and size; all that a rule names must match', () => {
    expect(of(from({}), 5000)).to.deep.equal({ name: 'normal', wait: 300 });
    expect(of(from({ client: 'gate-7' }), 1)).to.deep.equal({ name: 'gate', wait: 0 });
    expect(of(from({ path: '/capture?now' }), 1)).to.deep.equal({ name: 'gate', wait: 0 });
    expect(of(from({ client: 'crm' }), 999).name).to.equal('normal');
    expect(of(from({ client: 'crm' }), 1000)).to.deep.equal({ name: 'bulk', wait: 600 });
    expect(of(from({ headers: { 'x-request-class': 'bulk' } }), 1).name).to.equal('bulk');
    expect(of(from({ headers: { 'x-request-class': 'bulky' } }), 1).name).to.equal('normal');
  });

  it('are the least important of those that match, as at the gateway', () => {
    expect(of(from({ client: 'gate-1', headers: { 'x-request-class': 'bulk' } }), 1).name).to.equal('bulk');
  });

  it('are the one without rules, or else the first, for what nothing is known of', () => {
    expect(of(undefined, 0).name).to.equal('normal');
    expect(classify([{ name: 'a', rules: [] }], 300)(undefined, 9)).to.deep.equal({ name: 'a', wait: 0 });
    expect(classify([], 300)(from({}), 9)).to.deep.equal({ wait: 0 });
  });

  it('put large documents, and those that say so, behind the others by themselves', () => {
    const { jobClasses, promoteAfterSeconds } = WORK_DEFAULTS;
    const usual = classify(jobClasses, promoteAfterSeconds * 1000);
    expect(usual(from({}), 100_000)).to.deep.equal({ name: 'normal', wait: 0 });
    expect(usual(from({}), 4 * 1024 * 1024)).to.deep.equal({ name: 'bulk', wait: 300_000 });
    expect(usual(from({ headers: { 'x-request-class': 'bulk' } }), 1).name).to.equal('bulk');
  });

  it('have nobody overtaken by what comes later than its class waits for', () => {
    fc.assert(
      fc.property(fc.nat(10_000), fc.nat(10_000), fc.nat(2), fc.nat(2), (a, b, one, other) => {
        const turn = (at: number, place: number) => at + place * 300;
        if (turn(b, other) < turn(a, one)) expect(b).to.be.below(a + one * 300);
      }),
    );
  });
});
