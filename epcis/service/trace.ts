// The life of an EPC: its own events, those of what it was packed into while it was, and, through transformations, of what it was
// made from and what was made of it. Every step is one look at the index of EPCs within a window of time; nothing is scanned.
//
// Worked example: a bottle is made from a lot at 8, packed into a case at 9, which is packed on a pallet at 10 and taken off it at 14.
// The bottle's trace has its own events, the case's from 9 on, the pallet's from 10 to 14, and the lot's until 8.
import { epcKey } from '../domain/epc.ts';
import type { EpcisEvent } from '../domain/event.ts';
import type { Criterion } from './criteria.ts';
import { gather } from './gather.ts';
import { CLASS_ROLES, INSTANCE_ROLES, PLACE_FACTS, rolesAt, type PlaceName } from './queryable-places.ts';
import { eachForm } from './queryable-texts.ts';
import type { EventRepository, EventRow } from './repository.ts';
import type { Trace, TraceRequest, TraceRole } from './services.ts';

/** What one trace may cost: about as many looks at the index, and rows unpacked. */
const TRACE_LIMITS = { epcs: 200, events: 2000, eventsOfEpc: 500 };

/** A stay of the trace with one EPC, in microseconds since 1970, both ends included. */
interface Visit {
  readonly epc: string;
  readonly key: string;
  readonly direction: TraceRequest['direction'];
  readonly from: number;
  readonly to: number;
  readonly depth: number;
  /** What carries an EPC is not made of it: its transformations lead elsewhere. */
  readonly carrier: boolean;
}

export async function traceOf(
  repository: EventRepository,
  { epc, direction, depth, contents }: TraceRequest,
  limits = TRACE_LIMITS,
): Promise<Trace> {
  const found = new Found();
  const first: Visit = { epc, key: epcKey(epc), direction, from: -Infinity, to: Infinity, depth: 0, carrier: false };
  const waiting: Visit[] = [first];
  const done: Visit[] = [];
  const tooDeep: Visit[] = [];
  for (let visit = waiting.shift(); visit !== undefined; visit = waiting.shift()) {
    const here = visit;
    if (done.some((other) => covers(other, here))) continue;
    if (done.length === limits.epcs) found.bounded = `more than ${limits.epcs} EPCs`;
    if (found.events.size >= limits.events) found.bounded = `more than ${limits.events} events`;
    if (found.bounded !== undefined) break;
    done.push(here);
    const rows = await eventsOf(repository, here, limits.eventsOfEpc + 1);
    if (rows.length > limits.eventsOfEpc) found.bounded = `more than ${limits.eventsOfEpc} events of one EPC`;
    const stay = new Stay(here, contents, limits.epcs + 1);
    if (here.carrier) for (const row of await packedBefore(repository, here)) stay.begins(row);
    for (const row of rows.slice(0, limits.eventsOfEpc)) {
      found.add(row, here);
      if (stay.meets(row, await partsOf(repository, row)) === 'over') break;
    }
    (here.depth < depth ? waiting : tooDeep).push(...stay.next());
  }
  if (tooDeep.some((visit) => !done.some((other) => covers(other, visit))))
    found.bounded ??= `more than ${depth} steps`;
  return found.trace();
}

async function eventsOf(repository: EventRepository, { key, from, to }: Visit, limit: number): Promise<EventRow[]> {
  const criteria: Criterion[] = [
    { kind: 'epc', roles: INSTANCE_ROLES | CLASS_ROLES, patterns: [{ exact: key, parts: [key] }] },
  ];
  if (from > -Infinity || to < Infinity)
    criteria.push({
      kind: 'time',
      column: 'eventTime',
      ...(from > -Infinity && { from }),
      ...(to < Infinity && { before: to + Math.max(1, Math.abs(to) * Number.EPSILON) }),
    });
  return gather(repository.events({ criteria, order: { by: 'eventTime', direction: 'ASC' }, limit }));
}

/** A carrier may itself have been packed before what it carries: the last of that, in order of time. */
async function packedBefore(repository: EventRepository, { key, from }: Visit): Promise<EventRow[]> {
  const roles = rolesAt(...CHILDREN);
  const criteria: Criterion[] = [
    { kind: 'epc', roles, patterns: [{ exact: key, parts: [key] }] },
    { kind: 'time', column: 'eventTime', before: from },
  ];
  const order = { by: 'eventTime', direction: 'DESC' } as const;
  return (await gather(repository.events({ criteria, order, limit: PACKED_BEFORE }))).reverse();
}

const PACKED_BEFORE = 20;

/** The events of which this one is a part: a transformation may be told in several, under one ID. */
async function partsOf(repository: EventRepository, { event }: EventRow): Promise<EpcisEvent[]> {
  const { transformationID: id } = event;
  if (event.type !== 'TransformationEvent') return [];
  if (id === undefined) return [event];
  const criteria: Criterion[] = [{ kind: 'text', name: 'transformationID', values: eachForm(id) }];
  const rows = repository.events({ criteria, order: { by: 'eventTime', direction: 'ASC' }, limit: PARTS });
  return (await gather(rows)).map((row) => row.event);
}

const PARTS = 100;

/** Whether all that a visit would find was found by an earlier one. */
function covers(earlier: Visit, visit: Visit): boolean {
  return (
    earlier.key === visit.key &&
    earlier.from <= visit.from &&
    earlier.to >= visit.to &&
    earlier.depth <= visit.depth &&
    (earlier.direction === 'both' || earlier.direction === visit.direction) &&
    (!earlier.carrier || visit.carrier)
  );
}

class Found {
  readonly events = new Map<string, { stored: EventRow; roles: Map<string, TraceRole> }>();
  readonly #epcs = new Map<string, string>();
  bounded: string | undefined;

