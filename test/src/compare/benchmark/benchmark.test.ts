import { expect } from 'chai';
import fc from 'fast-check';
import { filled } from '../../../../src/compare/benchmark/fill.ts';
import { KNOWN, played, playing, windowsOf } from '../../../../src/compare/benchmark/scenes.ts';
import { sceneResult, summary, type SceneResult } from '../../../../src/compare/benchmark/summary.ts';
import { COMPARED, policyTotals } from '../../../../src/compare/benchmark/totals.ts';
import { markdownOf } from '../../../../loadgen/report/table.ts';
import { benchmarkPage } from '../../../../src/cli/benchmark-page.ts';
import { benchmarkTables, sources } from '../../../../src/compare/benchmark/text.ts';
import type { Comparison } from '../../../../src/compare/compare.ts';
import { createChance } from '../../../../src/simulate/chance.ts';
import { DEFAULT_VM } from '../../../../src/simulate/vm-model.ts';

const HOUR = 3_600_000;

describe('benchmark', () => {
  describe('a filled trace', () => {
    it('has in each interval as many requests as were recorded, and never fewer than none', () => {
      fc.assert(
        fc.property(
          fc.array(fc.nat(10_000), { minLength: 1, maxLength: 30 }),
          fc.constantFrom(30_000, 300_000, HOUR),
          fc.nat(99),
          (counts, interval, seed) => {
            const rates = filled({ interval, counts }, createChance(seed));
            const steps = interval / 10_000;
            expect(rates).to.have.length(counts.length * steps);
            for (const [i, count] of counts.entries()) {
              const sum = rates.slice(i * steps, (i + 1) * steps).reduce((all, rate) => all + 10 * rate, 0);
              expect(sum).to.be.closeTo(count, 1e-6 * (1 + count));
            }
            expect(Math.min(...rates)).to.be.at.least(0);
          },
        ),
        { numRuns: 40 },
      );
    });

    it('moves between its points, the same way for the same seed', () => {
      const hourly = { interval: HOUR, counts: [36_000, 72_000, 36_000, 90_000, 40_000] };
      const rates = filled(hourly, createChance(1));
      expect(new Set(rates.slice(360, 720)).size).to.equal(360);
      expect(filled(hourly, createChance(1))).to.deep.equal(rates);
      expect(filled(hourly, createChance(2))).not.to.deep.equal(rates);
    });

    for (const [nature, drift, noise] of [
      ['drift', 0.05, 0],
      ['have nothing to do with each other', 0, 0.3],
      ['do both', 0.05, 0.1],
    ] as const)
      it(`shows nothing of a boundary where minutes ${nature}: it moves as much there as anywhere else`, () => {
        const chance = createChance(7);
        let log = Math.log(10_000);
        const counts = Array.from({ length: 3_000 }, () =>
          Math.round(Math.exp((log += drift * chance.normal()) + noise * chance.normal())),
        );
        const rates = filled({ interval: 60_000, counts }, createChance(1));
        const moves = Array.from({ length: 6 }, () => 0);
        for (let k = 60; k < rates.length; k++)
          moves[k % 6] = (moves[k % 6] ?? 0) + Math.log((rates[k] ?? 1) / (rates[k - 1] ?? 1)) ** 2;
        const mean = moves.reduce((sum, move) => sum + move, 0) / 6;
        for (const [k, move] of moves.entries()) expect(move / mean, `step ${k} of a minute`).to.be.within(0.85, 1.15);
      });

    it('leaves a trace flat that is flat most of the time', () => {
      const counts = Array.from({ length: 60 }, (_, i) => (i < 50 ? 600 : 0));
      const rates = filled({ interval: 60_000, counts }, createChance(1));
      expect(rates.slice(0, 300).every((rate) => Math.abs(rate - 10) < 1e-9)).to.equal(true);
    });

    it('adds up what is finer than ten seconds', () => {
      const seconds = Array.from({ length: 25 }, (_, i) => (i < 10 ? 2 : 4));
      expect(filled({ interval: 1000, counts: seconds }, createChance(1))).to.deep.equal([2, 4]);
    });

    for (const interval of [4_000, 7_000, 15_000, 45_000, 90_000])
      it(`takes as long as it was recorded for in intervals of ${interval / 1000} s`, () => {
        const counts = Array.from({ length: 600 }, (_, i) => (i < 400 ? 30 : 60));
        const rates = filled({ interval, counts }, createChance(1));
        expect(rates).to.have.length((600 * interval) / 10_000);
        const change = (400 * interval) / 10_000;
        const sum = (part: readonly number[]): number => part.reduce((all, rate) => all + 10 * rate, 0);
        expect(sum(rates.slice(0, Math.floor(change)))).to.be.within(400 * 30 - 90, 400 * 30 + 1e-6);
        expect(sum(rates)).to.be.closeTo(400 * 30 + 200 * 60, 1e-6);
      });
  });

  it('have a trace of no more than a day once for each fleet, as long as it is', () => {
    expect(windowsOf('unknown', 240).map(({ hours, max }) => [hours, max])).to.eql([
      [24, 40],
      [24, 20],
      [24, 40],
    ]);
    expect(windowsOf('unknown', 7.52).map(({ hours, max }) => [hours, max])).to.eql([
      [7.5, 40],
      [7.5, 20],
    ]);
  });

  it('plays any trace, scaled so that its peak takes the largest fleet', () => {
    const rates = Array.from({ length: 9_000 }, (_, i) => i % 100);
    for (const window of [...windowsOf('unknown', 240), ...KNOWN.flatMap(({ windows }) => windows)]) {
      const part = played(rates, window, 20);
      const highest = Math.max(...Array.from({ length: 200 }, (_, i) => playing(part.rates)(i * 10_000)));
      expect(highest).to.be.closeTo(window.max * 19, 1e-6);
    }
    expect(played([0, 0], { from: 0, hours: 1, max: 4 }, 20).rates).to.deep.equal([]);
  });

  it('says where each trace is to be had', () => {
    for (const { name, sha256 } of KNOWN) expect(sources()).to.include(name).and.include(sha256);
  });

  describe('its summary', () => {
    const compared = (ratio: number, actions = 1): Comparison => ({
      scene: {
        ...{ name: 'a', bootMs: 10_000, objective: { ms: 500, share: 0.95 }, vm: DEFAULT_VM, max: 4 },
        ...{ at: () => 1, duration: HOUR, skip: 0, seed: 1 },
      },
      points: [
        { policy: 'react', label: 'a', vmHours: 10, violationsPercent: 4, actions: 2 },
        { policy: 'react', label: 'b', vmHours: 20, violationsPercent: 1, actions: 2 },
        { policy: 'adaptive', label: '95', vmHours: 20, violationsPercent: ratio, actions },
      ],
    });

    it('takes scenes as one each, and finds the interval by resampling them', () => {
      const results = [0.25, 1, 4].map((ratio) =>
        sceneResult({ name: `scene ${ratio}`, trace: 't' }, [compared(ratio), compared(ratio)]),
      );
      const found = summary(results, createChance(1));
      expect(found).to.include({ scenes: 3, calm: 1 });
      expect(found?.ratio).to.be.closeTo(1, 1e-9);
      expect(found?.interval[0]).to.be.within(0.2, 0.7);
      expect(found?.interval[1]).to.be.within(1.5, 4.1);
      expect(found?.worst).to.deep.equal({ name: 'scene 4', ratio: 4 });
      expect(found?.scenesWon).to.be.closeTo(2 / 3, 1e-9);
      expect(found?.scenesWonInterval).to.deep.equal([0, 1]);
      expect(found?.calmInterval).to.deep.equal([1, 1]);
    });

    it('resamples seeds within scenes, and whole traces, of which scenes are no new evidence', () => {
      const seeds = summary([sceneResult({ name: 'a', trace: 't' }, [compared(0.25), compared(4)])], createChance(1));
      expect(seeds?.interval).to.deep.equal([0.25, 4]);
      expect(seeds?.intervalByTrace, 'of one trace').to.equal(undefined);
      const scenes = [0.25, 1, 4].flatMap((ratio) =>
        Array.from({ length: 8 }, (_, i) =>
          sceneResult({ name: `${ratio} ${i}`, trace: `${ratio}` }, [compared(ratio)]),
        ),
      );
      const found = summary(scenes, createChance(1));
      expect(found?.intervalByTrace).to.deep.equal([0.25, 4]);
      const [low, high] = found?.interval ?? [0, 0];
      expect(low).to.be.greaterThan(0.5);
      expect(high).to.be.lessThan(2);
    });

    it('says what perfect foresight would reach at the same VM-hours', () => {
      const known = compared(0.5);
      const foreseen = {
        policy: 'foresight',
        label: '95 %',
        vmHours: 20,
        violationsPercent: 0.25,
        actions: 9,
      } as const;
      const result = sceneResult({ name: 'a', trace: 't' }, [{ ...known, points: [...known.points, foreseen] }]);
      expect(result.foresight).to.be.closeTo(0.25, 1e-9);
      expect(summary([result], createChance(1))?.foresight).to.be.closeTo(0.25, 1e-9);
    });

    it('says how many settings have a peer that never changes, and how often foresight acts more often', () => {
      const still = { policy: 'static', label: '2 VMs', vmHours: 20, violationsPercent: 0.9, actions: 0 } as const;
      const foreseen = { policy: 'foresight', vmHours: 15, violationsPercent: 0.25 } as const;
      const withActions = (actions: number): Comparison['points'] => [
        ...compared(0.5).points,
        { ...foreseen, label: '95 %', actions },
      ];
      const results = [
        sceneResult({ name: 'calm', trace: 't' }, [{ ...compared(0.5), points: withActions(2) }]),
        sceneResult({ name: 'busy', trace: 't' }, [{ ...compared(0.5), points: withActions(3) }]),
        sceneResult({ name: 'still', trace: 't' }, [{ ...compared(0.5), points: [...withActions(2), still] }]),
        sceneResult({ name: 'nothing known', trace: 't' }, [compared(0.5)]),
      ];
      expect(summary(results, createChance(1))).to.include({ foresightCalm: 1 / 2, still: 1 / 4, calm: 3 / 4 });
    });

    it('counts who acts more often, and does without ratios', () => {
      expect(summary([sceneResult({ name: 'busy', trace: 't' }, [compared(0.5, 3)])], createChance(1))?.calm).to.equal(
        0,
      );
      expect(summary([], createChance(1))).to.equal(undefined);
      const written = (results: readonly SceneResult[], comparisons: readonly Comparison[]): string => {
        const totals = policyTotals(
          results.map(({ policies }) => policies),
          createChance(1),
        );
        const whole = summary(results, createChance(1));
        const tables = benchmarkTables({ results, whole, totals, comparisons, pricePerHour: 0.1 });
        const page = benchmarkPage('a benchmark', tables, undefined);
        for (const { id, columns } of tables)
          for (const text of [`id="${id}"`, ...columns]) expect(page).to.include(text);
        return tables.map(markdownOf).join('\n');
      };
      expect(written([sceneResult({ name: 'none', trace: 't' }, [])], []))
        .to.include('No scene has a ratio')
        .and.not.match(/NaN|undefined/);
      expect(written([], [])).to.include('No scene was run').and.not.include('No scene has a ratio');
      expect(written([sceneResult({ name: 'x', trace: 't' }, [compared(0.5)])], [compared(0.5)]))
        .to.match(
          /\| 1 \| 0.500 \| 0.500 to 0.500 \|  \| 1.00 \| 0.500 \(x\) \| 100 % \(100 % to 100 %\) \| 100 % \(100 % to 100 %\) \| 100 % \| 0 % \|/,
        )
        .and.match(
          /\| react \| 2 \| 1 \| 2 \(2 to 2\) \| 2.50 \(2.50 to 2.50\) \| 15 \(15 to 15\) \| 1.50 \(1.50 to 1.50\) \|/,
        );
    });

    it('adds up what each policy did: means over settings and seeds, totals over scenes with their intervals', () => {
      const scenes = [1, 3, 8].map((actions) =>
        sceneResult({ name: 'x', trace: 't' }, [compared(2, actions), compared(4, actions + 2)]),
      );
      const totals = policyTotals(
        scenes.map(({ policies }) => policies),
        createChance(1),
      );
      expect(totals.map(({ policy, scenes: count, settings }) => [policy, count, settings])).to.eql([
        ['react', 3, 2],
        ['adaptive', 3, 1],
        [COMPARED, 3, 1],
      ]);
      const [react, adaptive] = totals;
      expect(react?.actions).to.eql({ value: 6, interval: [6, 6] });
      expect(react?.violationsPercent).to.eql({ value: 2.5, interval: [2.5, 2.5] });
      expect(adaptive?.actions).to.eql({ value: 2 + 4 + 9, interval: [6, 27] });
      expect(adaptive?.vmHours.value).to.equal(60);
      expect(adaptive?.violationsPercent.value).to.equal(3);
    });
  });
});
