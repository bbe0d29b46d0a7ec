import { expect } from 'chai';
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { ticks } from '../../loadgen/report/figure.ts';
import { pageOf } from '../../loadgen/report/html.ts';
import { reportOf, type ReportInput } from '../../loadgen/report/report.ts';
import { cellsWith, type Simulated } from '../../loadgen/report/results.ts';
import { agreements, orderOf, verdictOn } from '../../loadgen/report/simulation-table.ts';
import { estimate, text } from '../../loadgen/report/statistics.ts';
import { svgOf } from '../../loadgen/report/svg.ts';
import { csvOf, htmlOf, markdownOf } from '../../loadgen/report/table.ts';
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
    ...{ policy, profile: 'ascending', timeline: [] },
    measures: { ...measure([], 70), energy },
  });
  const cells = (eliot: number, mmeliot: number) => {
    const cheap = [{ elapsed: 0, allocated: 1, ready: 1 }];
    const runs = [recordedRun(), recordedRun({ policy: 'mmeliot' }, cheap)];
    return cellsWith(input({ runs, simulated: [simulated('eliot', eliot), simulated('mmeliot', mmeliot)] }));
  };

  it('agree within so many per cent, and on the order of the policies', () => {
    // live: eliot 8, mmeliot 6
    const [agreement] = agreements(cells(8.8, 6));
    expect(agreement?.worst).to.be.closeTo(10, 1e-9);
    expect(agreement?.live).to.deep.equal(['mmeliot', 'eliot']).and.deep.equal(agreement?.simulated);
    expect(orderOf(cells(8.8, 6))).to.equal('same');
    expect(orderOf(cells(5, 6))).to.equal('different');
    expect(orderOf(cells(8.8, 6).slice(0, 1))).to.equal('equal');
    expect(verdictOn(cells(8.8, 6))).to.match(/differ by 10.0 % at most.*the order of the policies is the same/);
  });
});
