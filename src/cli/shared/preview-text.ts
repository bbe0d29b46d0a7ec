// What would have been with other settings, as text.
import { showPrice } from '../../fleet/money.ts';
import type { Preview } from '../../loop/preview.ts';
import type { Totals } from '../../loop/preview-tally.ts';
import { ago } from './status-text.ts';
import { table } from './table.ts';

export function previewText({ before, after, ...about }: Preview): string {
  const { from, until, periods, saturatedAbove, differsFrom, warnings } = about;
  const row = (name: string, show: (totals: Totals) => string): readonly string[] => [name, show(before), show(after)];
  const rows = [
    ['', 'recorded', 'with these'],
    row('changes of the fleet', ({ actions }) => String(actions)),
    row('VMs allocated', ({ allocated }) => String(allocated)),
    row('VMs released', ({ released }) => String(released)),
    row('VM-minutes', ({ vmMinutes }) => vmMinutes.toFixed(1)),
    ...(before.cost === undefined ? [] : [row('cost', ({ cost = 0 }) => showPrice(cost))]),
    row(`minutes above ${saturatedAbove} % CPU`, ({ saturatedMinutes }) => saturatedMinutes.toFixed(1)),
    row('turned back in 5 min', ({ turns }) => String(turns)),
  ];
  return [
    `${periods} periods, ${ago(until - from)} up to ${new Date(until).toISOString()}.`,
    differsFrom === undefined
      ? 'Nothing would have been done differently.'
      : `From ${new Date(differsFrom).toISOString()} on it would have gone another way: the fleet is modelled from there.`,
    ...table(rows),
    ...warnings.map((warning) => `warning: ${warning}`),
    '',
  ].join('\n');
}
