import { expect } from 'chai';
import { SaxesParser } from 'saxes';
import { costOf } from '../../../loadgen/report/cost.ts';
import type { Run } from '../../../loadgen/report/raw.ts';
import { measuresTable } from '../../../loadgen/report/tables.ts';
import { answeredWithin } from '../../../loadgen/report/distribution.ts';
import { panelsOf, type Figure } from '../../../loadgen/report/figure.ts';
import { wantedFor } from '../../../loadgen/report/repetitions.ts';
import { pageOf } from '../../../loadgen/report/html.ts';
import { reportOf, type ReportInput } from '../../../loadgen/report/report.ts';
import { cellsWith } from '../../../loadgen/report/results.ts';
import { apart, COLUMN, svgOf } from '../../../loadgen/report/svg.ts';
import { recordedRun, reportInput } from '../../helpers/recorded-run.ts';

describe('a report', () => {
  it("has the paper's Table 2 beside ours", () => {
    const { tables } = reportOf(reportInput());
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
    const ratios = reportOf(reportInput({ runs })).tables.find(({ id }) => id === 'table-2-ratios');
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
      measuresTable(cellsWith(reportInput({ runs }))).rows.find(([title]) => title === 'cost');
    expect(row([run])?.[1]).to.equal('0.11');
    expect(row([recordedRun()])).to.equal(undefined);
  });

  it('adds up by policy what all loads came to, beside violations and cost', () => {
    const run = (policy: string, profile: string, repetition: number, price?: number): Run =>
      recordedRun(
        { policy, profile, repetition, name: `${policy}-${profile}-${repetition}` },
        price === undefined ? undefined : [{ elapsed: 0, allocated: 1, ready: 1, price }],
      );
    const both = [1, 2].flatMap((i) => [run('eliot', 'ascending', i), run('eliot', 'descending', i)]);
    const runs = [...both, run('mmeliot', 'ascending', 1)];
    const table = (all: readonly Run[]) =>
      reportOf(reportInput({ runs: all, profiles: ['ascending', 'descending'] })).tables.find(
        ({ id }) => id === 'totals',
      );
    // of four requests one is lost and one late; a change and 8 VM-minutes under each load
    expect(table(runs)?.rows).to.deep.equal([['eliot', '2.00 ± 0.00', '50.0 ± 0.0', '0.27 ± 0.00']]);
    const priced = ['ascending', 'descending'].map((profile) => run('eliot', profile, 1, 0.5));
    expect(table(priced)).to.deep.include({
      columns: ['policy', 'scaling actions', 'violations (%)', 'VM-hours', 'cost'],
    });
    expect(table(priced)?.rows[0]?.at(-1)).to.equal('0.10');
  });

  it('names what is missing, and which runs the generator spoiled', () => {
    const spoiled = recordedRun();
    const { notes } = reportOf(
      reportInput({
        runs: [{ ...spoiled, info: { ...spoiled.info, result: { ...spoiled.info.result, bottleneck: 'Late.' } } }],
      }),
    );
    expect(notes.join(' '))
      .to.match(/No run yet of mmeliot under ascending/)
      .and.match(/bottleneck.*eliot-ascending-1/);
  });

  it('says when other work kept the machine busy, in the runs or beforehand, and when boots took longer or less than planned by', () => {
    const notes = (bootMs: number | undefined, busy: { readonly run: number; readonly calibration: number }) =>
      reportOf(
        reportInput({
          runs: [recordedRun({ bootTimes: [5000, 7000], machine: { cores: 2, loadBefore: busy.run } })],
          calibration: {
            curve: [{ concurrency: 1, throughput: 10, responseMs: 100 }],
            ...(bootMs !== undefined && { bootMs }),
            machine: { cores: 2, loadBefore: busy.calibration },
          },
        }),
      ).notes.join(' ');
    const quiet = notes(6000, { run: 1, calibration: 2 });
    expect(quiet).to.not.match(/busy|others|planned/);
    expect(notes(undefined, { run: 1, calibration: 2 })).to.equal(quiet);
    expect(notes(6000, { run: 9, calibration: 2 }))
      .to.include('made while other work kept the machine busy')
      .and.not.include('calibrated while');
    expect(notes(6000, { run: 1, calibration: 9 })).to.include(
      'The VM was calibrated while other work kept the machine busy',
    );
    expect(notes(24_000, { run: 1, calibration: 1 })).to.include(
      "A VM booted in 6.00 s in the runs, and in 24.0 s beforehand, by which the load's duration was chosen: r·b is 0.25 times what was planned.",
    );
  });

  it('says that policies which did nothing differ by chance alone', () => {
    const said = 'No policy changed its fleet in any run';
    expect(reportOf(reportInput()).notes.join(' ')).to.not.include(said);
    const runs = reportInput().runs.map((run) => ({
      ...run,
      decisions: run.decisions.map((each) => ({ ...each, decision: { ...each.decision, action: 'hold' as const } })),
    }));
    expect(reportOf(reportInput({ runs })).notes.join(' ')).to.include(said);
  });

  it('draws figures as well-formed SVG with every line of the paper', () => {
    const [figure] = reportOf(reportInput()).figures;
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
    const report = reportOf(reportInput({ runs: [evil], title: '</script><b>' }));
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

  it('has its figures behind the first table, but before one that nobody would scroll to the end of', () => {
    const report = reportOf(reportInput());
    const [table] = report.tables;
    const orderOf = (rows: number): readonly string[] => {
      const tables = [
        { ...(table as NonNullable<typeof table>), rows: Array.from({ length: rows }, () => table?.rows[0] ?? []) },
      ];
      const page = pageOf({ ...report, tables }, { page: '{{body}}', script: '', style: '' });
      return page.match(/<(table|figure)\b/g) ?? [];
    };
    expect(orderOf(20).at(0)).to.equal('<table');
    expect(orderOf(1100).at(0)).to.equal('<figure');
    expect(orderOf(1100).at(-1)).to.equal('<table');
  });

  const latencyRun = (more: Partial<ReturnType<typeof recordedRun>['info']['result']> = {}) => {
    const run = recordedRun();
    // 1 % within 10 ms, 2 % within 20 …
    const distribution = Array.from({ length: 100 }, (_, i) => (i + 1) * 10);
    return { ...run, info: { ...run.info, result: { ...run.info.result, distribution, ...more } } };
  };

  it('has percentiles and the objective in the main table', () => {
    const measures = reportOf(reportInput()).tables.find(({ id }) => id === 'measures');
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
    const idsOf = (runs: ReportInput['runs']) => reportOf(reportInput({ runs })).figures.map(({ id }) => id);
    expect(idsOf([latencyRun()])).to.deep.equal(['figure-5-ascending', 'distribution-ascending']);
    expect(idsOf([recordedRun()])).to.deep.equal(['figure-5-ascending']);
  });

  it('draws numbers of VMs as steps, each as wide as its period, and each panel alone', () => {
    const [figure] = reportOf(reportInput()).figures as readonly [Figure];
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
        reportInput({
          policies: ['eliot'],
          runs: responses.map((mean, i) => {
            const run = recordedRun({ name: `eliot-ascending-${i}`, repetition: i });
            return { ...run, client: run.client.map((one) => ({ ...one, latency: { ...one.latency, mean } })) };
          }),
        }),
      ).notes.join(' ');
    expect(notes(100)).to.include('Everything was run once, which says nothing of chance: run 3 repetitions or more.');
    expect(notes(100, 104)).to.match(
      /2 repetitions .* eliot under ascending \(102 ms\) is known only to ± 25.4 ms: 3 would tell it /,
    );
    expect(notes(100, 900)).to.include('it scatters so much that 30 would not do');
    expect(notes(100, 101, 100)).to.not.match(/is known only/);
    expect(wantedFor({ mean: 12, half: 4.97, values: [10, 12, 14] })).to.equal(14);
  });
});
