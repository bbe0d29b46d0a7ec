// @ts-check
// What somebody should look at, at the top of the page; and who does.
import { acknowledge } from './connection.js';
import { Act } from './act.js';
import { span, when } from './format.js';
import { html } from './html.js';

/** @import { ManagerView } from '../../loop/view.ts' */

/** Those that nobody looks after stand first. @param {{ problems: ManagerView['problems'], now: number, mayChange: boolean }} props */
export function Problems({ problems, now, mayChange }) {
  if (problems.length === 0) return null;
  const sorted = [...problems].sort(
    (a, b) => Number(a.acknowledged !== undefined) - Number(b.acknowledged !== undefined),
  );
  return html`<ul class="problems" aria-label="Problems">
    ${sorted.map(
      ({ severity, message, since, condition, acknowledged }) =>
        html`<li key=${message} class=${`banner ${severity} ${acknowledged ? 'seen' : ''}`}>
          <strong>${severity === 'error' ? 'Error' : 'Warning'}</strong> ${message}
          <span class="note">for ${span(now - since)}</span>
          ${
            acknowledged
              ? html` <span class="note">· ${acknowledged.who} looks after it since ${when(acknowledged.at)}</span>`
              : html` <${Act}
                  label="I look after it"
                  name=${`: ${message}`}
                  title="Says so to everybody, until it is over"
                  mayChange=${mayChange}
                  act=${() => acknowledge(condition ?? message)}
                />`
          }
        </li>`,
    )}
  </ul>`;
}