  add(stored: EventRow, { key, epc }: Visit): void {
    this.#epcs.set(key, this.#epcs.get(key) ?? epc);
    const { id } = stored.position;
    const traced = this.events.get(id) ?? { stored, roles: new Map<string, TraceRole>() };
    traced.roles.set(key, roleOf(key, stored.event));
    this.events.set(id, traced);
  }

  trace(): Trace {
    const events = [...this.events.values()].sort(({ stored: a }, { stored: b }) => {
      return a.position.time - b.position.time || (BigInt(a.position.id) < BigInt(b.position.id) ? -1 : 1);
    });
    return { events, epcs: this.#epcs, ...(this.bounded !== undefined && { bounded: this.bounded }) };
  }
}

function roleOf(key: string, event: EpcisEvent): TraceRole {
  const has = (epcs: readonly string[]) => epcs.some((epc) => epcKey(epc) === key);
  if (event.parentID !== undefined && epcKey(event.parentID) === key) return 'parent';
  if (has(childrenOf(event))) return 'child';
  if (has(inputsOf(event))) return 'input';
  return has(outputsOf(event)) ? 'output' : 'subject';
}

/** What one stay learns from its events about where the trace goes on. */
class Stay {
  readonly #visit: Visit;
  readonly #contents: boolean;
  /** The carrier it is in, by key, since when. */
  readonly #inside = new Map<string, { readonly epc: string; readonly since: number }>();
  readonly #next = new Map<string, Visit>();
  readonly #most: number;

  /** `most`: as many goals as a trace could follow, and one that says it is bounded. */
  constructor(visit: Visit, contents: boolean, most: number) {
    this.#visit = visit;
    this.#contents = contents;
    this.#most = most;
  }

  /** An event before the stay: what the carrier was in when it began. */
  begins({ event }: EventRow): void {
    if (isPacking(event)) this.#packed(event, this.#visit.from, () => {});
  }

  /** `over`: what it carried has been taken out, and with it the reason to be here. */
  meets({ event, position: { time } }: EventRow, transformation: readonly EpcisEvent[]): 'over' | undefined {
    const { key, carrier, direction } = this.#visit;
    const role = roleOf(key, event);
    if (isPacking(event) && role === 'child') this.#packed(event, time, (carrierKey) => this.#leave(carrierKey, time));
    if (isPacking(event) && role === 'parent') {
      if (this.#contents) for (const child of childrenOf(event)) this.#goTo(child, time);
      // a DELETE that names no children takes out all of them
      if (carrier && event.action === 'DELETE' && childrenOf(event).length === 0) return 'over';
    }
    if (carrier) return undefined;
    if (role === 'input' && direction !== 'back')
      for (const output of transformation.flatMap(outputsOf)) this.#goTo(output, time, 'forward');
    if (role === 'output' && direction !== 'forward')
      for (const input of transformation.flatMap(inputsOf)) this.#goTo(input, time, 'back');
    return undefined;
  }

  next(): readonly Visit[] {
    for (const key of [...this.#inside.keys()]) this.#leave(key, this.#visit.to);
    return [...this.#next.values()];
  }

  #packed({ action, parentID }: EpcisEvent, time: number, leave: (key: string) => void): void {
    const parent = parentID === undefined ? undefined : epcKey(parentID);
    if (action !== 'DELETE') {
      if (parentID !== undefined && parent !== undefined && !this.#inside.has(parent))
        this.#inside.set(parent, { epc: parentID, since: time });
      return;
    }
    for (const key of parent === undefined ? [...this.#inside.keys()] : [parent]) {
      leave(key);
      this.#inside.delete(key);
    }
  }

  #leave(key: string, time: number): void {
    const carrier = this.#inside.get(key);
    if (carrier === undefined) return;
    const { direction, depth } = this.#visit;
    const { epc, since } = carrier;
    this.#push({ epc, key, direction, from: since, to: time, depth: depth + 1, carrier: true });
  }

  /** Forward: what happened since; back: what had happened; both ways for contents: all of it. */
  #goTo(epc: string, time: number, direction = this.#visit.direction): void {
    const key = epcKey(epc);
    // a GTIN without lot or serial number stands for all there ever were of it
    if (ANY_OF_ITS_KIND.test(key)) return;
    const from = direction === 'forward' ? time : -Infinity;
    const to = direction === 'back' ? time : Infinity;
    this.#push({ epc, key, direction, from, to, depth: this.#visit.depth + 1, carrier: false });
  }

  #push(visit: Visit): void {
    const { key, from, to, direction } = visit;
    if (this.#next.size < this.#most) this.#next.set(`${direction} ${from} ${to} ${key}`, visit);
  }
}

const isPacking = ({ type }: EpcisEvent): boolean => type === 'AggregationEvent' || type === 'AssociationEvent';

const ANY_OF_ITS_KIND = /^https:\/\/id\.gs1\.org\/01\/\d{14}$/;

const CHILDREN: readonly PlaceName[] = ['childEPCs', 'childQuantityList'];
const INPUTS: readonly PlaceName[] = ['inputEPCList', 'inputQuantityList'];
const OUTPUTS: readonly PlaceName[] = ['outputEPCList', 'outputQuantityList'];

const childrenOf = (event: EpcisEvent): readonly string[] => epcsAt(CHILDREN, event);
const inputsOf = (event: EpcisEvent): readonly string[] => epcsAt(INPUTS, event);
const outputsOf = (event: EpcisEvent): readonly string[] => epcsAt(OUTPUTS, event);

function epcsAt(places: readonly PlaceName[], event: EpcisEvent): readonly string[] {
  return places.flatMap((name) => PLACE_FACTS[name].of(event) ?? []);
}
