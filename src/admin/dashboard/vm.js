// @ts-check
// One VM by itself: what was seen of it, what was done with it, and what it printed last.
import { useEffect, useRef, useState } from 'preact/hooks';
import { Chart } from './chart.js';
import { readVm } from './connection.js';
import { VmActions } from './fleet.js';
import { bytes, ms, number, span, when } from './format.js';
import { html } from './html.js';

/** @import { ManagerView } from '../../loop/view.ts' */
/** @import { VmPage } from '../../loop/vm-view.ts' */

const AGAIN_MS = 5_000;
const percent = (value) => number(value, '%');

/** @param {{ id: string, state: ManagerView, mayChange: boolean }} props */
export function Vm({ id, state, mayChange }) {
  const [page, setPage] = useState(/** @type {VmPage | undefined} */ (undefined));
  const [problem, setProblem] = useState('');
  useEffect(() => {
    let over = false;
    const read = () =>
      readVm(id).then(
        (answer) => over || (setPage(answer), setProblem('')),
        (error) => over || setProblem(error.message),
      );
    read();
    const again = setInterval(read, AGAIN_MS);
    return () => {
      over = true;
      clearInterval(again);
    };
  }, [id]);
  const title = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => title.current?.focus(), [id]);
  const vm = state.vms.find((one) => one.id === id) ?? page?.vm;
  const samples = page?.samples ?? [];
  return html`<section class="card" aria-labelledby="vm-title">
      <p><a href="#">All VMs</a></p>
      <h2 id="vm-title" class="vm-name" tabindex="-1" ref=${title}>${id}</h2>
      ${problem && html`<p role="alert" class="answer error">${problem}</p>`}
      ${
        vm &&
        html`<dl class="facts">
          <div>
            <dt>State</dt>
            <dd><span class=${`badge ${vm.state}`}>${vm.state}</span> for ${span(state.at - vm.since)}</dd>
          </div>
          <div>
            <dt>Address</dt>
            <dd>${vm.address ? `${vm.address.host}:${vm.address.port}` : '–'}</dd>
          </div>
          <div>
            <dt>Booted in</dt>
            <dd>${vm.bootTime === undefined ? '–' : ms(vm.bootTime)}</dd>
          </div>
          <div>
            <dt>In flight</dt>
            <dd>${vm.inFlight === undefined ? '–' : `${vm.inFlight} of ${vm.limit}`}</dd>
          </div>
          <div>
            <dt>Response</dt>
            <dd>${ms(vm.responseTime)}</dd>
          </div>
          ${
            vm.offer &&
            html`<div>
              <dt>Kind</dt>
              <dd>${vm.offer.id}</dd>
            </div>`
          }
        </dl>`
      }
      ${page && !vm && html`<p class="empty">It is gone; this is the last that is known of it.</p>`}
      ${vm?.note && html`<p>${vm.note}</p>`}
      ${vm && html`<p class="actions"><${VmActions} vm=${vm} mayChange=${mayChange} /></p>`}
    </section>
    <div class="charts">
      <${Chart}
        title="CPU and memory"
        points=${samples}
        range=${[0, 100]}
        unit="%"
        lines=${[
          { label: 'CPU', color: '--line-1', width: 2, fill: true, value: (p) => p.cpu, show: percent },
          { label: 'LP', color: '--line-high', width: 1.25, value: (p) => p.lp, show: percent },
          { label: 'memory', color: '--line-2', width: 1.5, value: (p) => p.memory, show: percent },
        ]}
      />
      <${Chart}
        title="Response time (ms)"
        points=${samples}
        soft=${[0, 1]}
        lines=${[{ label: 'response', color: '--line-1', width: 2, fill: true, value: (p) => p.responseTime, show: ms }]}
      />
      <${Chart}
        title="Network"
        points=${samples}
        soft=${[0, 1]}
        tick=${bytes}
        wide
        lines=${[
          { label: 'in', color: '--line-1', width: 2, value: (p) => p.networkIn, show: bytes },
          { label: 'out', color: '--line-2', width: 1.5, value: (p) => p.networkOut, show: bytes },
        ]}
      />
    </div>
    <div class="columns">
      <section class="card" aria-labelledby="life-title">
        <h2 id="life-title">Life</h2>
        ${
          page === undefined || page.life.length === 0
            ? html`<p class="empty">Nothing is known of what was done with it.</p>`
            : html`<ul class="changes">
                ${page.life.map(
                  ({ at, outcome: { step, ok, message } }, i) =>
                    html`<li key=${i} class=${ok ? '' : 'failed'}>
                      <time datetime=${new Date(at).toISOString()}>${when(at)}</time> <strong>${step}</strong>
                      ${ok ? '' : ' failed'} ${message ?? ''}
                    </li>`,
                )}
              </ul>`
        }
      </section>
      <section class="card" aria-labelledby="log-title">
        <h2 id="log-title">The end of its log</h2>
        ${
          page?.log === undefined
            ? html`<p class="empty">Its provider does not know it: look on the VM.</p>`
            : html`<pre class="log" tabindex="0" role="region" aria-label="Log">${page.log.join('\n')}</pre>`
        }
      </section>
    </div>`;
}
