import { expect } from 'chai';
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { agreementOf, verdictOn } from '../../loadgen/report/agreement.ts';
import { costOf } from '../../loadgen/report/cost.ts';
import type { Run } from '../../loadgen/report/raw.ts';
import { measuresTable } from '../../loadgen/report/tables.ts';
import { ticks } from '../../src/svg.ts';
import { answeredWithin } from '../../loadgen/report/distribution.ts';
import { panelsOf, type Figure } from '../../loadgen/report/figure.ts';
import { wantedFor } from '../../loadgen/report/repetitions.ts';
import { pageOf } from '../../loadgen/report/html.ts';
import { reportOf, type ReportInput } from '../../loadgen/report/report.ts';
import { cellsWith, type Simulated } from '../../loadgen/report/results.ts';
import { difference, estimate, signed, text } from '../../loadgen/report/statistics.ts';
import { apart, COLUMN, svgOf } from '../../loadgen/report/svg.ts';
import { csvOf, htmlOf, latexOf, markdownOf } from '../../loadgen/report/table.ts';
import { timelineOf } from '../../loadgen/report/timeline.ts';
import { measure } from '../../src/simulate/simulate.ts';
import { recordedRun } from '../helpers/recorded-run.ts';

const vm = { serviceMs: 100, parallel: 1, variation: 1 };

const input = (more: Partial<ReportInput> = {}): ReportInput => ({
  title: 'A <test> & more',
  runs: [
    recordedRun(),
    recordedRun({ name: 'eliot-ascending-2', repetition: 2, order: 2 }),
    recordedRun({ name: 'mmeliot-ascending-1', policy: 'mmeliot', order: 3 }),
  ],
  compareWithPaper: true,
  policies: ['eliot', 'mmeliot'],
  profiles: ['ascending'],
  simulated: [],
  vm,
  ...more,
});

describe('statistics of a report', () => {
  it('gives the mean and the 95 % confidence interval', () => {
    expect(estimate([10, 12, 14])?.half).to.be.closeTo(4.97, 0.005);
    expect(text(estimate([10, 12, 14]))).to.equal('12.0 ± 5.0');
    expect(text(estimate([337]))).to.equal('337');
    expect(text(estimate([]))).to.equal('–');
  });

  it('gives the difference of two means and how far it may be chance', () => {
    const found = difference([10, 12, 14], [20, 22, 24]);
    expect(found?.mean).to.equal(10);
    expect(found?.half).to.be.closeTo(4.53, 0.005);
    expect(difference([1], [2])).to.deep.equal({ mean: 1 });
    expect(difference([], [2])).to.equal(undefined);
    expect([signed(0.424), signed(-12.34)]).to.deep.equal(['+0.42', '−12.3']);
  });

  it('has round ticks that cover the range', () => {
    expect(ticks(0, 337)).to.deep.equal([0, 100, 200, 300, 400]);
    fc.assert(
      fc.property(fc.integer({ min: -1e6, max: 1e6 }), fc.integer({ min: 1, max: 1e6 }), (low, width) => {
        const found = ticks(low, low + width);
        expect(found[0]).to.be.at.most(low);
        expect(found.at(-1)).to.be.at.least(low + width);
        expect(found.length).to.be.within(2, 8);
      }),
    );
  });
});

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

