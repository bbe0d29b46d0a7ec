import { expect } from 'chai';
import { timelineOf } from '../../../loadgen/report/timeline.ts';
import { measure } from '../../../src/simulate/simulate.ts';
import { RECORDED_VM as vm, recordedRun } from '../../helpers/recorded-run.ts';

describe('the timeline of a run', () => {
  it("meets the measures' golden case: 8 VM-minutes, a minute saturated, a quarter lost", () => {
    const timeline = timelineOf(recordedRun(), vm);
    expect(timeline).to.have.length(6);
    const { energy, saturatedMinutes, lossPercent, requests, responseMs, actions, violationsPercent, apdex } = measure(
      timeline,
      70,
    );
    expect(energy).to.be.closeTo(8, 1e-9);
    expect({ saturatedMinutes, actions }).to.deep.equal({ saturatedMinutes: 1, actions: 1 });
    expect(lossPercent).to.be.closeTo(25, 1e-9);
    expect(requests).to.be.closeTo(400, 1e-9);
    expect(responseMs).to.be.closeTo(100, 1e-9);
    // of 40 that ended 10 were lost and 10 slow; 20 satisfied, 5 tolerated
    expect(violationsPercent).to.be.closeTo(50, 1e-9);
    expect(apdex).to.be.closeTo((20 + 5 / 2) / 40, 1e-9);
  });

  it('counts VMs that boot as allocated, not as ready', () => {
    const [, second] = timelineOf(recordedRun(), vm);
    expect(second).to.include({ allocated: 2, ready: 1.5, lp: 80, deltaTp: 1 });
  });

  it('counts answers that came late in the last period, but not as its rate', () => {
    const last = timelineOf(recordedRun(), vm).at(-1);
    // 300 s to 400 s: two and a half intervals of 40 s with 30 answers each; until 360 s one and a half
    expect(last?.answered).to.be.closeTo(75, 1e-9);
    expect(last?.answeredInTime).to.be.closeTo(45, 1e-9);
  });

  it('asks for the VMs that the offered load needs', () => {
    // 5 requests in each burst of a second, 10 a second a VM: more than one VM, for 95 % within 500 ms
    expect(timelineOf(recordedRun(), vm)[2]).to.include({ offered: 5, needed: 2 });
    expect(timelineOf(recordedRun(), undefined)[2]).to.not.have.property('needed');
  });
});
