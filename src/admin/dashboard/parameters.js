// @ts-check
// The thresholds, tuned while it runs. The manager judges a change as a whole; its sentence is shown as it is.
import { useState } from 'preact/hooks';
import { changeParameters } from './connection.js';
import { html } from './html.js';
import { time } from './format.js';

const FIELDS = [
  { name: 'high', label: 'High threshold', unit: '%', hint: 'allocate above it' },
  { name: 'low', label: 'Low threshold', unit: '%', hint: 'release below it' },
  { name: 'nearness', label: 'Nearness', unit: '%', hint: 'how near to a threshold delta TP counts' },
  { name: 'target', label: 'Target', unit: '%', hint: 'the delta TP that is a trend' },
  { name: 'min', label: 'Fewest VMs', unit: '', hint: 'never less' },
  { name: 'max', label: 'Most VMs', unit: '', hint: 'never more' },
];

/** @import { ManagerView } from '../../loop/view.ts' */

/** @param {Pick<ManagerView, 'parameters' | 'lastChange'> & { live: boolean }} props */
export function Parameters({ parameters, lastChange, live }) {
  const [edited, setEdited] = useState(/** @type {Record<string, string>} */ ({}));
  const [answer, setAnswer] = useState({ kind: '', text: '' });
  const [busy, setBusy] = useState(false);
  const changes = Object.fromEntries(
    Object.entries(edited)
      .filter(([name, text]) => text.trim() !== '' && Number(text) !== parameters[name])
      .map(([name, text]) => [name, Number(text)]),
  );
  const changed = Object.keys(changes).length > 0;

  const edit = (name) => (event) => {
    setAnswer({ kind: '', text: '' });
    setEdited({ ...edited, [name]: event.currentTarget.value });
  };
  const submit = async (event) => {
    event.preventDefault();
    setBusy(true);
    try {
      const { warnings } = await changeParameters(changes);
      setEdited({});
      setAnswer({
        kind: warnings.length ? 'warning' : 'ok',
        text: ['In force from the next period.', ...warnings].join(' '),
      });
    } catch (error) {
      setAnswer({ kind: 'error', text: error.message });
    }
    setBusy(false);
  };

  return html`<section class="card" aria-labelledby="parameters-title">
    <h2 id="parameters-title">Thresholds</h2>
    <form onSubmit=${submit} novalidate>
      <div class="fields">
        ${FIELDS.map(
          ({ name, label, unit, hint }) =>
            html`<div key=${name} class=${`field ${name in changes ? 'changed' : ''}`}>
              <label for=${`field-${name}`}>${label}</label>
              <span class="input">
                <input
                  id=${`field-${name}`}
                  name=${name}
                  type="number"
                  inputmode="decimal"
                  step="any"
                  value=${edited[name] ?? parameters[name]}
                  onInput=${edit(name)}
                  aria-describedby=${`hint-${name}`}
                />
                ${unit && html`<span class="unit">${unit}</span>`}
              </span>
              <small id=${`hint-${name}`}>${hint}</small>
            </div>`,
        )}
      </div>
      <div class="actions">
        <button type="submit" disabled=${!changed || busy || !live}>Apply</button>
        <button
          type="button"
          class="plain"
          disabled=${Object.keys(edited).length === 0}
          onClick=${() => {
            setEdited({});
            setAnswer({ kind: '', text: '' });
          }}
        >
          Undo
        </button>
        <p role="status" class=${`answer ${answer.kind}`}>${answer.text}</p>
      </div>
      ${lastChange && html`<p class="note">Last changed by ${lastChange.who} at ${time(lastChange.at)}.</p>`}
    </form>
  </section>`;
}