describe('a report', () => {
  it("has the paper's Table 2 beside ours", () => {
    const { tables } = reportOf(input());
    const table = tables.find(({ id }) => id === 'table-2');
    expect(table?.rows[0]).to.deep.equal([
      ...['ascending', 'eliot', '5.00', '1.00 ± 0.00', '465', '100 ± 0'],
      ...['10.9', '25.0 ± 0.0', '24.0', '8.00 ± 0.00'],
    ]);
    const ratios = tables.find(({ id }) => id === 'table-2-ratios');
    expect(ratios?.rows[0]).to.deep.equal([
      'ascending',
      'mmeliot',
      '0.90',
      '1.00',
      '0.72',
      '1.00',
      '0.86',
      '1.00',
      '0.63',
      '1.00',
    ]);
  });

  it('compares managers repetition by repetition, with how far to trust it', () => {
    const answering = (policy: string, repetition: number, ms: number): Run => {
      const run = recordedRun({ policy, repetition, name: `${policy}-ascending-${repetition}` });
      return { ...run, client: run.client.map((each) => ({ ...each, latency: { mean: ms, p95: ms } })) };
    };
    const runs = [
      ...[400, 400, 400].map((ms, i) => answering('eliot', i + 1, ms)),
      ...[320, 200, 500].map((ms, i) => answering('mmeliot', i + 1, ms)),
    ];
    const ratios = reportOf(input({ runs })).tables.find(({ id }) => id === 'table-2-ratios');
    // 0.8, 0.5 and 1.25: the mean is their product's third root
    expect(ratios?.rows[0]?.[5]).to.equal('0.79 (0.25–2.48)');
  });

  it('says what the VMs cost where that is known', () => {
    const priced = (price: number) => [
      { elapsed: 300, allocated: 1, ready: 1, price },
      { elapsed: 60_000, allocated: 2, ready: 2, price: 2 * price },
    ];
    const run = recordedRun({}, priced(0.6));
    expect(run.info.load.duration).to.equal(360_000);
    // a minute at 0.6 an hour, five at 1.2
    expect(costOf(run)).to.be.closeTo(0.01 + 0.1, 1e-9);
    expect(costOf(recordedRun())).to.equal(undefined);
    const row = (runs: readonly Run[]) =>
      measuresTable(cellsWith(input({ runs }))).rows.find(([title]) => title === 'cost');
    expect(row([run])?.[1]).to.equal('0.11');
    expect(row([recordedRun()])).to.equal(undefined);
  });

  it('names what is missing, and which runs the generator spoiled', () => {
    const spoiled = recordedRun();
    const { notes } = reportOf(
      input({
        runs: [{ ...spoiled, info: { ...spoiled.info, result: { ...spoiled.info.result, bottleneck: 'Late.' } } }],
      }),
    );
    expect(notes.join(' '))
      .to.match(/No run yet of mmeliot under ascending/)
      .and.match(/bottleneck.*eliot-ascending-1/);
  });

  it('draws figures as well-formed SVG with every line of the paper', () => {
    const [figure] = reportOf(input()).figures;
    expect(figure?.title).to.equal('Figure 5: ascending load');
    const titles = figure?.panels.map(({ title }) => title).join('; ') ?? '';
    for (const what of ['requests a second', 'VMs', 'mean LP', 'delta TP', 'response time'])
      expect(titles).to.include(what);
    const paths = new Map<string, number>();
    const parser = new SaxesParser();
    parser.on('opentag', ({ name }) => paths.set(name, (paths.get(name) ?? 0) + 1));
    parser.on('error', (error) => {
      throw error;
    });
    parser.write(svgOf(figure as NonNullable<typeof figure>)).close();
    // two policies in five panels, the load in one; a band for the policy that was repeated
    expect(paths.get('path')).to.equal(2 * 5 + 1 + 5);
  });

  it('is one page that needs nothing else, with nothing of the data taken for a tag', () => {
    const evil = recordedRun({ policy: 'eliot' });
    const report = reportOf(input({ runs: [evil], title: '</script><b>' }));
    const page = pageOf(report, {
      page: '<title>{{title}}</title>{{head}}{{body}}',
      script: 'lib()$&',
      style: 'css{}',
    });
    expect(page)
      .to.include('<style>css{}</style>')
      .and.include('<script>lib()$&</script>')
      .and.include('&lt;/script&gt;&lt;b&gt;');
    expect(page).to.not.match(/\{\{|(src|href)="http/);
    const [, json = ''] = /id="figures">(.*)<\/script>/.exec(page) ?? [];
    expect(JSON.parse(json)).to.have.length(1);
    expect(json).to.not.include('<');
  });

  const latencyRun = (more: Partial<ReturnType<typeof recordedRun>['info']['result']> = {}) => {
    const run = recordedRun();
    // 1 % within 10 ms, 2 % within 20 …
    const distribution = Array.from({ length: 100 }, (_, i) => (i + 1) * 10);
    return { ...run, info: { ...run.info, result: { ...run.info.result, distribution, ...more } } };
  };

  it('has percentiles and the objective in the main table', () => {
    const measures = reportOf(input()).tables.find(({ id }) => id === 'measures');
    const row = (name: string) => measures?.rows.find(([title]) => title === name)?.slice(1);
    expect(row('p50 (ms)')).to.deep.equal(['90.0 ± 0.0', '90.0']);
    expect(row('p99 (ms)')).to.deep.equal(['300 ± 0', '300']);
    expect(row('within 500 ms (%)')).to.deep.equal(['50.0 ± 0.0', '50.0']);
    expect(row('objective kept: 95 % within 500 ms')).to.deep.equal(['no (0 of 2)', 'no (0 of 1)']);
  });

  it('draws how long requests took, lost ones as never answered; not where a run has not kept it', () => {
    expect(answeredWithin(latencyRun(), 15)).to.be.closeTo((1.5 * 300) / 400, 1e-9);
    expect(answeredWithin(latencyRun(), 5)).to.be.closeTo((0.5 * 300) / 400, 1e-9);
    expect(answeredWithin(latencyRun(), 5000)).to.equal(75);
    expect(answeredWithin(latencyRun({ sent: 0, ok: 0 }), 15)).to.equal(0);
    const idsOf = (runs: ReportInput['runs']) => reportOf(input({ runs })).figures.map(({ id }) => id);
    expect(idsOf([latencyRun()])).to.deep.equal(['figure-5-ascending', 'distribution-ascending']);
    expect(idsOf([recordedRun()])).to.deep.equal(['figure-5-ascending']);
  });

  it('draws numbers of VMs as steps, each as wide as its period, and each panel alone', () => {
    const [figure] = reportOf(input()).figures as readonly [Figure];
    const alone = panelsOf(figure);
    expect(alone.map(({ id }) => id)).to.deep.equal([1, 2, 3, 4, 5].map((i) => `figure-5-ascending-${i}`));
    const pathOf = (one: Figure | undefined) =>
      /<path d="(M[^"Z]+)" fill="none"/.exec(svgOf(one as Figure))?.[1]?.match(/[\d.]+ [\d.]+/g) ?? [];
    const corners = pathOf(alone[1]).map((point) => point.split(' ').map(Number));
    // six periods of a minute, each with two corners at one height; only upright lines lie between them
    expect(corners).to.have.length(12);
    for (const [i, [x, y]] of corners.entries()) {
      const [otherX, otherY] = corners[i % 2 === 0 ? i + 1 : i - 1] ?? [];
      expect(y).to.equal(otherY);
      if (i > 0 && i % 2 === 0) expect(x).to.equal(corners[i - 1]?.[0]);
      expect(Math.abs((x ?? 0) - (otherX ?? 0))).to.be.closeTo((760 - 62 - 66) / 6, 0.2);
    }
    expect(pathOf(alone[2])).to.have.length(6);
  });

  it('writes no label on another', () => {
    const found = apart([{ at: 50 }, { at: 44 }, { at: 100 }]).map(({ at }) => at);
    expect(found).to.deep.equal([44, 54, 100]);
  });

  it('writes no title across the edge of a column, nor the key on it', () => {
    const title = 'black-friday-2026-as-it-was-recorded load: how long requests took';
    const line = { name: 'eliot', color: '#000000', y: [1, 2] };
    const svg = svgOf(
      { id: 'f', title, caption: '', xTitle: 's', x: [0, 1], panels: [{ title: 'p', lines: [line] }] },
      COLUMN,
    );
    const texts = [...svg.matchAll(/<text x="62" y="(\d+)" font-size="14">([^<]+)</g)];
    expect(texts.map(([, , words]) => words).join(' ')).to.equal(title);
    for (const [, , words = ''] of texts) expect(words.length).to.be.below((COLUMN - 62) / 7);
    const last = Number(texts.at(-1)?.[1]);
    expect(Number(/y="(\d+)"[^>]*>eliot</.exec(svg)?.[1])).to.equal(last + 17);
  });

  it('says how many repetitions it would take', () => {
    const notes = (...responses: readonly number[]) =>
      reportOf(
        input({
          policies: ['eliot'],
          runs: responses.map((mean, i) => {
            const run = recordedRun({ name: `eliot-ascending-${i}`, repetition: i });
            return { ...run, client: run.client.map((one) => ({ ...one, latency: { ...one.latency, mean } })) };
          }),
        }),
      ).notes.join(' ');
    expect(notes(100)).to.include('Everything was run once, which says nothing of chance: run 3 repetitions or more.');
    expect(notes(100, 104)).to.match(
      /2 repetitions know .* eliot under ascending \(102 ms\) only to ± 25.4 ms: run 3, /,
    );
    expect(notes(100, 900)).to.include('it scatters so much that 30 would not do');
    expect(notes(100, 101, 100)).to.not.match(/repetitions know/);
    expect(wantedFor({ mean: 12, half: 4.97, values: [10, 12, 14] })).to.equal(14);
  });

  it('writes LaTeX that holds whatever a name may hold', () => {
    const table = {
      ...{ id: 't', title: 'T_1', caption: '5 % of {x} & \\y ~ ±', columns: ['a#', 'b'] },
      rows: [['x_1', '1.0 ± 0.2 −3']],
    };
    const text = latexOf(table);
    expect(text).to.include('\\caption{T\\_1. 5 \\% of \\{x\\} \\& \\textbackslash{}y \\textasciitilde{} $\\pm$}');
    expect(text).to.include(
      '\\begin{tabular}{lr}\n\\toprule\n  a\\# & b \\\\\n\\midrule\n  x\\_1 & 1.0 $\\pm$ 0.2 $-$3 \\\\\n',
    );
  });

  it('writes in LaTeX what its fonts print as another sign, and no cell as an option of the line before', () => {
    const table = {
      id: 't',
      title: 'T',
      caption: 'C',
      columns: ['a'],
      rows: [['[x] < 1 | "y" > \\_'], ['two\nlines']],
    };
    expect(latexOf(table)).to.include(
      "  {[}x] \\textless{} 1 \\textbar{} ''y'' \\textgreater{} \\textbackslash{}\\_ \\\\\n  two lines \\\\\n",
    );
  });

  it('writes tables for people, for spreadsheets and for pages', () => {
    const table = {
      id: 't',
      title: 'T',
      caption: 'C',
      columns: ['a', 'b'],
      rows: [
        ['x|y', '1,5 "q"'],
        ['<b>', '2'],
      ],
    };
    expect(markdownOf(table)).to.include('| a | b |\n| --- | ---: |\n| x\\|y |');
    expect(csvOf(table)).to.equal('a,b\nx|y,"1,5 ""q"""\n<b>,2\n');
    expect(htmlOf(table)).to.include('<td class="name">&lt;b&gt;</td><td>2</td>');
  });
});

describe('live and simulated', () => {
  const simulated = (policy: string, energy: number): Simulated => ({
    ...{ policy, profile: 'ascending', timelines: [] },
    measures: [{ ...measure([], 70), energy }],
  });
  const cheap = [{ elapsed: 0, allocated: 1, ready: 1 }];
  const twice = (policy: string, fleet?: typeof cheap) =>
    [1, 2].map((repetition) => recordedRun({ policy, repetition, name: `${policy}-ascending-${repetition}` }, fleet));
  // live: eliot 8, mmeliot 6
  const agreement = (eliot: number, mmeliot: number, runs = [...twice('eliot'), ...twice('mmeliot', cheap)]) =>
    agreementOf(cellsWith(input({ runs, simulated: [simulated('eliot', eliot), simulated('mmeliot', mmeliot)] })));

  it('agree where VM-minutes are near and the policies in the same order', () => {
    const found = agreement(8.8, 6);
    expect(found.holds).to.equal(true);
    expect(found.energies.map(({ percent }) => Math.round(percent))).to.deep.equal([10, 0]);
    expect(found.pairs).to.have.length(1);
    expect(found.pairs[0]).to.include({ one: 'eliot', other: 'mmeliot', order: 'same' });
    expect(verdictOn(found)).to.match(
      /^The simulation agrees .* 10.0 % at most .* stand in the same order in the simulation/,
    );
  });

  it('do not agree where VM-minutes are far apart, or policies that differ live stand in another order', () => {
    expect(agreement(9.3, 6).holds).to.equal(false);
    expect(agreement(6.9, 6.89).holds).to.equal(true);
    const turned = agreement(6.85, 6.89);
    expect(turned.holds).to.equal(false);
    expect(verdictOn(turned)).to.match(
      /does not agree .* eliot and mmeliot stand in another order in the simulation under ascending/,
    );
    expect(agreement(6.89, 6.89).holds, 'a tie foretells no order').to.equal(false);
  });

  it('have no order to compare where the difference may be chance', () => {
    const mixed = [...twice('eliot').slice(0, 1), ...twice('eliot', cheap).slice(1), ...twice('mmeliot', cheap)];
    const found = agreement(6.85, 6.89, mixed);
    expect(found.pairs.map(({ order }) => order)).to.deep.equal(['equal']);
    expect(found.holds).to.equal(true);
    const once = agreement(6.85, 6.89, [recordedRun(), recordedRun({ policy: 'mmeliot' }, cheap)]);
    expect(once.pairs.map(({ order }) => order)).to.deep.equal(['equal']);
    expect(verdictOn(once)).to.match(/no order to compare/);
    expect(agreementOf([]).holds, 'nothing was simulated').to.equal(false);
  });

  it('are in the tables', () => {
    const runs = [...twice('eliot'), ...twice('mmeliot', cheap)];
    const { tables, notes } = reportOf(input({ runs, simulated: [simulated('eliot', 8.8), simulated('mmeliot', 6)] }));
    const rows = (id: string) => tables.find((table) => table.id === id)?.rows;
    expect(rows('simulation')?.[0]?.slice(0, 5)).to.deep.equal(['ascending', 'eliot', '8.00 ± 0.00', '8.80', '+10.0']);
    expect(rows('order')).to.deep.equal([['ascending', 'eliot, mmeliot', '−2.00 ± 0', '−2.80', 'yes']]);
    expect(notes.join(' ')).to.include('The simulation agrees');
  });
});
