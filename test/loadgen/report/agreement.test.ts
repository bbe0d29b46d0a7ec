import { expect } from 'chai';
import { agreementOf, verdictOn } from '../../../loadgen/report/agreement.ts';
import { reportOf } from '../../../loadgen/report/report.ts';
import { cellsWith, type Simulated } from '../../../loadgen/report/results.ts';
import { measure } from '../../../src/simulate/simulate.ts';
import { recordedRun, reportInput } from '../../helpers/recorded-run.ts';

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
    agreementOf(
      cellsWith(reportInput({ runs, simulated: [simulated('eliot', eliot), simulated('mmeliot', mmeliot)] })),
    );

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
    const { tables, notes } = reportOf(
      reportInput({ runs, simulated: [simulated('eliot', 8.8), simulated('mmeliot', 6)] }),
    );
    const rows = (id: string) => tables.find((table) => table.id === id)?.rows;
    expect(rows('simulation')?.[0]?.slice(0, 5)).to.deep.equal(['ascending', 'eliot', '8.00 ± 0.00', '8.80', '+10.0']);
    expect(rows('order')).to.deep.equal([['ascending', 'eliot, mmeliot', '−2.00 ± 0', '−2.80', 'yes']]);
    expect(notes.join(' ')).to.include('The simulation agrees');
  });
});
