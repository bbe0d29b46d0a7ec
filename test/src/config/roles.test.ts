import { expect } from 'chai';
import { readConfigText } from '../../../src/config/file.ts';
import { loadConfig, parseConfig } from '../../../src/config/load.ts';
import { workParametersOf } from '../../../src/config/roles.ts';

const load = (...set: string[]) => loadConfig({ env: {}, set });
const work = (...set: string[]) => workParametersOf(load(...set));

describe('the roles of a group', () => {
  it('are none by themselves: every VM does both', () => {
    expect(work()).to.equal(undefined);
  });

  it('have the settings of elasticity and fleet where they say nothing else, and may be no VM at all', () => {
    const settings = ['elasticity.period=5s', 'elasticity.max=7', 'elasticity.policy=hpa', 'fleet.spotShare=40'];
    expect(work(...settings, 'roles={work: {}}')).to.include({
      period: 5000,
      max: 7,
      min: 0,
      policy: 'backlog',
      spotShare: 40,
    });
    const own = work(...settings, 'roles={work: {max: 3, spotShare: 100, policyParameters: {within: 2m}}}');
    expect(own).to.include({ max: 3, spotShare: 100 });
    expect(own?.policyParameters).to.deep.equal({ within: 120_000 });
    expect(work('roles={work: {policy: proliot, min: 1}}')).to.include({ policy: 'proliot', min: 1 });
  });

  for (const [given, sentence] of [
    ['{work: {mx: 3}}', /there is no setting roles\.work\.mx; did you mean max\?/i],
    ['work', /roles: a mapping of names to values is expected, and it is a text\./],
    ['{work: {policy: hpa}}', /roles\.work: min is 0, and only the policy backlog .* hpa needs a min of 1/],
    ['{work: {min: 5, max: 2}}', /roles\.work: min \(5\) must not be above max \(2\)/],
    ['{work: {policyParameters: {within: 5}}}', /roles\.work: policyParameters\.within/],
    ['{query: {}}', /roles/],
  ] as const)
    it(`refuses ${given}`, () => {
      expect(() => load(`roles=${given}`)).to.throw(sentence);
    });

  it('are there with all their defaults where nothing more is said of them, and are none where nothing is', () => {
    const read = (text: string) => {
      const { value, place } = readConfigText(text, 'mmeliot.yaml', {});
      return workParametersOf(parseConfig(value, 'mmeliot.yaml', place));
    };
    expect(read('roles:\n  work:\n')).to.deep.equal(work('roles={work: {}}'));
    expect(read('roles:\n  # work:\n')).to.equal(undefined);
  });

  for (const [text, sentence] of [
    [
      'roles:\n  work: {mx: 3}\n',
      'mmeliot.yaml, line 2, column 10: there is no setting roles.work.mx; did you mean max?',
    ],
    [
      'roles:\n  work:\n    min: 5\n    max: 2\n',
      'mmeliot.yaml, line 3, column 5: roles.work: min (5) must not be above max (2).',
    ],
  ] as const)
    it(`are refused with their place: ${JSON.stringify(text)}`, () => {
      const { value, place } = readConfigText(text, 'mmeliot.yaml', {});
      expect(() => parseConfig(value, 'mmeliot.yaml', place)).to.throw(sentence);
    });

  it('go with tenants, whose stored work is counted, too', () => {
    const tenants = ['access=known', 'collector.secret=abcdefgh12345678', 'epcis.tenants=[a]'];
    expect(() => load(...tenants, 'roles={work: {}}')).not.to.throw();
  });

  it('have classes of jobs, sizes with their units', () => {
    const [, bulk] = load('epcis.work.jobClasses=[{name: a}, {name: b, rules: [{bytes: 2MiB}]}]').epcis.work.jobClasses;
    expect(bulk?.rules).to.deep.equal([{ bytes: 2 * 1024 * 1024 }]);
    expect(() => load('epcis.work.jobClasses=[{name: a, rules: [{path: "("}]}]')).to.throw(/regular expression/);
  });
});
