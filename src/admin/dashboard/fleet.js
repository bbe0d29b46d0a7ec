// @ts-check
// The fleet: each VM with its state, load and requests. A table; on a phone one card a VM.
import { useState } from 'preact/hooks';
import { Act } from './act.js';
import { addVm, tellVm } from './connection.js';
import { html } from './html.js';
import { ms, number, span } from './format.js';

/** @import { ManagerView, ShownVm } from '../../loop/view.ts' */

/** Rows at first: a long table costs every second. */
const FIRST = 50;

/** @param {{ state: Omit<ManagerView, 'work'>, mayChange: boolean }} props */
export function Fleet({ state, mayChange }) {
  const [all, setAll] = useState(false);
  const title = state.role === 'work' ? 'Stored work' : 'Fleet';
  const id = `${state.role ?? 'fleet'}-title`;
  const total = Object.values(state.counts).reduce((sum, count) => sum + count, 0);
  const shown = all ? state.vms : first(state.vms);
  return html`<section class="card" aria-labelledby=${id}>
    <div class="title-row">
      <h2 id=${id}>${title}</h2>
      <span class="acts">
        <${Act}
          label="Add a VM"
          name=${state.role === 'work' ? 'for stored work' : undefined}
          title="Beside what the policy decides, up to max"
          mayChange=${mayChange}
          act=${() => addVm(state.role)}
        />
      </span>
    </div>
    ${state.role === 'work' && html`<p class="note">${workNote(state)}</p>`}
    ${state.nodes && html`<p class="note">${nodesNote(state.nodes)}</p>`}
    ${
      total === 0
        ? html`<p class="empty">
            There is no VM.
            ${state.limits.min === 0 ? 'None is needed while nothing waits.' : 'The manager allocates one as soon as its provider can.'}
          </p>`
        : html`<div class="scroll" tabindex="0" role="region" aria-label=${`The VMs: ${title}`}>
            <table class="fleet">
              <thead>
                <tr>
                  <th scope="col">VM</th>
                  <th scope="col">State</th>
                  <th scope="col">LP</th>
                  <th scope="col">CPU</th>
                  <th scope="col">Response</th>
                  <th scope="col">In flight</th>
                  <th scope="col">For</th>
                  <th scope="col">Action</th>
                </tr>
              </thead>
              <tbody>
                ${shown.map((vm) => html`<${VmRow} key=${vm.id} vm=${vm} now=${state.at} thresholds=${state.thresholds} mayChange=${mayChange} />`)}
              </tbody>
            </table>
          </div>`
    }
    ${
      shown.length < state.vms.length &&
      html`<p>
        <button type="button" class="plain small" onClick=${() => setAll(true)}>Show all ${state.vms.length}</button>
      </p>`
    }
    ${(all || state.vms.length <= FIRST) && total > state.vms.length && html`<p class="empty">and ${total - state.vms.length} more, ready and less loaded.</p>`}
  </section>`;
}

/** Where not all are shown, those that are not simply ready come first. @param {readonly ShownVm[]} vms */
function first(vms) {
  if (vms.length <= FIRST) return vms;
  const isWell = (vm) => vm.state === 'ready' && vm.note === undefined;
  return [...vms.filter((vm) => !isWell(vm)), ...vms.filter(isWell)].slice(0, FIRST);
}

/** The machines that carry the VMs. @param {NonNullable<ManagerView['nodes']>} nodes */
const nodesNote = ({ list, why }) =>
  `${list.length === 1 ? '1 node' : `${list.length} nodes`}: ${list
    .map(
      ({ id, state, vms, used, cores }) =>
        `${id} ${state === 'ready' ? '' : `(${state}) `}carries ${vms} on ${Number(used.toFixed(2))} of ${cores} cores`,
    )
    .join(', ')}. ${why}`;

/** What was decided last of the VMs for stored work. @param {Omit<ManagerView, 'work'>} work */
const workNote = ({ parameters, limits, last }) =>
  `Policy ${parameters.policy}, ${limits.min} to ${limits.max} VMs. ${last?.reason ?? 'Nothing is decided yet.'}`;

