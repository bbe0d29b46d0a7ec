// @ts-check
// Stored work that is not finished (captures, exports, what an operator has done), in the order of its turns.
import { html } from './html.js';
import { span } from './format.js';

/** @import { ManagerView, ShownJob } from '../../loop/view.ts' */

/** @param {{ jobs: readonly ShownJob[], backlog: ManagerView['backlog'], now: number }} props */
export function Jobs({ jobs, backlog, now }) {
  const more = (backlog?.jobs ?? 0) - jobs.length;
  return html`<section class="card" aria-labelledby="jobs-title">
    <h2 id="jobs-title">Jobs</h2>
    <div class="scroll" tabindex="0" role="region" aria-label="The jobs">
      <table class="jobs">
        <thead>
          <tr>
            <th scope="col">Place</th>
            <th scope="col">Job</th>
            <th scope="col">Kind</th>
            <th scope="col">Class</th>
            <th scope="col">Events</th>
            <th scope="col">For</th>
            <th scope="col">Ends in about</th>
          </tr>
        </thead>
        <tbody>
          ${jobs.map(
            ({ id, kind, class: name, progress, createdAt, running, end }, n) =>
              html`<tr key=${id}>
                <td>${running ? 'at work' : n + 1}</td>
                <th scope="row"><code>${id.slice(0, 8)}</code></th>
                <td>${kind}</td>
                <td>${name ?? '–'}</td>
                <td>${progress.captured} of ${progress.events}</td>
                <td>${span(Math.max(0, now - createdAt))}</td>
                <td>${end === undefined ? '–' : span(Math.max(0, end - now))}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${more > 0 && html`<p class="empty">and ${more} more.</p>`}
  </section>`;
}
