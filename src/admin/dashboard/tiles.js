// @ts-check
// The numbers of now.
import { ms, number, signed, span, time } from './format.js';
import { html } from './html.js';
import { lossesIn } from './losses.js';

/** @import { ShownPeriod, ManagerView } from '../../loop/view.ts' */

/** @param {{ state: ManagerView, periods: ShownPeriod[] }} props */
export function Tiles({ state, periods }) {
  const { counts, lp, tp, deltaTp, traffic, backlog, energy, money, limits, thresholds } = state;
  const { min, max } = limits;
  const losses = lossesIn(periods);
  const bound = (name) => thresholds.find((each) => each.name === name)?.value;
  const [high, low] = [bound('high') ?? Infinity, bound('low') ?? -Infinity];
  const out = state.vms.filter((vm) => vm.out).length;
  const others = ['pending', 'draining', 'kept', 'releasing', 'failed'].filter((name) => counts[name] > 0);
  const load = lp === undefined ? '' : lp > high ? 'above' : lp < low ? 'below' : '';
  const between = bound('high') === undefined ? 'the policy has no thresholds' : `between ${low} and ${high} %`;
  const place = { above: `saturated: above ${high}\u00a0%`, below: `below ${low}\u00a0%`, '': between };
  return html`<div class="tiles">
    <${Tile}
      label="VMs ready"
      value=${counts.ready}
      hint=${[...(out > 0 ? [`${out} out`] : []), ...others.map((name) => `${counts[name]} ${name}`)].join(', ') || `${min} to ${max} allowed`}
      level=${out > 0 && out >= counts.ready ? 'above' : ''}
    />
    <${Tile}
      label="Load (LP)"
      value=${number(lp, '%', 1)}
      hint=${lp === undefined ? 'no evidence yet' : place[load]}
      level=${load}
    />
    <${Tile}
      label="Response (TP)"
      value=${ms(tp)}
      hint=${traffic.throughput > 0 ? `delta TP ${signed(deltaTp)}` : 'when there were requests last'}
    />
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
      label="Jobs"
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
