// @ts-check
// The last decisions, newest first, each with its reason and what became of it.
import { useState } from 'preact/hooks';
import { Act } from './act.js';
import { changeParameters } from './connection.js';
import { html } from './html.js';
import { when } from './format.js';

const SHOWN = 30;
const SIGN = { allocate: '▲', release: '▼', hold: '•' };

/** @import { ShownPeriod } from '../../loop/view.ts' */

/**
 * @param {{ role: import('./connection.js').Role, periods: ShownPeriod[], explanation?: readonly string[], isPast: boolean, paused: boolean,
 *   mayChange: boolean }} props
 */
export function Decisions({ role, periods, explanation = [], isPast, paused, mayChange }) {
  const [changesOnly, setChangesOnly] = useState(false);
  const newest = periods
    .filter((period) => !changesOnly || period.action !== 'hold')
    .slice(-SHOWN)
    .reverse();
  return html`<section class="card" aria-labelledby="decisions-title">
    <div class="title-row">
      <h2 id="decisions-title">${isPast ? 'Decisions in the time shown' : 'Decisions'}</h2>
      <span class="acts">
        <${Act}
          label=${paused ? 'Resume' : 'Pause'}
          name="decisions"
          title=${paused ? 'Lets the manager decide again' : 'No decision adds or releases a VM until you resume'}
          mayChange=${mayChange}
          act=${() => changeParameters(role, { paused: !paused })}
        />
      </span>
      <label class="toggle">
        <input
          type="checkbox"
          checked=${changesOnly}
          onChange=${(event) => setChangesOnly(event.currentTarget.checked)}
        />
        changes only
      </label>
    </div>
    ${
      explanation.length > 0 &&
      html`<div class="explanation">
        <h3>Now, and what it would take</h3>
        <ul>
          ${explanation.map((sentence) => html`<li key=${sentence}>${sentence}</li>`)}
        </ul>
      </div>`
    }
    ${
      newest.length === 0
        ? html`<p class="empty">
            ${changesOnly || isPast ? 'The fleet was not changed in the periods shown.' : 'The first period is not over yet.'}
          </p>`
        : html`<ol class="decisions" tabindex="0" aria-labelledby="decisions-title">
            ${newest.map((period) => html`<${Decision} key=${period.at} period=${period} />`)}
          </ol>`
    }
  </section>`;
}

/** @param {{ period: ShownPeriod }} props */
function Decision({ period: { at, action, count, reason, rule, guard, outcome } }) {
  const failed = outcome.filter((step) => !step.ok);
  return html`<li class=${action}>
    <span class="sign" aria-hidden="true">${SIGN[action] ?? '•'}</span>
    <div>
      <p class="head">
        <time datetime=${new Date(at).toISOString()}>${when(at)}</time>
        <strong>${action}${count > 1 ? ` ${count}` : ''}</strong>
        <span class="rule">${rule}</span>
        ${guard && html`<span class="badge quiet">guard: ${guard}</span>`}
      </p>
      <p>${reason}</p>
      ${failed.map(
        (step, i) =>
          html`<p class="failed" key=${i}>
            ${
              step.step === 'order'
                ? step.message
                : `${step.step}${step.vm ? ` of ${step.vm}` : ''} failed${step.message ? `: ${step.message}` : '.'}`
            }
          </p>`,
      )}
    </div>
  </li>`;
}
