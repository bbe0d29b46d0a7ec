// @ts-check
// What is true of the manager now, with a reason and what to do about it. Warnings and errors stand at the top of the page as well.
import { html } from './html.js';
import { span } from './format.js';

/** @import { ManagerView } from '../../loop/view.ts' */

/** @param {Pick<ManagerView, 'conditions' | 'at'>} props */
export function Conditions({ conditions, at }) {
  return html`<section class="card" aria-labelledby="conditions-title">
    <h2 id="conditions-title">Conditions</h2>
    <ul class="conditions">
      ${conditions.map(
        ({ name, status, reason, remedy, since }) =>
          html`<li key=${name} class=${status}>
            <p>
              <span class=${`badge ${status}`}>${status}</span> <strong>${name}</strong>
              <span class="note"> for ${span(at - since)}</span>
            </p>
            <p>${reason}${remedy && html` <em>${remedy}</em>`}</p>
          </li>`,
      )}
    </ul>
  </section>`;
}
