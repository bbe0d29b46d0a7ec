// @ts-check
// The settings, tuned while it runs. The manager says what can be set and judges a change as a whole; its sentence is
// shown as it is.
import { useEffect, useState } from 'preact/hooks';
import { Changes } from './changes.js';
import { changeParameters, readPreview, readSettings, undoParameters } from './connection.js';
import { when } from './format.js';
import { html } from './html.js';
import { Preview } from './preview.js';

/** @import { SettingView } from '../settings-view.ts' */
/** @import { Range } from './past.js' */
/** @import { ManagerView } from '../../loop/view.ts' */

/** @import { Preview as Previewed } from '../../loop/preview.ts' */

/** What stands in a field, and what was in force when somebody began to change it. @typedef {{ text: string, was: string }} Edit */

/** `shown`: as the charts. */
const SPANS = { shown: 'time shown', '1h': 'last hour', '6h': 'last 6 hours', '1d': 'last day', '7d': 'last week' };

/** @param {Pick<ManagerView, 'role' | 'parameters' | 'lastChange' | 'changes' | 'byHand'> & { shown: Range, live: boolean, mayChange: boolean }} props */
export function Parameters({ role, parameters, lastChange, changes: history, byHand, shown, live, mayChange }) {
  const [settings, setSettings] = useState(/** @type {SettingView[]} */ ([]));
  const [edited, setEdited] = useState(/** @type {Record<string, Edit>} */ ({}));
  const [answer, setAnswer] = useState({ kind: '', text: '' });
  const [busy, setBusy] = useState(false);
  const [span, setSpan] = useState('1h');
  const isLive = 'span' in shown && shown.span === 'live';
  // who has chosen a time means that one
  useEffect(() => setSpan(isLive ? '1h' : 'shown'), [isLive]);
  const [preview, setPreview] = useState(/** @type {Previewed | undefined} */ (undefined));
  const inForce = JSON.stringify(parameters);
  const policy = edited.policy?.text ?? parameters.policy;
  useEffect(() => {
    readSettings(role, policy).then(setSettings, (error) => setAnswer({ kind: 'error', text: error.message }));
  }, [inForce, policy]);
  /** @param {SettingView} setting */
  const inForceOf = ({ name, value }) => `${name === 'policy' ? parameters.policy : value}`;
  const changes = Object.fromEntries(
    settings.flatMap((setting) => {
      const { text } = edited[setting.name] ?? {};
      if (text === undefined || text === inForceOf(setting)) return [];
      // a text may be none; a number that isn't there is not known yet
      return text.trim() === '' && setting.kind !== 'text' ? [] : [[setting.name, valueOf(setting, text)]];
    }),
  );
  const changed = Object.keys(changes).length > 0;

  /** @param {SettingView} setting */
  const edit = (setting) => (event) => {
    setAnswer({ kind: '', text: '' });
    setPreview(undefined);
    const was = edited[setting.name]?.was ?? inForceOf(setting);
    setEdited({ ...edited, [setting.name]: { text: event.currentTarget.value, was } });
  };
  /** What somebody else has set since it is being edited here. @param {SettingView} setting */
  const overtaken = (setting) => {
    const [now, edit] = [inForceOf(setting), edited[setting.name]];
    if (edit === undefined || now === edit.was || now === edit.text) return '';
    const [whole = ''] = setting.name.split('.');
    const who = history.find(({ patch }) => whole in patch)?.who;
    return `${who ?? 'Somebody'} has set it to ${now} meanwhile.`;
  };
  /** @param {() => Promise<void>} work */
  const busily = async (work) => {
    setBusy(true);
    await work().catch((error) => setAnswer({ kind: 'error', text: error.message }));
    setBusy(false);
  };
  /** @param {string} done @param {() => Promise<{ warnings: string[] }>} change */
  const change = (done, change) =>
    busily(async () => {
      const { warnings } = await change();
      setEdited({});
      setPreview(undefined);
      setAnswer({ kind: warnings.length ? 'warning' : 'ok', text: [done, ...warnings].join(' ') });
    });
  const submit = (event) => {
    event.preventDefault();
    return change('In force from the next period.', () => changeParameters(role, changes));
  };
  const undo = () => change('Taken back from the next period.', () => undoParameters(role, history[0]?.at ?? 0));
  const look = () =>
    busily(async () => {
      setAnswer({ kind: '', text: '' });
      setPreview(await readPreview(role, changes, span === 'shown' ? shown : { span }));
    });
  /** @param {SettingView[]} of */
  const fields = (of) =>
    html`<div class="fields">
      ${of.map(
        (setting) =>
          html`<${Field}
            key=${setting.name}
            setting=${setting}
            text=${edited[setting.name]?.text ?? `${setting.value}`}
            isChanged=${setting.name in changes}
            warning=${overtaken(setting)}
            onInput=${edit(setting)}
          />`,
      )}
    </div>`;

  return html`<section class="card" aria-labelledby="parameters-title">
    <h2 id="parameters-title">${role === 'work' ? 'Settings of the VMs for stored work' : 'Settings'}</h2>
    <form onSubmit=${submit} novalidate>
      ${fields(settings.filter(({ isMain }) => isMain))}
      <details>
        <summary>More settings</summary>
        ${fields(settings.filter(({ isMain }) => !isMain))}
      </details>
      <div class="actions">
        <button type="submit" disabled=${!changed || busy || !mayChange}>Apply</button>
        <button type="button" class="plain" disabled=${!changed || busy || !live} onClick=${look}>Preview</button>
        <select aria-label="Preview on" value=${span} onChange=${(event) => setSpan(event.currentTarget.value)}>
          ${Object.entries(SPANS)
            .filter(([value]) => value !== 'shown' || !isLive)
            .map(
              ([value, label]) =>
                html`<option key=${value} value=${value} selected=${value === span}>${label}</option>`,
            )}
        </select>
        <button
          type="button"
          class="plain"
          disabled=${Object.keys(edited).length === 0}
          onClick=${() => {
            setEdited({});
            setPreview(undefined);
            setAnswer({ kind: '', text: '' });
          }}
        >
          Discard
        </button>
        <button
          type="button"
          class="plain"
          title="Takes the last change back; once more makes it again"
          disabled=${busy || !mayChange || history[0]?.before === undefined}
          onClick=${undo}
        >
          Undo last change
        </button>
        <p role="status" class=${`answer ${answer.kind}`}>${answer.text}</p>
      </div>
      ${lastChange && html`<p class="note">Last changed by ${lastChange.who} at ${when(lastChange.at)}.</p>`}
    </form>
    ${preview && html`<${Preview} result=${preview} />`}
    <${Changes} changes=${history} byHand=${byHand} />
  </section>`;
}

/** @param {{ setting: SettingView, text: string, isChanged: boolean, warning: string, onInput: (event: any) => void }} props */
function Field({ setting: { name, doc, expected, kind, unit, choices = [] }, text, isChanged, warning, onInput }) {
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
    ${warning && html`<small role="status" class="answer warning">${warning}</small>`}
  </div>`;
}

/** `policyParameters.releaseTrigger` → Release trigger; what is short stays in capitals: Delta TP. @param {string} name */
function labelOf(name) {
  const words = name.replace(/^.*[.]/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const label = words[0].toUpperCase() + words.slice(1);
  return label
    .replace(/\btp$/, 'TP')
    .replace(/^Vcpu$/, 'vCPU')
    .replace(/^Vm/, 'VM');
}

/** @param {SettingView} setting @param {string} text */
function valueOf({ kind, choices = [] }, text) {
  if (kind === 'number') return Number(text);
  return kind === 'choice' ? choices.find((choice) => `${choice}` === text) : text;
}
