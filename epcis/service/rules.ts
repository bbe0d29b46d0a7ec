// Business rules as data: what an event of a kind must say, and what must have happened to its EPCs before it, or must not
// have. Each look back is one question to the index of EPCs; an event with too many EPCs for that is told so.
import { epcKey } from '../domain/epc.ts';
import type { FieldName } from '../domain/event-shape.ts';
import type { EpcisEvent } from '../domain/event.ts';
import { PLACES } from './queryable-places.ts';
import { COLUMN_FACTS, type Column } from './queryable-columns.ts';
import { timeOf } from './text-values.ts';

/** An event is of the kind when each of these columns has one of its values. */
export type Kind = Readonly<Partial<Record<Column, readonly string[]>>>;

export interface Rule {
  readonly name: string;
  /** The events that it is about. */
  readonly when: Kind;
  /** Fields that they must have. */
  readonly needs?: readonly FieldName[];
  /** Each EPC must have been in an event of this kind, at that time or before. */
  readonly after?: Kind;
  /** No EPC may have been in one of this kind before. */
  readonly notAfter?: Kind;
  /** How far back, in microseconds; as far as there is anything without it. */
  readonly within?: number;
  /** One sentence for who sent the event. */
  readonly says: string;
  readonly refuses: boolean;
}

/** Microseconds since 1970. */
export interface Past {
  readonly from?: number;
  readonly before: number;
}

/** What has happened to an EPC. */
export interface History {
  /** Whether an event of this kind in this time has the EPC, given by its canonical key. */
  has(epc: string, kind: Kind, past: Past): Promise<boolean>;
  /** When the first one did. */
  first(epc: string, kind: Kind): Promise<number | undefined>;
}

type Looking = Pick<History, 'has'>;

/** EPCs of one event that a rule looks back for: each is a question to the database. */
const MOST_EPCS = 500;

export async function brokenRules(rules: readonly Rule[], event: EpcisEvent, history: Looking): Promise<BrokenRule[]> {
  const broken: BrokenRule[] = [];
  for (const rule of rules) {
    const why = isOfKind(event, rule.when) ? await breach(rule, event, history) : undefined;
    if (why !== undefined) broken.push({ rule, why });
  }
  return broken;
}

export interface BrokenRule {
  readonly rule: Rule;
  /** In brackets behind the rule's own sentence: what it is that breaks it. */
  readonly why: string;
}

export function isOfKind(event: EpcisEvent, kind: Kind): boolean {
  return Object.entries(kind).every(([column, values]) => {
    const value = COLUMN_FACTS[column as Column].of(event);
    return value !== undefined && values.includes(value);
  });
}

/** Canonical key → as the event writes it; instances and classes. */
export function epcsOf(event: EpcisEvent): ReadonlyMap<string, string> {
  return new Map(PLACES.flatMap(({ of }) => of(event) ?? []).map((epc) => [epcKey(epc), epc]));
}

async function breach(rule: Rule, event: EpcisEvent, history: Looking): Promise<string | undefined> {
  const missing = rule.needs?.filter((field) => event[field] === undefined) ?? [];
  if (missing.length > 0) return `it lacks ${missing.join(', ')}`;
  const { after, notAfter, within } = rule;
  const time = timeOf(event.eventTime, 'optional');
  if (time === undefined || (after === undefined && notAfter === undefined)) return undefined;
  const epcs = epcsOf(event);
  if (epcs.size > MOST_EPCS) return `it has ${epcs.size} EPCs, and this is looked up for ${MOST_EPCS} at most`;
  const from = within === undefined ? {} : { from: time - within };
  for (const [key, epc] of epcs) {
    // what is captured again, or happens at the same moment, is no fault of itself
    if (notAfter !== undefined && (await history.has(key, notAfter, { ...from, before: time }))) return epc;
    if (after !== undefined && !(await history.has(key, after, { ...from, before: time + 1 }))) return epc;
  }
  return undefined;
}
