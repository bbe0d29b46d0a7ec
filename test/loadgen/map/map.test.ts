import { expect } from 'chai';
import { setImmediate as quiet } from 'node:timers/promises';
import { energyColumn, leastEnergy, shortestRun } from '../../../loadgen/map/energy-column.ts';
import { drawMap } from '../../../loadgen/map/map.ts';
import { mapReport } from '../../../loadgen/map/map-report.ts';
import { periodsOf, PLANE, pointsOf, type MapPlane, type MapPoint } from '../../../loadgen/map/points.ts';
import { cellOf, ratioOf } from '../../../loadgen/map/verdict.ts';

const POINT: MapPoint = {
  ...{ growth: 0.5, drive: 'open', sample: 'last', direction: 'ascending' },
  ...{ max: 4, target: 20, boot: 3, step: 0.1 },
};
const outcome = (responseMs: number, decidedByTime = 1) => ({ responseMs, energy: 10, decidedByTime });
const cell = (point: MapPoint, ratios: readonly number[], decided = 1) =>
  cellOf(
    point,
    ratios.map((ratio) => ({ eliot: outcome(100, 0), mmeliot: outcome(100 * ratio, decided) })),
  );

describe('the map of MMEliot against Eliot', () => {
  it('has every growth, drive, sample and direction, and varies the rest one at a time', () => {
    const points = pointsOf(PLANE);
    expect(new Set(points.map((point) => JSON.stringify(point))).size).to.equal(points.length);
    const middle = points.filter(
      ({ max, target, boot, step }) => max === 4 && target === 20 && boot === 3 && step === 0.1,
    );
    expect(middle).to.have.lengthOf(PLANE.growth.length * 3 * 2 * 2);
    expect(points.filter(({ drive, step }) => drive === 'open' && step !== 0.1)).to.deep.equal([]);
  });

  it('makes ramps as long as the growth asks for', () => {
    // 2.8 VMs in all, 0.5 of one in three periods
    expect(periodsOf(POINT)).to.equal(17);
    expect(periodsOf({ ...POINT, growth: 100 })).to.equal(6);
  });

  it('says what MMEliot does only where seeds agree, and why it makes no difference', () => {
    expect(cell(POINT, [0.7, 0.75, 0.8]).verdict).to.equal('helps');
    expect(cell(POINT, [1.3, 1.25, 1.4]).verdict).to.equal('hurts');
    expect(cell(POINT, [0.5, 1.6, 1]).reason).to.match(/seeds differ/);
    expect(cell(POINT, [1, 1, 1], 0).reason).to.match(/never decided/);
    expect(cell({ ...POINT, growth: 0.05 }, [1, 0.99, 1]).reason).to.match(/little to win/);
    expect(cell({ ...POINT, growth: 1.5 }, [1, 0.99, 1]).reason).to.match(/too late/);
  });

  it('takes means of ratios that treat twice and half alike', () => {
    expect(ratioOf([0.5, 2]).mean).to.be.closeTo(1, 1e-9);
    expect(ratioOf([0.5, 0.5, 0.5])).to.deep.equal({ mean: 0.5, low: 0.5, high: 0.5 });
  });

  it("shows that the paper's energy column can't be", () => {
    expect(shortestRun(24, 6, 4)).to.equal(10.5);
    expect(leastEnergy(10.5, 4)).to.equal(17);
    expect(energyColumn()[0]).to.match(/take 10.5 minutes or more; .* at least 17 VM-minutes, not 15/);
  });

  it('is drawn from simulations, the same for the same seeds, and told as a report', async () => {
    const plane: MapPlane = {
      growth: [0.3],
      drives: ['batch', 'open'],
      samples: ['last'],
      directions: ['ascending'],
      max: [2],
      targets: [20],
      boots: [1],
      steps: [0.1],
      seeds: 2,
    };
    const cells = await drawMap({ plane, quiet });
    expect(await drawMap({ plane, quiet })).to.deep.equal(cells);
    expect(cells.map(({ point }) => point.drive)).to.deep.equal(['batch', 'open']);
    const { figures, tables, notes } = mapReport(cells);
    expect(figures[0]?.panels[0]?.lines.map(({ name }) => name)).to.deep.equal(['batch, last', 'open, last']);
    const [growth, every] = tables;
    expect(every?.rows).to.have.lengthOf(2);
    const mean = Math.sqrt(cells.reduce((product, { response }) => product * response.mean, 1)).toFixed(2);
    expect(growth?.rows).to.have.lengthOf(1);
    expect(growth?.rows[0]?.slice(0, 3)).to.eql(['ascending', '0.3', '2']);
    expect(growth?.rows[0]?.[5]).to.match(new RegExp(`^${mean} \\(`));
    expect(notes.join(' ')).to.match(/^ascending: of 2 points .*energy column/);
  });
});
