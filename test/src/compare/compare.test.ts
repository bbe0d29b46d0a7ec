import { expect } from 'chai';
import fc from 'fast-check';
import { comparisonChart } from '../../../src/compare/chart.ts';
import { comparisonCsv, comparisonMarkdown } from '../../../src/compare/report.ts';
import {
  compareOn,
  frontier,
  frontierAt,
  geometricMean,
  judgements,
  type Scene,
} from '../../../src/compare/compare.ts';
import { DEFAULT_PARAMETERS } from '../../../src/decide/parameters.ts';
import { playing } from '../../../src/compare/benchmark/scenes.ts';
import { contenders, staticFleets } from '../../../src/compare/contenders.ts';
import { policies } from '../../../src/decide/policies/index.ts';
import { planned } from '../../../src/compare/foresight.ts';
import { createChance } from '../../../src/simulate/chance.ts';
import { DEFAULT_VM } from '../../../src/simulate/vm-model.ts';
import { MINUTE, wave } from '../../helpers/simulation.ts';

const point = (vmHours: number, violationsPercent: number) => ({ vmHours, violationsPercent, actions: 0 });

const SCENE: Scene = {
  name: 'wave <1>',
  bootMs: 10_000,
  objective: { ms: 500, share: 0.95 },
  vm: DEFAULT_VM,
  max: 10,
  at: wave(10, 80, 20 * MINUTE),
  duration: 60 * MINUTE,
  skip: 20 * MINUTE,
  seed: 1,
};

