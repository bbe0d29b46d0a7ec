import { expect } from 'chai';
import { parseDuration, runLoad } from '../../loadgen/cli.ts';
import { findBottleneck } from '../../loadgen/bottleneck.ts';
import { OptionError } from '../../loadgen/workload/option-error.ts';
import { outrunText, progressLine, seedText, summaryText } from '../../loadgen/text.ts';

const latency = { mean: 337.2, p10: 20, p50: 41.26, p90: 90, p95: 2510, p99: 3000, max: 0.421 };
const group = { ok: 90, lost: 10, latency };

describe('load, for people', () => {
  it('reads durations', () => {
    expect(['90s', '2m', '1h30m', '500ms', '0.5s'].map(parseDuration)).to.eql([9e4, 12e4, 54e5, 500, 500]);
    expect(() => parseDuration('90')).to.throw('90: it has no unit; did you mean 90s?');
    for (const text of ['', 'soon', '-5s', '5 s', '2x']) {
      expect(() => parseDuration(text), text).to.throw('a duration such as');
    }
  });

  it('shows progress in one line', () => {
    const line = progressLine({
      ...group,
      elapsed: 35_000,
      duration: 120_000,
      load: 17.6,
      sent: 100,
      within: [],
      open: 3,
      totalLost: 10,
      vms: { 'vm-1': 6, 'vm-2': 4 },
    });
    expect(line).to.equal('0:35 of 2:00  load 18  90 ok/s  p95 2.5 s  3 open  10 lost  vm-1 60 %, vm-2 40 %');
  });

  it('sums up what was sent, lost and why, by class and by VM, and who was to blame', () => {
    const text = summaryText({
      ...group,
      profile: 'ascending',
      drive: { kind: 'bursts', step: 1000 },
      max: 60,
      duration: 10_000,
      seed: 1,
      sent: 101,
      notSent: 5,
      stopped: 1,
      elapsed: 10_000,
      lossByCause: { 'status 503': 8, timeout: 2 },
      saidByCause: { 'status 503': 'The queue is full.' },
      classes: { poll: group },
      vms: { 'vm-1': group },
      late: latency,
      distribution: [],
      bottleneck: '5 requests were not sent.',
    });
    expect(text).to.include('ascending to 60, a burst every 1000 ms, 0:10');
    expect(text).to.include('101 sent, 90 answered (9.0 a second), 1 cut off at the end');
    expect(text).to.include('10 (10.00 %): status 503: 8, timeout: 2');
    expect(text).to.include('\n           status 503 says: The queue is full.\n');
    expect(text).to.include('mean 337 ms  p50 41.3 ms  p95 2.5 s  p99 3.0 s  max 0.42 ms');
    expect(text)
      .to.match(/by class\n {2}poll .*90 ok .*10 lost/)
      .and.to.match(/by VM\n {2}vm-1 /);
    expect(text).to.match(/The generator was the bottleneck: 5 requests were not sent[.]$/);
  });

  it('says so where a load rises faster than a fleet follows', () => {
    const rise = { duration: 60_000, vms: 3.2, period: 10_000, boot: 7_000, warmup: 2 };
    expect(outrunText(rise)).to.equal(
      'The load rises by what a VM answers every 19 s, and the fleet takes 40 s for one more: requests will wait, and may be lost. With --duration 150s it follows.',
    );
    expect(outrunText({ ...rise, duration: 150_000 })).to.equal(undefined);
  });

  it('sums up a data set', () => {
    expect(seedText({ events: 10_000, captured: 9500, repeated: 2, elapsed: 19_000 })).to.equal(
      '9500 of 10000 events captured in 0:19 (500 a second), 2 documents sent again',
    );
  });

  it('blames the generator only when it is to blame', () => {
    const fine = { notSent: 0, maxOpen: 100, late: 3, latency: 300, longestStall: 20, busiest: 0.5, outOfSockets: 0 };
    expect(findBottleneck(fine)).to.equal(undefined);
    expect(findBottleneck({ ...fine, notSent: 7 })).to.include('7 requests were not sent because 100 were open');
    expect(findBottleneck({ ...fine, late: 80, longestStall: 400 }))
      .to.include('more than 80 ms late')
      .and.include('400');
    expect(findBottleneck({ ...fine, late: 80, latency: 2000 })).to.equal(undefined);
    expect(findBottleneck({ ...fine, busiest: 0.99 })).to.include('99 %');
    expect(findBottleneck({ ...fine, outOfSockets: 2 })).to.include('no socket for 2 requests');
  });

  for (const [what, options, message] of [
    ['an unknown profile', { profile: 'up' }, 'There is no profile "up"; there are: ascending, descending'],
    ['a bad URL', { url: 'localhost:80' }, '"localhost:80" is no URL of a server'],
    ['no load', { max: 0 }, 'The highest load (max) has to be more than 0.'],
    ['no time', { duration: 0 }, 'The duration of the load has to be more than 0.'],
    ['no step', { step: 0 }, 'The step between bursts has to be more than 0.'],
    [
      'a trace that is not there',
      { profile: 'trace:/nowhere/x.csv' },
      "trace file /nowhere/x.csv can't be read (ENOENT)",
    ],
  ] as const) {
    it(`refuses ${what} in one sentence`, async () => {
      const failure: unknown = await runLoad({ url: 'http://127.0.0.1:9', ...options }).catch(
        (error: unknown) => error,
      );
      expect(failure).to.be.instanceOf(OptionError);
      expect((failure as OptionError).message).to.include(message);
    });
  }
});
