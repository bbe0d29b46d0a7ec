import { expect } from 'chai';
import { bound, type BoundRecord } from '../../../src/loop/history.ts';
import { merge, Past, pastView, pointOf, type PastPoint } from '../../../src/loop/past.ts';
import { playRiseAndFall, ScriptedSource } from '../admin/scripted-source.ts';

const MINUTE = 60_000;
const point = (at: number, more: Partial<PastPoint> = {}): PastPoint => ({
  ...{ at, span: 10_000, responseTime: 40, queueTime: 0, arrivalRate: 10, throughput: 10, lost: 0 },
  ...{ ready: 1, vms: 1, allocated: 0, released: 0 },
  ...more,
});
/** A period each 10 s, or so. */
const run = (
  past: Past,
  from: number,
  until: number,
  more: (at: number) => Partial<PastPoint> = () => ({}),
  step = 10_000,
) => {
  const all: PastPoint[] = [];
  for (let at = from + step; at <= until; at += step) {
    const one = point(at, { span: step, ...more(at) });
    all.push(one);
    past.add(one);
  }
  return all;
};

describe('the past', () => {
  it('of a month is a few thousand points, and each range has no more than a chart shows', () => {
    const past = new Past();
    const now = 33 * 24 * 60 * MINUTE;
    const periods = run(past, 0, now, (at) => ({ lost: at % MINUTE === 0 ? 1 : 0 }), 30_000).slice(-8_640);
    for (const hours of [0.25, 1, 6, 24, 24 * 7, 24 * 30]) {
      const points = past.read(now - hours * 60 * MINUTE, now, periods);
      expect(points.length, `${hours} h`).to.be.within(30, 800);
      expect(
        points.reduce((sum, { span }) => sum + span, 0),
        'all of that time',
      ).to.be.closeTo(hours * 60 * MINUTE, 2 * 3_600_000);
      expect(
        points.reduce((sum, { lost }) => sum + lost, 0),
        'what was lost',
      ).to.be.closeTo(hours * 60, 2 * 60);
    }
  });

  it('is shown as finely as it is known, however long the range is that is asked for', () => {
    const past = new Past();
    const periods = run(past, 0, 20 * MINUTE);
    expect(past.read(-30 * 24 * 60 * MINUTE, 20 * MINUTE, periods)).to.have.length(120);
    // a large fleet's periods are remembered for a short time only
    expect(past.read(0, 20 * MINUTE, periods.slice(-10))).to.have.length(20);
    expect(new Past().read(0, 1, [])).to.deep.equal([]);
  });

  it('goes on after a restart where it was, the coarse levels too', () => {
    const whole = new Past();
    const kept: PastPoint[][] = [[], [], []];
    const keep = (closed: ReturnType<Past['add']>) => closed.forEach(({ level, point: one }) => kept[level]?.push(one));
    let periods: PastPoint[] = [];
    const play = (past: Past, from: number, until: number) => {
      for (let at = from + 10_000; at <= until; at += 10_000) {
        const one = point(at, { arrivalRate: at / 1e6 });
        periods.push(one);
        keep(past.add(one));
        if (past !== whole) whole.add(one);
      }
    };
    const first = new Past();
    play(first, 0, 95 * MINUTE);
    const again = new Past(kept);
    for (const one of periods) if (one.at > again.keptUpTo) keep(again.add(one));
    play(again, 95 * MINUTE, 200 * MINUTE);
    periods = [];
    for (const from of [0, 150 * MINUTE])
      expect(again.read(from, 200 * MINUTE, periods)).to.deep.equal(whole.read(from, 200 * MINUTE, periods));
    expect(kept.map(({ length }) => length)).to.deep.equal([199, 19, 3]);
  });

  const QUERY = { name: 'query', arrived: 5, answered: 5, lost: 0, queueTime: 3, responseTime: 50 };

  it('weighs by time, times of answers by answers, and adds up what is counted', () => {
    const a = point(10_000, {
      lp: 30,
      throughput: 30,
      responseTime: 10,
      lost: 1,
      causes: { timeout: 1 },
      times: [[5, 300]],
      inFlight: 4,
      classes: [{ ...QUERY, times: [[5, 5]], waits: [[0, 5]] }],
    });
    const b = point(20_000, {
      ...{ lp: 60, throughput: 10, responseTime: 50, lost: 2, allocated: 1, times: [[9, 100]] },
      causes: { timeout: 1, cut: 1 },
      classes: [
        { ...QUERY, times: [[9, 5]], waits: [[9, 5]] },
        { ...QUERY, name: 'capture' },
      ],
      inFlight: 2,
    });
    const both = merge(a, b);
    expect(both).to.deep.include({
      at: 20_000,
      span: 20_000,
      lp: 45,
      throughput: 20,
      responseTime: 20,
      lost: 3,
      allocated: 1,
    });
    expect(both.causes).to.deep.equal({ timeout: 2, cut: 1 });
    expect(both.inFlight).to.equal(3);
    const { p50, p95, classes = [], wait, ...shown } = pastView(both);
    expect(classes.map(({ name, arrived }) => ({ name, arrived }))).to.deep.equal([
      { name: 'query', arrived: 10 },
      { name: 'capture', arrived: 5 },
    ]);
    const [query, capture] = classes;
    expect(query?.p50).to.be.below(3);
    expect(query?.p95).to.be.above(4);
    expect(query?.wait?.p99).to.be.above(4);
    expect(wait).to.deep.equal(query?.wait);
    expect(capture).to.deep.equal({ ...QUERY, name: 'capture' });
    expect(p50).to.be.below(3);
    expect(p95).to.be.above(4);
    expect(shown).to.not.have.property('times');
  });

  it('knows of a period what was decided in it, and of what time its bounds are', () => {
    const source = new ScriptedSource();
    playRiseAndFall(source);
    const records: readonly BoundRecord[] = source.records.map((record) => bound(record, source.parameters));
    const merged = records.map(pointOf).reduce(merge);
    expect(merged.allocated).to.equal(3);
    expect(merged.released).to.equal(2);
    expect(merged.decisions?.[0]).to.include({ action: 'allocate', count: 1, rule: 'above-high' });
    expect(merged.bounds?.max).to.equal(4);
    expect(merged.span).to.equal(900_000);
  });
});
