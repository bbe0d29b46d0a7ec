// @ts-check
// The settings, tuned while it runs. The manager says what can be set and judges a change as a whole; its sentence is
// shown as it is.
import { useEffect, useState } from 'preact/hooks';
import { changeParameters, readSettings } from './connection.js';
import { html } from './html.js';
import { time } from './format.js';

/** @import { SettingView } from '../settings-view.ts' */
/** @import { ManagerView } from '../../loop/view.ts' */

/** @param {Pick<ManagerView, 'parameters' | 'lastChange'> & { live: boolean }} props */
export function Parameters({ parameters, lastChange, live }) {
  const [settings, setSettings] = useState(/** @type {SettingView[]} */ ([]));
  const [edited, setEdited] = useState(/** @type {Record<string, string>} */ ({}));
  const [answer, setAnswer] = useState({ kind: '', text: '' });
  const [busy, setBusy] = useState(false);
  const inForce = JSON.stringify(parameters);
  useEffect(() => {
    readSettings().then(setSettings, (error) => setAnswer({ kind: 'error', text: error.message }));
  }, [inForce]);
  const changes = Object.fromEntries(
    settings
      .filter(
        ({ name, value }) => edited[name] !== undefined && edited[name].trim() !== '' && edited[name] !== `${value}`,
      )
      .map((setting) => [setting.name, valueOf(setting, edited[setting.name])]),
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
  /** @param {SettingView[]} of */
  const fields = (of) =>
    html`<div class="fields">
      ${of.map(
        (setting) =>
          html`<${Field}
            key=${setting.name}
            setting=${setting}
            text=${edited[setting.name] ?? `${setting.value}`}
            isChanged=${setting.name in changes}
            onInput=${edit(setting.name)}
          />`,
      )}
    </div>`;

  return html`<section class="card" aria-labelledby="parameters-title">
    <h2 id="parameters-title">Settings</h2>
    <form onSubmit=${submit} novalidate>
      ${fields(settings.filter(({ isMain }) => isMain))}
      <details>
        <summary>More settings</summary>
        ${fields(settings.filter(({ isMain }) => !isMain))}
      </details>
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

/** @param {{ setting: SettingView, text: string, isChanged: boolean, onInput: (event: any) => void }} props */
function Field({ setting: { name, doc, expected, kind, unit, choices = [] }, text, isChanged, onInput }) {
  const id = `field-${name}`;
  const shared = { id, name, onInput, title: expected, 'aria-describedby': `hint-${name}` };
  const control =
    kind === 'choice'
      ? html`<select ...${shared}>
          ${choices.map((choice) => html`<option key=${choice} selected=${`${choice}` === text}>${`${choice}`}</option>`)}
        </select>`
      : html`<input
          ...${shared}
          type=${kind}
          value=${text}
          inputmode=${kind === 'number' ? 'decimal' : 'text'}
          step="any"
        />`;
  return html`<div class=${`field ${isChanged ? 'changed' : ''}`}>
    <label for=${id}>${labelOf(name)}</label>
    <span class="input">${control}${unit && html`<span class="unit">${unit}</span>`}</span>
    <small id=${`hint-${name}`}>${doc}</small>
  </div>`;
}

/** `policyParameters.releaseTrigger` → Release trigger. @param {string} name */
function labelOf(name) {
  const words = name.replace(/^.*[.]/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words[0].toUpperCase() + words.slice(1);
}

/** @param {SettingView} setting @param {string} text */
function valueOf({ kind, choices = [] }, text) {
  if (kind === 'number') return Number(text);
  return kind === 'choice' ? choices.find((choice) => `${choice}` === text) : text;
}
