// Which elements are below others: by way of those that a client sees, and for rules, which ask for the same ones in query after query. So
// what master data says of these is looked up once and then remembered for a moment, not found again by each query.
import type { Alternatives, Criterion, ElementScope, EventQuery } from '../service/criteria.ts';
import type { Database } from './database/database.ts';
import { keys } from './keys.ts';
import { belowAmong } from './master-data.ts';
import { setOf } from './sql/sql.ts';
import { textOf } from './terms.ts';

/** What changes in master data holds for rules after so long at the latest. */
const GOOD_FOR_MS = 1000;

export class ElementsBelow {
  readonly #database: Database;
  readonly #now: () => number;
  #known = new WeakMap<Alternatives, Promise<Alternatives>>();
  /** What was found last: the same list as long as it is the same, so that what was made of it is found again. */
  readonly #last = new WeakMap<Alternatives, Alternatives>();
  #until = 0;

  /** `now`: ms since 1970. */
  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /** Master data has changed. */
  forget(): void {
    this.#known = new WeakMap();
  }

  async inQuery(query: EventQuery): Promise<EventQuery> {
    const { criteria: asked, marks } = query;
    const criteria = asked.some(isByWayOfSome)
      ? await Promise.all(asked.map((each) => this.#byWayOfSome(each)))
      : asked;
    if (marks === undefined && !criteria.some(isOfRules)) return criteria === asked ? query : { ...query, criteria };
    return {
      ...query,
      criteria: await this.inAll(criteria),
      ...(marks && { marks: await Promise.all(marks.map((mark) => this.#inside(mark))) }),
    };
  }

  /** What a client asks, who does not see all elements: not remembered. */
  async #byWayOfSome(criterion: Criterion): Promise<Criterion> {
    if (!isByWayOfSome(criterion)) return criterion;
    const { column, roots, among } = criterion;
    return { kind: 'elements', column, ids: await belowAmong(this.#database, roots, among) };
  }

  async inAll(criteria: readonly Criterion[]): Promise<readonly Criterion[]> {
    return Promise.all(criteria.map((each) => (isOfRules(each) ? this.#found(each) : Promise.resolve(each))));
  }

  async #found(criterion: Criterion): Promise<Criterion> {
    if (criterion.kind === 'within') return this.#elements(criterion);
    return isOfRules(criterion) ? { ...criterion, of: await this.#inside(criterion.of) } : criterion;
  }

  #inside(alternatives: Alternatives): Promise<Alternatives> {
    const time = this.#now();
    if (time >= this.#until) {
      this.forget();
      this.#until = time + GOOD_FOR_MS;
    }
    const known = this.#known.get(alternatives);
    if (known !== undefined) return known;
    const found = hasWithin(alternatives) ? this.#inEach(alternatives) : Promise.resolve(alternatives);
    this.#known.set(alternatives, found);
    found.catch(() => this.#known.delete(alternatives));
    return found;
  }

  async #inEach(alternatives: Alternatives): Promise<Alternatives> {
    const found = await Promise.all(
      alternatives.map((criteria) => Promise.all(criteria.map((each) => this.#found(each)))),
    );
    const last = this.#last.get(alternatives);
    if (last?.every((criteria, n) => criteria.every((each, k) => isSame(each, found[n]?.[k])))) return last;
    this.#last.set(alternatives, found);
    return found;
  }

  async #elements(criterion: Extract<Criterion, { kind: 'within' }>): Promise<Criterion> {
    const { sql, values } = setOf(criterion, { dialect: this.#database.dialect, keys });
    const rows = await this.#database.all(`SELECT CAST(w.id AS CHAR(20)) AS id FROM (${sql}) w`, values);
    const ids = rows.map(({ id }) => BigInt(textOf(id)));
    return { kind: 'elements', column: criterion.column, ids: ids.sort((a, b) => Number(a > b) - Number(a < b)) };
  }
}

type ByWayOfSome = Extract<Criterion, { kind: 'within' }> & { readonly among: readonly ElementScope[] };

const isByWayOfSome = (criterion: Criterion): criterion is ByWayOfSome =>
  criterion.kind === 'within' && criterion.among !== undefined;

type OfRules = Extract<Criterion, { kind: 'anyOf' | 'noneOf' }>;

const isOfRules = (criterion: Criterion): criterion is OfRules =>
  criterion.kind === 'anyOf' || criterion.kind === 'noneOf';

function isSame(one: Criterion, other: Criterion | undefined): boolean {
  if (other === undefined || one === other) return one === other;
  if (one.kind === 'elements' && other.kind === 'elements')
    return one.ids.length === other.ids.length && one.ids.every((id, n) => id === other.ids[n]);
  return isOfRules(one) && isOfRules(other) && one.of === other.of;
}

const hasWithin = (alternatives: Alternatives): boolean =>
  alternatives.some((criteria) =>
    criteria.some((each) => each.kind === 'within' || (isOfRules(each) && hasWithin(each.of))),
  );
