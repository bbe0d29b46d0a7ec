// @ts-check
// The page as a whole.
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { decisionsOf } from './chart.js';
import { Charts } from './charts.js';
import { Conditions } from './conditions.js';
import { logOut, readVisitor, useManager } from './connection.js';
import { Decisions } from './decisions.js';
import { Fleet } from './fleet.js';
import { span, time } from './format.js';
import { html } from './html.js';
import { Jobs } from './jobs.js';
import { Parameters } from './parameters.js';
import { TimeShown, usePast } from './past.js';
import { Problems } from './problems.js';
import { Tiles } from './tiles.js';
import { Vm } from './vm.js';

/** @import { ShownPeriod, ManagerView } from '../../loop/view.ts' */
/** @import { Visitor } from '../logins.ts' */

function App() {
  const { state, periods, connection, unlock } = useManager();
  const vm = useChosenVm();
  useTitle(state, vm);
  const live = connection.status === 'live';
  const visitor = useVisitor(live);
  const mayChange = live && visitor?.role !== 'viewer';
  if (connection.status === 'locked') return html`<${Unlock} message=${connection.message} unlock=${unlock} />`;
  return html`
    <${Header} state=${state} connection=${connection} visitor=${visitor} />
    <div role="status" class="announce">
      ${connection.status === 'lost' && html`<${Lost} since=${connection.since} state=${state} />`}
    </div>
    ${
      state
        ? html`<main class=${live ? '' : 'stale'}>
            <${Problems} problems=${state.problems} now=${state.at} mayChange=${mayChange} />
            ${vm === undefined ? html`<${Overview} ...${{ state, periods, live, mayChange }} />` : html`<${Vm} key=${vm} id=${vm} state=${state} mayChange=${mayChange} />`}
          </main>`
        : html`<p class="loading">${live ? '' : 'Waiting for the manager…'}</p>`
    }
  `;
}

/** @param {{ state: ManagerView, periods: ShownPeriod[], live: boolean, mayChange: boolean }} props */
function Overview({ state, periods, live, mayChange }) {
  const [chosen, setChosen] = useState(/** @type {'query' | 'work'} */ ('query'));
  const of = chosen === 'work' && state.work ? state.work : state;
  const { role, limits, thresholds, parameters, lastChange, changes, byHand } = of;
  const { range, setRange, points, comes, problem } = usePast(role, periods);
  const back = 'span' in range ? range.span : range.back;
  const isNow = 'span' in range && range.span === 'live';
  const decided = comes ? periods : decidedIn(points, isNow ? of.last : undefined);
  return html`<${Tiles} state=${state} periods=${periods} />
    ${state.work && html`<${RoleShown} chosen=${chosen} setChosen=${setChosen} />`}
    <${TimeShown} range=${range} setRange=${setRange} points=${points} problem=${problem} />
    <${Charts}
      key=${role}
      ...${{ role, points, limits, thresholds }}
      onZoom=${(from, until) => setRange({ from, until, back })}
    />
    <${Fleet} state=${state} mayChange=${mayChange} />
    ${state.work && html`<${Fleet} state=${state.work} mayChange=${mayChange} />`}
    <div class="columns">
      <div>
        ${state.jobs && html`<${Jobs} jobs=${state.jobs} backlog=${state.backlog} now=${state.at} />`}
        <${Parameters}
          key=${role}
          ...${{ role, parameters, lastChange, changes, byHand, live, mayChange }}
          shown=${range}
        />
      </div>
      <div>
        <${Decisions}
          role=${role}
          periods=${decided}
          explanation=${of.explanation}
          isPast=${!isNow}
          paused=${parameters.paused}
          mayChange=${mayChange}
        />
        <${Conditions} conditions=${of.conditions} at=${of.at} />
      </div>
    </div>`;
}

/** Whose charts, settings and decisions are shown, where the group has VMs for stored work. */
function RoleShown({ chosen, setChosen }) {
  return html`<div class="toolbar">
    <label class="toggle" for="role-shown">Charts, settings and decisions of</label>
    <select id="role-shown" value=${chosen} onChange=${(event) => setChosen(event.currentTarget.value)}>
      <option value="query" selected=${chosen === 'query'}>VMs that clients use</option>
      <option value="work" selected=${chosen === 'work'}>VMs for stored work</option>
    </select>
  </div>`;
}