/** @param {{ vm: ShownVm, now: number, thresholds: ManagerView['thresholds'], mayChange: boolean }} props */
function VmRow({ vm, now, thresholds, mayChange }) {
  const bound = (wanted) => thresholds.find(({ name }) => name === wanted)?.value;
  const [high, low] = [bound('high'), bound('low')];
  const level =
    vm.lp === undefined ? '' : vm.lp > (high ?? Infinity) ? 'above' : vm.lp < (low ?? -Infinity) ? 'below' : 'between';
  const evidence = vm.dark ? 'dark' : vm.warming ? 'warming' : '';
  return html`<tr>
      <th scope="row" data-label="VM"><a href=${`#vm/${encodeURIComponent(vm.id)}`}>${vm.id}</a></th>
      <td data-label="State">
        <span class=${`badge ${vm.state}`}>${vm.state}</span>
        ${vm.out && html` <span class="badge failed" title="The gateway sends it nothing at present">out</span>`}
        ${evidence && html` <span class="badge quiet">${evidence}</span>`}
        ${vm.node && html` <span class="badge quiet" title="The machine that carries it">${vm.node}</span>`}
        ${vm.offer && html` <span class="badge quiet" title=${offerOf(vm)}>${vm.offer.market}</span>`}
        ${roleOf(vm, now) && html` <span class="badge draining">${roleOf(vm, now)}</span>`}
      </td>
      <td data-label="LP">
        <span class="meter">
          <span class="meter-track" aria-hidden="true">
            <svg width="100%" height="100%" preserveAspectRatio="none">
              <rect class=${level} width=${`${Math.min(100, vm.lp ?? 0)}%`} height="100%" />
              ${[low, high].map((at) => at !== undefined && html`<rect key=${at} class="tick" x=${`${at}%`} width="1" height="100%" />`)}
            </svg>
          </span>
          <span class="value">${number(vm.lp, '%')}</span>
        </span>
      </td>
      <td data-label="CPU">${number(vm.cpu, '%')}</td>
      <td data-label="Response">${ms(vm.responseTime)}</td>
      <td data-label="In flight">${vm.inFlight === undefined ? '–' : `${vm.inFlight} of ${vm.limit}`}</td>
      <td data-label="For">${span(now - vm.since)}</td>
      <td data-label="Action"><${VmActions} vm=${vm} mayChange=${mayChange} /></td>
    </tr>
    ${
      vm.note &&
      html`<tr class="note-row">
        <td colspan="8">${vm.id}: ${vm.note}</td>
      </tr>`
    }`;
}

/** Where it comes from, and what it costs. @param {ShownVm} vm */
const offerOf = ({ offer, price }) =>
  `${offer?.id}${price === undefined ? '' : `, ${Number(price.toPrecision(3))} an hour`}`;

/** What a VM is to others while one is replaced. @param {ShownVm} vm @param {number} now */
function roleOf({ interruptAt, inPlaceOf, relieves }, now) {
  if (interruptAt !== undefined) return `will be taken in ${span(interruptAt - now)}`;
  if (relieves !== undefined) return `relieves ${relieves}`;
  return inPlaceOf === undefined ? '' : `stands in for ${inPlaceOf}`;
}

/** What a person may do to a VM. @param {{ vm: ShownVm, mayChange: boolean }} props */
export function VmActions({ vm: { id, state }, mayChange }) {
  if (state === 'releasing' || state === 'failed') return null;
  /** @type {(label: string, what: import('./connection.js').Deed, title: string) => unknown} */
  const act = (label, what, title) =>
    html`<${Act}
      key=${label}
      label=${label}
      name=${id}
      title=${title}
      mayChange=${mayChange}
      act=${() => tellVm(id, what)}
    />`;
  if (state === 'kept') return act('Release', 'release', 'Gives this VM back to the provider');
  return html`<span class="acts">
    ${act('Keep', 'keep', 'Takes this VM out of the fleet to look at it, until you release it')}
    ${state === 'draining' ? null : act('Drain', 'drain', 'Ends its requests and gives it back; the minimum is kept up')}
    ${state === 'draining' ? null : act('Replace', 'replace', 'Allocates another one, and gives this one back when that serves')}
  </span>`;
}
