// The repository as one client has it: the one place where rights are applied. They become part of what is asked of the
// repository (its SQL), so that pages, counts, orders, vocabularies and traces never know of more than the client may see.
import { epcKey } from '../../domain/epc.ts';
import type { VocabularyElement } from '../../domain/event.ts';
import type { Criterion, ElementScope } from '../../service/criteria.ts';
import type { BeginEven } from '../even-time.ts';
import { gather } from '../../service/gather.ts';
import type { EventRepository, EventRow, VocabularyQuery } from '../../service/repository.ts';
import { isAbout, withoutFields } from './hidden.ts';
import type { Rights } from './rights.ts';

/**
 * `rights` is asked at each use, so that a rule changed meanwhile holds. `begin` is about clients that do not see all: what others have takes
 * some microseconds longer to find and leave out than what nobody has.
 */
export function restrict(
  repository: EventRepository,
  rights: () => Rights,
  begin: BeginEven = () => async () => undefined,
): EventRepository {
  return {
    write: (work) => repository.write(work),
    async *events(query) {
      const own = rights();
      const even = seesAll(own) ? undefined : begin();
      const criteria = allowed(query.criteria, own);
      const marks = own.hidden.map(({ of }) => of);
      let isFound = false;
      for await (const row of repository.events({ ...query, criteria, ...(marks.length > 0 && { marks }) })) {
        isFound = true;
        yield shown(row, own);
      }
      if (!isFound) await even?.();
    },
    async count(query, atMost) {
      const own = rights();
      const even = seesAll(own) ? undefined : begin();
      const count = await repository.count({ ...query, criteria: allowed(query.criteria, own) }, atMost);
      if (count === 0) await even?.();
      return count;
    },
    async *vocabulary(query) {
      const { masterData } = rights();
      const isOpen = isAll(masterData);
      const even = isOpen ? undefined : begin();
      let isFound = false;
      for await (const element of isOpen ? repository.vocabulary(query) : elements(repository, query, masterData)) {
        isFound = true;
        yield element;
      }
      if (!isFound) await even?.();
    },
    async values(of, limit, after, criteria = []) {
      const own = rights();
      const even = seesAll(own) ? undefined : begin();
      const isThere: readonly Criterion[] =
        of === 'epc' ? [] : unlessHidden({ kind: 'column', column: of, values: [] }, own);
      const page = await repository.values(of, limit, after, [...own.see, ...isThere, ...criteria]);
      if (page.values.length === 0) await even?.();
      return page;
    },
  };
}

const seesAll = ({ see, hidden }: Rights): boolean => see.length + hidden.length === 0;

/** What was asked for, of what may be seen; hidden fields are met by nothing. */
function allowed(criteria: readonly Criterion[], rights: Rights): readonly Criterion[] {
  const asked = criteria.flatMap((criterion) => [seenFrom(criterion, rights), ...unlessHidden(criterion, rights)]);
  return [...asked, ...rights.see];
}

/** By way of the master data that may be seen. */
function seenFrom(criterion: Criterion, { masterData }: Rights): Criterion {
  if (criterion.kind !== 'within' && criterion.kind !== 'attribute') return criterion;
  return isAll(masterData) ? criterion : { ...criterion, among: masterData };
}

/** A scope that says nothing leaves nothing out. */
const isAll = (scopes: readonly ElementScope[]): boolean => scopes.some((scope) => Object.keys(scope).length === 0);

function unlessHidden(criterion: Criterion, { hidden }: Rights): readonly Criterion[] {
  if (criterion.kind === 'eventID') return unlessHashed(criterion.values, hidden);
  return hidden.filter(({ fields }) => isAbout(criterion, fields)).map(({ isShown }) => isShown);
}

/** A hash tells of every field, also of hidden ones: who guesses a price could see whether it is right. */
function unlessHashed(values: readonly string[], hidden: Rights['hidden']): readonly Criterion[] {
  if (hidden.length === 0 || !values.some((value) => value.startsWith('ni:'))) return [];
  const byName: Criterion = { kind: 'text', name: 'eventID', values, isAsked: true };
  return [{ kind: 'anyOf', of: [[byName], hidden.map(({ isShown }) => isShown)] }];
}

function shown(row: EventRow, { hidden }: Rights): EventRow {
  const fields = hidden.flatMap((each, n) => (row.marks[n] === true ? each.fields : []));
  if (fields.length === 0) return row;
  const { hash, source, recordTime, position, marks, size } = row;
  const { eventID, ...event } = withoutFields(row.event, fields);
  const ownID = eventID === undefined || eventID === hash ? {} : { eventID };
  return { event: { ...event, ...ownID }, hash, source, recordTime, position, marks, size, isPartial: true };
}

/** With those of their children that may be seen. */
async function* elements(
  repository: EventRepository,
  query: VocabularyQuery,
  among: readonly ElementScope[],
): AsyncGenerator<VocabularyElement> {
  const found = await gather(repository.vocabulary({ ...query, among }));
  const names = [...new Set(found.flatMap(({ children }) => children))];
  const known = new Set<string>();
  for (let from = 0; from < names.length; from += LOOK_UP) {
    const some = repository.vocabulary({ names: names.slice(from, from + LOOK_UP), among });
    for await (const { id } of some) known.add(epcKey(id));
  }
  const isKnown = (child: string): boolean => known.has(epcKey(child));
  for (const element of found) yield { ...element, children: element.children.filter(isKnown) };
}

/** Names looked up in one statement. */
const LOOK_UP = 256;
