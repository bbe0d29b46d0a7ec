// @ts-check
// Who changed what: settings, and what people did by hand.
import { html } from './html.js';
import { when } from './format.js';

/** @import { ManagerView } from '../../loop/view.ts' */

/** @param {Pick<ManagerView, 'changes' | 'byHand'>} props */
export function Changes({ changes, byHand }) {
  const all = [
    ...changes.map(({ at, who, patch }) => ({ at, who, what: Object.entries(patch).map(assigned).join(', ') })),
    ...byHand.map(({ at, who, deed }) => ({ at, who, what: deedText(deed) })),
  ].sort((a, b) => b.at - a.at);
  if (all.length === 0) return null;
  return html`<details>
    <summary>Who changed what</summary>
    <ul class="changes">
      ${all.map(({ at, who, what }) => html`<li key=${`${at} ${what}`}><time datetime=${new Date(at).toISOString()}>${when(at)}</time> <strong>${who}</strong> ${what}</li>`)}
    </ul>
  </details>`;
}

/** Durations are in ms, as the journal has them. */
const assigned = ([name, value]) =>
  `${name} ${value === null ? 'as configured' : typeof value === 'object' ? JSON.stringify(value) : value}`;

function deedText(deed) {
  switch (deed.what) {
    case 'add':
      return `added ${deed.count} VM${deed.count === 1 ? '' : 's'}`;
    case 'acknowledge':
      return `looks after: ${deed.problem}`;
    default:
      return `${{ keep: 'kept', release: 'gave back', drain: 'drained', replace: 'replaced' }[deed.what]} ${deed.vm}`;
  }
}
