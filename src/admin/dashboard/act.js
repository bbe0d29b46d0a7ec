// @ts-check
// A button that asks the manager for something, and says beside it why it may not be.
import { useState } from 'preact/hooks';
import { html } from './html.js';

/**
 * `name`: what it is done to, for those who hear the page.
 * @param {{ label: string, name?: string, title?: string, mayChange: boolean, small?: boolean, act: () => Promise<unknown> }} props
 */
export function Act({ label, name = '', title, mayChange, small = true, act }) {
  const [asked, setAsked] = useState({ busy: false, refused: '' });
  const onClick = async () => {
    setAsked({ busy: true, refused: '' });
    const refused = await act().then(
      () => '',
      (/** @type {Error} */ error) => error.message,
    );
    setAsked({ busy: false, refused });
  };
  return html`<button
      type="button"
      class=${`plain ${small ? 'small' : ''}`}
      title=${title}
      aria-label=${`${label} ${name}`.trim()}
      disabled=${asked.busy || !mayChange}
      onClick=${onClick}
    >
      ${label}
    </button>
    ${asked.refused && html`<span role="alert" class="answer error">${asked.refused}</span>`}`;
}
