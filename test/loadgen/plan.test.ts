import { expect } from 'chai';
import { cellsOf, durationOf, maxOf, parsePlan, samePlan, type ExperimentPlan } from '../../loadgen/plan.ts';
import { growthPlan, paperPlan } from '../../loadgen/plan-paper.ts';
import { OptionError } from '../../loadgen/workload/option-error.ts';

const SMALL = `
name: small
policies: { eliot: { elasticity.policy: eliot }, react: { elasticity.policy: react } }
profiles: { up: { profile: ascending, max: 20, duration: 2m }, flat: { profile: constant, max: 80%, duration: 30s } }
`;

const small = (more = ''): ExperimentPlan => parsePlan(SMALL + more, 'small.yaml');

describe('a plan', () => {
  it('needs policies and profiles; the rest has defaults, durations are ms', () => {
    const plan = small();
    expect(plan.profiles['up']).to.deep.equal({ profile: 'ascending', max: 20, duration: 120_000 });
    expect(plan.profiles['flat']?.duration).to.equal(30_000);
    expect(plan).to.include({ seed: 1, repetitions: 3, warmup: 5000, compareWithPaper: false });
    expect(plan.load).to.include({ drive: 'bursts', step: 1000, timeout: 30_000 });
    expect(plan.objective).to.deep.equal({ share: 0.95, within: 500 });
  });

  it('says in one sentence what is wrong with it, and where', () => {
    const wrong: Record<string, RegExp> = {
      'name: [': /no YAML/,
      'name: x': /^bad.yaml: policies is missing; bad.yaml: profiles is missing\.$/,
      'name: *x': /no YAML/,
      [`${SMALL}repetitons: 2`]: /^bad.yaml, line 5, column 1: there is no repetitons; did you mean repetitions\?$/,
      [SMALL.replace('profile: ascending', 'profle: ascending')]:
        /^bad.yaml, line 4, column 13: profiles.up.profile is missing; bad.yaml, line 4, column 19: there is no profiles.up.profle; did you mean profile\?$/,
      [SMALL.replace('react: {', '"a b": {')]:
        /policies.a b: a name of letters, digits, dots and dashes is expected\.$/,
      [`${SMALL}load: { drive: closed, thinktime: 1s }`]: /there is no load.thinktime; did you mean thinkTime\?$/,
      [SMALL.replace('ascending', 'rising')]: /profiles.up.profile: one of ascending, .* is expected/,
      [SMALL.replace(', duration: 2m', '')]: /profiles.up: either duration or growth is expected\.$/,
      [SMALL.replace('duration: 2m', 'duration: 2m, growth: 0.5')]:
        /profiles.up: either duration or growth is expected\.$/,
      [`${SMALL.replace('duration: 2m', 'growth: 0.5')}load: { drive: closed }`]:
        /profiles.up.growth: with clients that wait nobody knows how fast the load grows; name its duration\.$/,
      [SMALL.replace('2m', 'soon')]: /profiles.up.duration: soon: a duration such as/,
      [SMALL.replace('80%', 'much')]: /profiles.flat.max: .*120%/,
      [SMALL.replace('eliot: {', '../up: {')]: /policies/,
    };
    wrong[`${'- '.repeat(20_000)}\n- b`] = /it is nested too deeply\.$/;
    for (const [text, sentence] of Object.entries(wrong))
      expect(() => parsePlan(text, 'bad.yaml'), text)
        .to.throw(OptionError, sentence)
        .with.property('message')
        .that.does.not.include('\n');
  });

  it('has every policy under every load once in each repetition, in an order that the seed shuffles', () => {
    const cells = cellsOf(small());
    expect(cells).to.have.length(12);
    for (const repetition of [1, 2, 3]) {
      const names = cells.slice(4 * (repetition - 1), 4 * repetition).map(({ name }) => name);
      expect(names).to.have.members(
        ['eliot-up', 'eliot-flat', 'react-up', 'react-flat'].map((x) => `${x}-${repetition}`),
      );
    }
    const orderOf = (seed: number) => cellsOf({ ...small(), seed }).map(({ name }) => name);
    expect(orderOf(1)).to.deep.equal(orderOf(1));
    expect(new Set([1, 2, 3, 4].map((seed) => orderOf(seed).join())).size).to.be.greaterThan(1);
  });

  it('scales a load to what the fleet can answer', () => {
    expect(maxOf(70, 200)).to.equal(70);
    expect(maxOf('120%', 175)).to.equal(210);
    expect(maxOf('1 %', 10)).to.equal(1);
  });

  it('is the same plan after it was kept as JSON', () => {
    expect(samePlan(small(), JSON.parse(JSON.stringify(small())))).to.equal(true);
    expect(samePlan(small('seed: 2'), small())).to.equal(false);
  });

  it('is made for the paper: three managers under two loads, every number a parameter', () => {
    const plan = parsePlan(paperPlan({}), 'paper');
    expect(Object.keys(plan.policies)).to.deep.equal(['eliot', 'mmeliot', 'paper-literal']);
    expect(cellsOf(plan)).to.have.length(60);
    expect(plan.load.drive).to.equal('batch');
    expect(plan.settings['elasticity.responseSample']).to.equal('last');
    expect(plan.profiles['ascending']).to.deep.equal({ profile: 'ascending', max: '70%', growth: 0.5 });
    const bursts = parsePlan(paperPlan({ regime: 'bursts' }), 'paper');
    expect(cellsOf(bursts)).to.have.length(18);
    expect(bursts.load.drive).to.equal('bursts');
    expect(bursts.settings['elasticity.responseSample']).to.equal('mean');
    const short = parsePlan(paperPlan({ short: true }), 'paper');
    expect(cellsOf(short)).to.have.length(20);
    expect([Object.keys(short.policies), Object.keys(short.profiles)]).to.deep.equal([
      ['eliot', 'mmeliot'],
      ['ascending'],
    ]);
    const other = parsePlan(paperPlan({ k: 210, duration: '10m', repetitions: 1, cpu: 0.5, seed: 7 }), 'paper');
    expect(other.profiles['descending']).to.deep.equal({ profile: 'descending', max: 210, duration: 600_000 });
    expect(other.settings['local.cpu']).to.equal(0.5);
    expect(other).to.include({ repetitions: 1, seed: 7 });
  });

  it('may say how long a ramp is by the boots of VMs: so many of them are needed more while one boots', () => {
    const fleet = { bootMs: 2500, vmRate: 20, perSecond: 56 };
    expect(durationOf({ growth: 0.5 }, fleet)).to.equal(14_000);
    expect(durationOf({ growth: 0.5 }, { ...fleet, bootMs: 3900 })).to.equal(22_000);
    expect(durationOf({ growth: 1 }, { ...fleet, bootMs: 100 })).to.equal(1000);
    expect(durationOf({ duration: 7000 }, fleet)).to.equal(7000);
  });

  it('is made for points of the map: the faster the load grows, the shorter the ramp', () => {
    const plan = parsePlan(growthPlan({ repetitions: 2, seed: 3 }), 'map');
    expect(cellsOf(plan)).to.have.length(12);
    expect(Object.entries(plan.profiles).map(([name, { growth }]) => [name, growth])).to.have.deep.members([
      ['growth-0.25', 0.25],
      ['growth-0.5', 0.5],
      ['growth-1', 1],
    ]);
    expect(plan).to.include({ repetitions: 2, seed: 3 });
  });
});
