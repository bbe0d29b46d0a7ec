// @ts-check
// Who changed what: settings, and what people did by hand.
import { html } from './html.js';
import { when } from './format.js';

/** @import { ManagerView } from '../../loop/view.ts' */

/** @param {Pick<ManagerView, 'changes' | 'byHand'>} props */
export function Changes({ changes, byHand }) {
  const all = [...changes.map((one) => ({ ...one, text: `set ${one.text}` })), ...byHand].sort((a, b) => b.at - a.at);
  if (all.length === 0) return null;
  return html`<details>
    <summary>Who changed what</summary>
    <ul class="changes">
      ${all.map(({ at, who, text }) => html`<li key=${`${at} ${text}`}><time datetime=${new Date(at).toISOString()}>${when(at)}</time> <strong>${who}</strong> ${text}</li>`)}
    </ul>
  </details>`;
}
