// A trace as a graph.
import type { Trace, TracedEvent, TraceRole } from '../../service/services.ts';

/** Nodes are EPCs and events; an edge leads from what an event was given to the event, and from the event to what it gave. */
export interface TraceGraph {
  readonly epc: string;
  readonly nodes: readonly (EpcNode | EventNode)[];
  readonly edges: readonly { readonly from: string; readonly to: string; readonly role: TraceRole }[];
  /** What was left out, where there was too much. */
  readonly bounded?: string;
}

export interface EpcNode {
  readonly id: string;
  readonly kind: 'epc';
  readonly epc: string;
}

export interface EventNode {
  readonly id: string;
  readonly kind: 'event';
  /** Its hash where it has none of its own; nothing where that would tell of hidden fields. */
  readonly eventID?: string;
  readonly type: string;
  readonly eventTime: string;
  readonly action?: string;
  readonly bizStep?: string;
  readonly disposition?: string;
  readonly readPoint?: string;
  readonly bizLocation?: string;
}

/** How identifiers and vocabulary are written for the client. */
interface Writes {
  epc(epc: string): string;
  word(uri: string): string;
  /** What its row in the repository is called. */
  row(id: string): string;
}

/** `events`: those of a page, with the EPCs that they touch. */
export function traceGraph(
  epc: string,
  { epcs, bounded }: Trace,
  events: readonly TracedEvent[],
  writes: Writes,
): TraceGraph {
  const keys = new Set(events.flatMap(({ roles }) => [...roles.keys()]));
  const nodes = [
    ...[...keys].map((key): EpcNode => ({ id: key, kind: 'epc', epc: writes.epc(epcs.get(key) ?? key) })),
    ...events.map((event) => eventNode(event, writes)),
  ];
  const edges = events.flatMap((event) => edgesOf(event, writes));
  return { epc, nodes, edges, ...(bounded !== undefined && { bounded }) };
}

const idOf = ({ stored }: TracedEvent, writes: Writes): string => `event:${writes.row(stored.position.id)}`;

function eventNode(traced: TracedEvent, writes: Writes): EventNode {
  const { event, hash, isPartial } = traced.stored;
  const eventID = event.eventID ?? (isPartial ? undefined : hash);
  const { type, eventTime, action, bizStep, disposition, readPoint, bizLocation } = event;
  return {
    id: idOf(traced, writes),
    kind: 'event',
    ...(eventID !== undefined && { eventID }),
    type,
    eventTime,
    ...(action && { action }),
    ...(bizStep && { bizStep: writes.word(bizStep) }),
    ...(disposition && { disposition: writes.word(disposition) }),
    ...(readPoint && { readPoint: writes.epc(readPoint.id) }),
    ...(bizLocation && { bizLocation: writes.epc(bizLocation.id) }),
  };
}

function edgesOf(traced: TracedEvent, writes: Writes): TraceGraph['edges'] {
  const id = idOf(traced, writes);
  return [...traced.roles].map(([key, role]) => {
    const [from, to] = gives(role, traced.stored.event.action) ? [id, key] : [key, id];
    return { from, to, role };
  });
}

/** Packing gives a full parent, unpacking gives the children back. */
function gives(role: TraceRole, action: string | undefined): boolean {
  return role === 'output' || role === (action === 'DELETE' ? 'child' : 'parent');
}
