// Workers as the manager sees VMs.
import type { ProvidedVm } from '../act/provider.ts';
import { priceOf } from './offers.ts';
import type { PackingState, Reports, Worker } from './state.ts';

/** `provided`: nodes as their provider lists them, by mark. */
export const shown = (
  state: PackingState,
  provided: ReadonlyMap<string, ProvidedVm>,
  reports: Reports,
  troubles: ReadonlyMap<string, string>,
): readonly ProvidedVm[] =>
  Array.from(state.workers.values(), (worker) => vmOf(worker, state, provided, reports, troubles));

function vmOf(
  worker: Worker,
  { nodes }: PackingState,
  provided: ReadonlyMap<string, ProvidedVm>,
  reports: Reports,
  troubles: ReadonlyMap<string, string>,
): ProvidedVm {
  const { id, mark, createdAt, address, size } = worker;
  const node = nodes.get(worker.node);
  const machine = provided.get(worker.node);
  const name = machine?.id ?? node?.id;
  const report = reports.get(worker.node)?.workers.find((one) => one.mark === mark);
  const price = node && priceOf(machine?.offer ?? node.offer, size);
  const base = {
    ...{ id, mark, createdAt },
    offer: { ...worker.offer, ...(price !== undefined && { price }) },
    ...(name !== undefined && { node: name }),
    ...(machine?.interruptAt !== undefined && { interruptAt: machine.interruptAt }),
    ...(machine?.noticeUnknown && { noticeUnknown: true as const }),
  };
  if (worker.leaving) return { ...base, state: 'releasing', ...(address && { address }) };
  if (worker.failed !== undefined) return { ...base, state: 'failed', note: worker.failed };
  const note = report?.note ?? machine?.note ?? troubles.get(worker.node);
  const said = note === undefined ? {} : { note };
  if (report?.state === 'failed' || report?.state === 'releasing') return { ...base, ...said, state: 'failed' };
  if (worker.seen && address && report?.state !== 'pending') {
    const monitoring = report?.monitoring;
    return { ...base, state: 'running', address, ...(monitoring && { monitoring }) };
  }
  // until its node is up a worker's own boot has not begun
  if (!node?.up)
    return { ...base, ...said, state: 'pending', stage: `waits for node ${name ?? ''}`.trim(), waiting: true };
  return { ...base, ...said, state: 'pending', stage: `starts on node ${name ?? ''}`.trim() };
}
