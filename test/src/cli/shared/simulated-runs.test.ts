import { expect } from 'chai';
import type { FleetSample } from '../../../../loadgen/report/raw.ts';
import { simulateRuns } from '../../../../src/cli/shared/simulated-runs.ts';
import { recordedRun } from '../../../helpers/recorded-run.ts';

const vm = { serviceMs: 100, parallel: 1, variation: 0 };
const load = recordedRun().info.load;
const config = { elasticity: { period: '10s', max: 2 }, gateway: { perVm: 'auto' } };

describe('the runs of an experiment on the simulator', () => {
  it('are simulated by policy and load, several times with different chances', async () => {
    const runs = ['eliot', 'mmeliot'].flatMap((policy) =>
      [1, 2].map((repetition) => recordedRun({ policy, repetition, config, load: { ...load, seed: repetition } })),
    );
    const simulated = await simulateRuns(runs, vm);
    expect(simulated.map(({ policy, profile }) => `${policy} ${profile}`)).to.deep.equal([
      'eliot ascending',
      'mmeliot ascending',
    ]);
    for (const { measures, timelines } of simulated) {
      expect(measures.length).to.equal(timelines.length).and.be.greaterThan(2);
      // 1 to 10 a second for six minutes
      for (const { requests } of measures) expect(requests).to.be.closeTo(5.5 * 360, 40);
    }
  });

  it('have the load that the client sent where the profile is a recording', async () => {
    for (const drive of ['open', 'bursts'] as const) {
      const trace = { ...load, profile: 'trace:gone.csv', drive, duration: 400_000 };
      const [simulated] = await simulateRuns([recordedRun({ config, load: trace })], vm);
      // one a second; with a chance in an open loop
      expect(simulated?.measures[0]?.requests, drive).to.be.closeTo(400, 80);
    }
  });

  it('release VMs as slowly as they left live', async () => {
    const energyOf = async (leaving: number): Promise<number> => {
      const fleet: FleetSample[] = [0, 60_000, 120_000].map((elapsed) => ({
        elapsed,
        allocated: 2,
        ready: 1,
        leaving,
      }));
      const run = recordedRun({ config, load: { ...load, profile: 'descending' } }, fleet);
      const released = {
        ...run,
        decisions: run.decisions.map((each) => ({
          ...each,
          decision: { ...each.decision, action: 'release' as const },
        })),
      };
      const [simulated] = await simulateRuns([released], vm);
      return simulated?.measures[0]?.energy ?? 0;
    };
    // two minutes for six releases, 20 s each
    expect((await energyOf(1)) - (await energyOf(0))).to.be.closeTo(20 / 60, 0.02);
  });
});
