// @ts-check
// What other settings would have done with what was recorded: totals before and after, and both drawn.
import { Chart, DASHED } from './chart.js';
import { number, when } from './format.js';
import { html } from './html.js';

/** @import { Preview as Previewed } from '../../loop/preview.ts' */

const count = (value) => number(value);
const percent = (value) => number(value, '%');
const onePlace = (value) => number(value, '', 1);

/** @param {{ result: Previewed }} props */
export function Preview({ result }) {
  const { before, after, points, periods, from, until, saturatedAbove, differsFrom, warnings } = result;
  const most = Math.max(1, ...points.map((point) => Math.max(point.before.vms, point.after.vms)));
  /** @type {(label: string, name: string, show?: (value: number) => string) => [string, string, string]} */
  const row = (label, name, show = count) => [label, show(before[name]), show(after[name])];
  const rows = [
    row('Changes of the fleet', 'actions'),
    row('VMs allocated', 'allocated'),
    row('VMs released', 'released'),
    row('VM-minutes', 'vmMinutes', onePlace),
    ...(before.cost === undefined ? [] : [row('Cost', 'cost', (value) => number(value, '', 3))]),
    row(`Minutes above ${saturatedAbove} % CPU`, 'saturatedMinutes', onePlace),
    row('Turned back within 5 min', 'turns'),
  ];
  const lines = (of, show, stepped) => [
    { label: 'with these', color: '--line-1', width: 2, stepped, show, value: (p) => p.after?.[of] },
    { label: 'recorded', color: '--line-2', width: 1.5, stepped, dash: DASHED, show, value: (p) => p.before?.[of] },
  ];
  return html`<div class="preview" role="region" aria-label="Preview">
    <h3>Preview</h3>
    <p class="note">
      ${
        periods === 0
          ? ''
          : `${periods} periods from ${when(from)} to ${when(until)}. ${differsFrom === undefined ? 'Nothing would have been done differently.' : `Another way from ${when(differsFrom)} on; the fleet is modelled from there.`}`
      }
    </p>
    ${warnings.map((warning) => html`<p class="banner warning" key=${warning}>${warning}</p>`)}
    ${
      periods > 0 &&
      html`<table class="totals">
          <thead>
            <tr>
              <td></td>
              <th scope="col">recorded</th>
              <th scope="col">with these</th>
            </tr>
          </thead>
          <tbody>
            ${rows.map(
              ([label, was, would]) =>
                html`<tr key=${label}>
                  <th scope="row">${label}</th>
                  <td>${was}</td>
                  <td>${would}</td>
                </tr>`,
            )}
          </tbody>
        </table>
        <${Chart}
          title="VMs, recorded and with these settings"
          points=${points}
          range=${[0, most + 0.5]}
          whole
          lines=${lines('vms', count, true)}
        />
        <${Chart}
          title="CPU, recorded and with these settings"
          points=${points}
          range=${[0, 100]}
          unit="%"
          lines=${lines('cpu', percent, false)}
        />`
    }
  </div>`;
}