/** Of a time that did not come by itself the changes are known, and now the last period. @param {readonly any[]} points @param {ShownPeriod | undefined} last */
const decidedIn = (points, last) => [
  ...points
    .flatMap(decisionsOf)
    .map((one) => ({ outcome: [], ...one }))
    .filter(({ at }) => at !== last?.at),
  ...(last ? [last] : []),
];

/** `#vm/ID` in the address: the page of one VM, which can be linked to. */
function useChosenVm() {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const onChange = () => setHash(location.hash);
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  const [, id] = /^#vm\/(.+)$/.exec(hash) ?? [];
  return id === undefined ? undefined : decodeURIComponent(id);
}

/** Of several tabs one sees which needs somebody. @param {ManagerView | undefined} state @param {string | undefined} vm */
function useTitle(state, vm) {
  const open = state?.problems.filter(({ acknowledged }) => acknowledged === undefined).length ?? 0;
  const title = [...new Set([vm, state?.group, 'mmeliot'])].filter(Boolean).join(' · ');
  useEffect(() => {
    document.title = open > 0 ? `(${open}) ${title}` : title;
  }, [open, title]);
}

const STATUS = { connecting: 'Connecting', live: 'Live', lost: 'Connection lost' };

/** @param {{ state?: ManagerView, connection: { status: string }, visitor?: Visitor }} props */
function Header({ state, connection: { status }, visitor }) {
  return html`<header>
    <div class="brand">
      <img src="dashboard/icon.svg" alt="" width="28" height="28" />
      <h1>mmeliot</h1>
      ${state && html`<span class="group">${state.group}</span>`}
    </div>
    ${
      state &&
      html`<dl class="facts">
        <div>
          <dt>Policy</dt>
          <dd>
            ${state.parameters.policy}${state.parameters.dryRun ? ' (dry run)' : ''}${state.parameters.paused ? ' (paused)' : ''}
          </dd>
        </div>
        <div>
          <dt>Provider</dt>
          <dd>${state.provider}</dd>
        </div>
        <div>
          <dt>Clients connect to</dt>
          <dd><code>${state.gateway}</code></dd>
        </div>
        <div>
          <dt>Up</dt>
          <dd>${span(state.at - state.startedAt)}</dd>
        </div>
      </dl>`
    }
    <${LoggedIn} visitor=${visitor} />
    <p class=${`connection ${status}`}><span class="dot" aria-hidden="true"></span>${STATUS[status]}</p>
  </header>`;
}

/** Who the manager takes us for. @param {boolean} live @returns {Visitor | undefined} */
function useVisitor(live) {
  const [visitor, setVisitor] = useState(/** @type {Visitor | undefined} */ (undefined));
  useEffect(() => {
    if (live) readVisitor().then(setVisitor, () => setVisitor(undefined));
  }, [live]);
  return visitor;
}

/** @param {{ visitor?: Visitor }} props */
function LoggedIn({ visitor }) {
  if (visitor === undefined || visitor.name === 'anybody') return null;
  return html`<p class="visitor">
    ${visitor.name}${visitor.role === 'viewer' && html` <span class="note">sees everything, changes nothing</span>`}
    <button type="button" class="plain small" onClick=${logOut}>Log out</button>
  </p>`;
}

/** @param {{ since: number, state?: ManagerView }} props */
function Lost({ since, state }) {
  return html`<p class="banner error">
    <strong>No connection to the manager since ${time(since)}.</strong>
    ${state ? ' What you see is the last that was heard; the page goes on trying.' : ' The page goes on trying.'}
  </p>`;
}

function Unlock({ message, unlock }) {
  const [token, setToken] = useState('');
  const submit = (event) => {
    event.preventDefault();
    unlock(token);
  };
  return html`<main class="unlock">
    <form class="card" onSubmit=${submit}>
      <h1>mmeliot</h1>
      <label>
        <span>Admin token</span>
        <input
          type="password"
          autocomplete="current-password"
          autofocus
          value=${token}
          onInput=${(event) => setToken(event.currentTarget.value)}
        />
      </label>
      <p role="alert" class="answer error">${message}</p>
      <button type="submit" disabled=${token === ''}>Open</button>
    </form>
  </main>`;
}

render(html`<${App} />`, /** @type {HTMLElement} */ (document.getElementById('app')));
