// @ts-check
// What is true of the manager now, with a reason and what to do about it. Warnings and errors stand at the top of the page as well.
import { html } from './html.js';
import { span } from './format.js';

/** @import { ManagerView } from '../../loop/view.ts' */
/** @typedef {ManagerView['conditions'][number]} Condition */

/** What is ok is folded away: it is most of them, and nobody looks for it. @param {Pick<ManagerView, 'conditions' | 'at'>} props */
export function Conditions({ conditions, at }) {
  const ok = conditions.filter(({ status }) => status === 'ok');
  const others = conditions.filter(({ status }) => status !== 'ok');
  const list = (/** @type {Condition[]} */ some) =>
    html`<ul class="conditions">
      ${some.map((one) => html`<${Row} key=${one.name} ...${{ ...one, at }} />`)}
    </ul>`;
  return html`<section class="card" aria-labelledby="conditions-title">
    <h2 id="conditions-title">Conditions</h2>
    ${others.length > 0 && list(others)}
    ${
      ok.length > 0 &&
      html`<details>
        <summary>${others.length > 0 ? `${ok.length} more: ok` : `All ${ok.length}: ok`}</summary>
        ${list(ok)}
      </details>`
    }
  </section>`;
}

/** @param {Condition & { at: number }} props */
function Row({ name, status, reason, remedy, since, at }) {
  return html`<li class=${status}>
    <p>
      <span class=${`badge ${status}`}>${status}</span> <strong>${name}</strong>
      <span class="note"> for ${span(at - since)}</span>
    </p>
    <p>${reason}${remedy && html` <em>${remedy}</em>`}</p>
  </li>`;
}
