// @ts-check
// Preact without a compiler: html`<p>…</p>` makes elements.
import htm from 'htm';
import { h } from 'preact';

export const html = htm.bind(h);
