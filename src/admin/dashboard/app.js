// @ts-check
// The page as a whole.
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Charts } from './charts.js';
import { Conditions } from './conditions.js';
import { logOut, readVisitor, useManager } from './connection.js';
import { Decisions } from './decisions.js';
import { Fleet } from './fleet.js';
import { ms, number, signed, span, time } from './format.js';
import { html } from './html.js';
import { Jobs } from './jobs.js';
import { lossesIn } from './losses.js';
import { Parameters } from './parameters.js';

/** @import { ShownPeriod, ManagerView } from '../../loop/view.ts' */

function App() {
  const { state, periods, connection, unlock } = useManager();
  if (connection.status === 'locked') return html`<${Unlock} message=${connection.message} unlock=${unlock} />`;
  const live = connection.status === 'live';
  return html`
    <${Header} state=${state} connection=${connection} />
    <div role="status" class="announce">
      ${connection.status === 'lost' && html`<${Lost} since=${connection.since} state=${state} />`}
    </div>
    ${
      state
        ? html`<main class=${live ? '' : 'stale'}>
            <${Problems} problems=${state.problems} now=${state.at} />
            <${Tiles} state=${state} periods=${periods} />
            <${Charts} periods=${periods} limits=${state.limits} thresholds=${state.thresholds} />
            <div class="columns">
              <div>
                <${Fleet} state=${state} live=${live} />
                ${state.work && html`<${Fleet} state=${state.work} live=${live} />`}
                ${state.jobs && html`<${Jobs} jobs=${state.jobs} backlog=${state.backlog} now=${state.at} />`}
                <${Parameters} parameters=${state.parameters} lastChange=${state.lastChange} live=${live} />
              </div>
              <div>
                <${Decisions} periods=${periods} explanation=${state.explanation} />
                <${Conditions} conditions=${state.conditions} at=${state.at} />
              </div>
            </div>
          </main>`
        : html`<p class="loading">${live ? '' : 'Waiting for the manager…'}</p>`
    }
  `;
}

const STATUS = { connecting: 'Connecting', live: 'Live', lost: 'Connection lost' };

/** @param {{ state?: ManagerView, connection: { status: string } }} props */
function Header({ state, connection: { status } }) {
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
          <dd>${state.parameters.policy}${state.parameters.dryRun ? ' (dry run)' : ''}</dd>
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
    <${LoggedIn} live=${status === 'live'} />
    <p class=${`connection ${status}`}><span class="dot" aria-hidden="true"></span>${STATUS[status]}</p>
  </header>`;
}

/** @param {{ live: boolean }} props */
function LoggedIn({ live }) {
  const [visitor, setVisitor] = useState(/** @type {{ name: string, role: string } | undefined} */ (undefined));
  useEffect(() => {
    if (live) readVisitor().then(setVisitor, () => setVisitor(undefined));
  }, [live]);
  if (visitor === undefined || visitor.name === 'anybody') return null;
  const title = visitor.role === 'viewer' ? 'You see everything and change nothing.' : 'You may change settings.';
  return html`<p class="visitor" title=${title}>
    ${visitor.name} <button type="button" class="plain" onClick=${logOut}>Log out</button>
  </p>`;
}

/** @param {{ since: number, state?: ManagerView }} props */
function Lost({ since, state }) {
  return html`<p class="banner error">
    <strong>No connection to the manager since ${time(since)}.</strong>
    ${state ? ' What you see is the last that was heard; the page goes on trying.' : ' The page goes on trying.'}
  </p>`;
}

/** @param {{ problems: ManagerView['problems'], now: number }} props */
function Problems({ problems, now }) {
  if (problems.length === 0) return null;
  return html`<ul class="problems" aria-label="Problems">
    ${problems.map(
      ({ severity, message, since }) =>
        html`<li key=${message} class=${`banner ${severity}`}>
          <strong>${severity === 'error' ? 'Error' : 'Warning'}</strong> ${message}
          <span class="note">for ${span(now - since)}</span>
        </li>`,
    )}
  </ul>`;
}

/** @param {{ state: ManagerView, periods: ShownPeriod[] }} props */
function Tiles({ state, periods }) {
  const { counts, lp, tp, deltaTp, traffic, backlog, energy, money, limits, thresholds } = state;
  const { min, max } = limits;
  const losses = lossesIn(periods);
  const bound = (name) => thresholds.find((each) => each.name === name)?.value;
  const [high, low] = [bound('high') ?? Infinity, bound('low') ?? -Infinity];
  const others = ['pending', 'draining', 'kept', 'releasing', 'failed'].filter((name) => counts[name] > 0);
  const load = lp === undefined ? '' : lp > high ? 'above' : lp < low ? 'below' : '';
  const between = bound('high') === undefined ? 'the policy has no thresholds' : `between ${low} and ${high} %`;
  const place = { above: `saturated: above ${high} %`, below: `below ${low} %`, '': between };
  return html`<div class="tiles">
    <${Tile}
      label="VMs ready"
      value=${counts.ready}
      hint=${others.map((name) => `${counts[name]} ${name}`).join(', ') || `${min} to ${max} allowed`}
    />
    <${Tile}
      label="Load (LP)"
      value=${number(lp, '%', 1)}
      hint=${lp === undefined ? 'no evidence yet' : place[load]}
      level=${load}
    />
    <${Tile} label="Response (TP)" value=${ms(tp)} hint=${`delta TP ${signed(deltaTp)}`} />
    <${Tile}
      label="Answered"
      value=${number(traffic.throughput, '/s', 1)}
      hint=${`${number(traffic.arrivalRate, '/s', 1)} arriving`}
    />
    <${Tile}
      label="In flight"
      value=${traffic.inFlight}
      hint=${traffic.queued > 0 ? `${traffic.queued} waiting for a VM` : 'none waiting'}
    />
    <${Tile}
      label="Capture jobs"
      value=${backlog?.jobs ?? '–'}
      hint=${backlog === undefined ? 'not known' : backlog.jobs > 0 ? `oldest ${span(backlog.age)}` : 'all finished'}
    />
    <${Tile}
      label="Lost"
      value=${losses?.lost ?? '–'}
      hint=${losses ? `in the ${span(losses.span)} up to ${time(losses.until)}` : 'the first period is not over yet'}
      level=${losses && losses.lost > 0 ? 'above' : ''}
    />
    ${
      money.isPriced &&
      html`<${Tile}
        label="Cost"
        value=${number(money.rate, '/h', 3)}
        hint=${`${money.cost.toFixed(2)} so far, ${money.saved.toFixed(2)} saved`}
      />`
    }
    <${Tile} label="Energy" value=${number(energy, '', 1)} hint="VM-minutes so far" />
  </div>`;
}

function Tile({ label, value, hint, level = '' }) {
  return html`<div class=${`card tile ${level}`}>
    <h2>${label}</h2>
    <p class="figure">${value}</p>
    <p class="hint">${hint}</p>
  </div>`;
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