describe('compare', function () {
  this.timeout(60_000);

  it('draws the frontier of what no other beats', () => {
    const points = [point(20, 1), point(10, 4), point(15, 5), point(12, 4), point(30, 1), point(5, 50)];
    expect(frontier(points)).to.deep.equal([point(5, 50), point(10, 4), point(20, 1)]);
    expect(frontierAt(points, 15)).to.be.closeTo(2, 1e-9);
    expect(frontierAt(points, 10)).to.be.closeTo(4, 1e-9);
    expect(frontierAt(points, 5)).to.equal(50);
    expect(frontierAt(points, 4)).to.equal(undefined);
    expect(frontierAt(points, 99)).to.equal(1);
    expect(frontierAt([], 1)).to.equal(undefined);
    expect(geometricMean([1, 4])).to.be.closeTo(2, 1e-9);
  });

  it('takes nothing right of the last point of the frontier for a win', () => {
    const named = (policy: 'react' | 'adaptive', hours: number, percent: number) => ({
      ...point(hours, percent),
      ...{ policy, label: '' },
    });
    const ratioOf = (hours: number, percent: number): number | undefined =>
      judgements({
        scene: SCENE,
        points: [named('react', 10, 4), named('react', 20, 1), named('adaptive', hours, percent)],
      })[0]?.ratio;
    expect(ratioOf(20, 0.5)).to.equal(0.5);
    expect(ratioOf(20, 1 + 1e-12), 'a draw, rounded otherwise').to.equal(1);
    expect(ratioOf(21, 0.5)).to.equal(1);
    expect(ratioOf(21, 2)).to.equal(2);
    expect(ratioOf(9, 50)).to.equal(undefined);
  });

  it('has static fleets do just what their size allows', () => {
    const { points } = compareOn(SCENE, staticFleets(10));
    const statics = points.filter(({ policy }) => policy === 'static');
    expect(statics.map(({ actions }) => actions)).to.deep.equal(statics.map(() => 0));
    expect(statics.map(({ vmHours }) => Math.round(vmHours * 1.5))).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('plans with foresight: in time, over short gaps, at the price of the boot', () => {
    expect(planned([1, 2, 1, 2, 1], 2, 4)).to.deep.equal(
      [1, 2, 2, 2, 1].map((ready, i) => ({ ready, paid: [2, 2, 2, 2, 1][i] })),
    );
    const need = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(need, fc.nat(5), (needed, boot) => {
        planned(needed, boot, 6).forEach(({ ready, paid }, slot) => {
          expect(ready).to.be.at.least(needed[slot] ?? 0);
          expect(paid).to.be.at.least(ready);
        });
      }),
    );
  });

  it('has a mark of its own for every policy, whatever its colour', () => {
    const point = { vmHours: 1, violationsPercent: 1, actions: 0, label: '' };
    const names = [...(Object.keys(policies) as (keyof typeof policies)[]), 'static' as const];
    const marks = names.map((policy) => {
      const svg = comparisonChart([{ scene: SCENE, points: [{ ...point, policy }] }], 1);
      const [, points = '', fill] = /<polygon points="([^"]*)" fill="([^"]*)"/.exec(svg) ?? [];
      const [[x0 = 0, y0 = 0] = []] = points.split(' ').map((pair) => pair.split(',').map(Number));
      const shape = points.split(' ').map((pair) => pair.split(',').map(Number));
      const size = policy === 'adaptive' ? 5 : 3.5;
      const form = shape.map(([x = 0, y = 0]) => [(x - x0) / size, (y - y0) / size].map((at) => at.toFixed(1)).join());
      return `${form.join(' ')} ${fill === '#fff' ? 'hollow' : 'filled'}`;
    });
    expect(new Set(marks).size).to.equal(names.length);
  });

  it('sweeps every policy over its own settings', () => {
    const all = contenders({ objectiveMs: 500, vm: DEFAULT_VM, max: 10 });
    expect([...new Set(all.map(({ policy }) => policy))]).to.deep.equal([...Object.keys(policies), 'static']);
    expect(new Set(all.map(({ policy, label }) => `${policy} ${label}`)).size).to.equal(all.length);
    expect(new Set(all.map(({ parameters }) => JSON.stringify(parameters))).size, 'no two alike').to.equal(all.length);
    for (const { policy, parameters } of all)
      if (policy !== 'static' && policies[policy].thresholds(DEFAULT_PARAMETERS).length === 0)
        expect(parameters, policy).to.not.have.any.keys('high', 'low');
  });

  it('has every peer at its best: told what a VM can do, looking as often as its authors do, with short and long windows', () => {
    const all = contenders({ objectiveMs: 500, vm: { serviceMs: 50, parallel: 1, variation: 1 }, max: 10 });
    const of = (name: string) => all.filter(({ policy }) => policy === name).map(({ parameters }) => parameters);
    for (const name of ['react', 'reg', 'adapt']) {
      expect(
        of(name).map(({ policyParameters }) => policyParameters?.['speed']),
        name,
      ).to.deep.equal(of(name).map(() => 20));
      expect(new Set(of(name).map(({ period }) => period)), name).to.deep.equal(new Set([undefined, 60_000]));
    }
    expect(new Set(of('kpa').map(({ period }) => period))).to.deep.equal(new Set([2_000]));
    const own = (name: string, parameter: string) =>
      new Set(of(name).map(({ policyParameters }) => policyParameters?.[parameter]));
    expect(own('kpa', 'stableWindow')).to.deep.equal(new Set([undefined, 300_000]));
    expect(own('hpa', 'stabilization')).to.deep.equal(new Set([undefined, 60_000, 0]));
  });

  it('is fair to peers that go by arrivals: few arrivals scatter in ten seconds, and a minute has six times as many', () => {
    // 3 a second: 30 in ten seconds, with a scatter of 18 %
    const noisy = createChance(1);
    const rates = Array.from({ length: 720 }, () => Math.max(0, 3 + 1.7 * noisy.normal()) * 10);
    const scene = { ...SCENE, bootMs: 180_000, at: playing(rates), duration: 7_200_000, max: 10 };
    const { points } = compareOn(
      scene,
      contenders({ objectiveMs: 500, vm: DEFAULT_VM, max: 10 }).filter(({ policy }) => policy === 'react'),
    );
    const peers = points.filter(({ policy }) => policy === 'react');
    expect(frontier(peers).some(({ label }) => label.startsWith('period 60 s'))).to.equal(true);
  });

  it('runs a scene, and tells where adaptive stands, in Markdown, CSV and SVG', () => {
    const scene = SCENE;
    const chosen = contenders({ objectiveMs: 500, vm: DEFAULT_VM, max: 10 }).filter(({ policy }) =>
      ['react', 'adaptive', 'static'].includes(policy),
    );
    const comparison = compareOn(scene, chosen);
    const found = judgements(comparison);
    expect(found.map(({ point: { label } }) => label)).to.include('objectivePercent 95');
    for (const {
      foresight,
      point: { violationsPercent },
    } of found)
      if (foresight !== undefined) expect(violationsPercent).to.be.greaterThan(foresight / 2);
    const foreseen = comparison.points.filter(({ policy }) => policy === 'foresight');
    const whole = comparison.points.find(({ label }) => label === '10 VMs');
    expect(foreseen.at(-1)?.vmHours, 'as dear as it gets').to.be.closeTo(whole?.vmHours ?? NaN, 0.01);
    expect(foreseen.at(-1)?.violationsPercent).to.be.at.most((whole?.violationsPercent ?? NaN) + 1e-6);
    const markdown = comparisonMarkdown([comparison]);
    expect(markdown).to.match(/\| wave <1> \| 10 s \| 95 % < 500 ms \| objectivePercent 95 \| \d/);
    expect(markdown).to.match(/\| all \| [\d.]+ \| [\d.]+ \| \d \| \d \| 5 \|/);
    const csv = comparisonCsv([comparison]).trimEnd().split('\n');
    expect(csv).to.have.length(1 + comparison.points.length);
    const svg = comparisonChart([comparison], 1);
    expect(svg)
      .to.match(/^<svg .*<\/svg>\n$/s)
      .and.include('wave &lt;1&gt;')
      // the axis begins at 0 and has round numbers
      .and.match(/text-anchor="middle">0<.*text-anchor="middle">[125]0?</)
      .and.not.match(/NaN|undefined|Infinity/);

    fc.assert(
      fc.property(fc.subarray(['react', 'static', 'adaptive'], { minLength: 1 }), (names) => {
        const points = comparison.points.filter(({ policy }) => policy === 'foresight' || names.includes(policy));
        const some = { ...comparison, points };
        for (const text of [comparisonMarkdown([some]), comparisonCsv([some]), comparisonChart([some], 1)])
          expect(text).not.to.match(/NaN|undefined|Infinity/);
        expect(comparisonMarkdown([some]), 'a row').to.match(/^\| wave <1> \| 10 s \|/m);
      }),
    );
  });
});
