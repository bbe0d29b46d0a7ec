import { expect } from 'chai';
import { csvOf, htmlOf, latexOf, markdownOf } from '../../../loadgen/report/table.ts';
import { runsTable } from '../../../loadgen/report/tables.ts';
import { recordedRun } from '../../helpers/recorded-run.ts';

describe('a table of a report', () => {
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

  it('says by how many VMs the load of a ramp grew while one booted, where it is a ramp and a VM was measured', () => {
    const calibration = { curve: [{ concurrency: 1, throughput: 4, responseMs: 250 }] };
    const ramp = recordedRun();
    const wave = recordedRun({ load: { ...ramp.info.load, profile: 'wave' } });
    const of = (run: typeof ramp, measured?: typeof calibration): string | undefined => {
      const { columns, rows } = runsTable([run], measured);
      return rows[0]?.[columns.indexOf('r·b')];
    };
    // 10 a second are 2.5 VMs, over 6 min; a boot took 6 s
    expect(of(ramp, calibration)).to.equal('0.042');
    expect([of(ramp), of(wave, calibration)]).to.eql(['–', '–']);
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
