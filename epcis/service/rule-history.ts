// What the rules look back on: the repository, and what stands before the event in its own document.
import type { EpcisEvent } from '../domain/event.ts';
import type { Criterion } from './criteria.ts';
import type { Column } from './queryable-columns.ts';
import { CLASS_ROLES, INSTANCE_ROLES } from './queryable-places.ts';
import type { EventRepository } from './repository.ts';
import { epcsOf, isOfKind, type History, type Kind, type Past, type Rule } from './rules.ts';
import { timeOf } from './text-values.ts';

/** Each answer is one look at the index of EPCs, that ends at the first event found. */
export function repositoryHistory(repository: Pick<EventRepository, 'count' | 'events'>): History {
  return {
    async has(epc, kind, { from, before }) {
      const time = { kind: 'time', column: 'eventTime', before, ...(from !== undefined && { from }) } as const;
      return (await repository.count({ criteria: [...criteriaOf(epc, kind), time], order: EARLIEST }, 1)) > 0;
    },
    async first(epc, kind) {
      const query = { criteria: criteriaOf(epc, kind), order: EARLIEST, limit: 1 };
      for await (const { position } of repository.events(query)) return position.time;
      return undefined;
    },
  };
}

const EARLIEST = { by: 'eventTime', direction: 'ASC' } as const;

const criteriaOf = (epc: string, kind: Kind): Criterion[] => [
  { kind: 'epc', roles: INSTANCE_ROLES | CLASS_ROLES, patterns: [{ exact: epc, parts: [epc] }] },
  ...Object.entries(kind).map(([column, values]): Criterion => ({ kind: 'column', column: column as Column, values })),
];

/** The empty past: of who checks documents without a repository. */
export const NO_HISTORY: History = { has: () => Promise.resolve(false), first: () => Promise.resolve(undefined) };

/** EPCs of a document that are remembered: about 30 MB. Beyond them only the repository is asked, each time. */
const MOST_REMEMBERED = 200_000;

/**
 * One document's own past, in front of what was before. To be told of each event once it has been checked. What was before is
 * asked once about an EPC, for the first such event: a document of 10,000 events of one EPC asks once, not 10,000 times.
 */
export class DocumentHistory {
  readonly #before: History;
  readonly #kinds: readonly Kind[];
  /** For each kind: EPC → times. */
  readonly #times = new Map<Kind, Map<string, number[]>>();
  readonly #firsts = new Map<Kind, Map<string, number | undefined>>();
  #remembered = 0;

  constructor(rules: readonly Rule[], before: History) {
    this.#before = before;
    this.#kinds = rules.flatMap(({ after, notAfter }) => [after, notAfter]).filter((kind) => kind !== undefined);
  }

  async has(epc: string, kind: Kind, past: Past): Promise<boolean> {
    const own = this.#times.get(kind)?.get(epc) ?? [];
    if (own.some((time) => time < past.before && time >= (past.from ?? -Infinity))) return true;
    const first = await this.#first(epc, kind);
    if (first === undefined || first >= past.before) return false;
    return first >= (past.from ?? -Infinity) || this.#before.has(epc, kind, past);
  }

  async #first(epc: string, kind: Kind): Promise<number | undefined> {
    const known = this.#firsts.get(kind) ?? new Map<string, number | undefined>();
    if (known.has(epc)) return known.get(epc);
    const first = await this.#before.first(epc, kind);
    if (++this.#remembered <= MOST_REMEMBERED) this.#firsts.set(kind, known.set(epc, first));
    return first;
  }

  add(event: EpcisEvent): void {
    const time = timeOf(event.eventTime, 'optional');
    if (time === undefined) return;
    for (const kind of this.#kinds.filter((each) => isOfKind(event, each)))
      for (const epc of epcsOf(event).keys()) this.#remember(kind, epc, time);
  }

  #remember(kind: Kind, epc: string, time: number): void {
    if (++this.#remembered > MOST_REMEMBERED) return;
    const ofKind = this.#times.get(kind) ?? new Map<string, number[]>();
    const times = ofKind.get(epc);
    if (times === undefined) ofKind.set(epc, [time]);
    else times.push(time);
    this.#times.set(kind, ofKind);
  }
}
