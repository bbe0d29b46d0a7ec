// Named queries: a name for a set of parameters, kept in the repository. Both doors query and subscribe by name.
import { EpcisException, LimitReachedException } from '../domain/exceptions.ts';
import type { PageRequest, QueryParameter } from './services.ts';

export interface NamedQuery {
  readonly name: string;
  /** Which of the two predefined queries answers it. */
  readonly kind: 'events' | 'vocabularies';
  readonly parameters: readonly QueryParameter[];
  /** The `query` member exactly as the client sent it (JSON text), for GET; absent for the predefined queries. */
  readonly definition?: string;
  readonly createdAt?: string;
}

export interface NamedQueryService {
  /** ResourceAlreadyExistsException, QueryParameterException, ValidationException. */
  create(query: {
    readonly name: string;
    readonly parameters: readonly QueryParameter[];
    readonly definition: string;
  }): Promise<void>;
  /** Finds the predefined SimpleEventQuery and SimpleMasterDataQuery too. NoSuchNameException. */
  get(name: string): Promise<NamedQuery>;
  /** In the order of their names, the predefined ones first (on the first page). */
  list(page: PageRequest): Promise<{ readonly queries: readonly NamedQuery[]; readonly next?: string }>;
  /** All of them, in the same order. */
  names(): Promise<readonly string[]>;
  /** Ends its subscriptions too. NoSuchNameException; a predefined query is refused with a SecurityException. */
  delete(name: string): Promise<void>;
}

/** Port: named queries in the repository. */
export interface NamedQueryStore {
  /** False: the name is taken. */
  create(query: NamedQuery): Promise<boolean>;
  find(name: string): Promise<NamedQuery | undefined>;
  /** Up to `limit` queries whose name is greater than `after`, in the order of their names; fewer where they are large, at least one. */
  list(after: string, limit: number): Promise<{ readonly queries: readonly NamedQuery[]; readonly isMore: boolean }>;
  /** Up to `limit` names that are greater than `after`, in their order. */
  names(after: string, limit: number): Promise<readonly string[]>;
  /** Counts no further than `most`. */
  count(most: number): Promise<number>;
  /** With its subscriptions. False: there is none. */
  delete(name: string): Promise<boolean>;
}

const PREDEFINED: readonly NamedQuery[] = [
  { name: 'SimpleEventQuery', kind: 'events', parameters: [] },
  { name: 'SimpleMasterDataQuery', kind: 'vocabularies', parameters: [] },
];

export interface NamedQueryParts {
  readonly store: NamedQueryStore;
  /** The parameter registry: throws a QueryParameterException. */
  readonly checkParameters: (parameters: readonly QueryParameter[]) => void;
  /** That one client may have. */
  readonly most: number;
}

const MAX_NAME = 255;
/** That are read at once. */
const NAMES = 1000;
const TRY_AGAIN_SECONDS = 60;

/** What is none is not looked for, either: where access is on, a control character stands in the names that a repository stores. */
const isName = (name: string): boolean =>
  name !== '' && name.length <= MAX_NAME && !/[\p{Cc}/]/u.test(name) && name.isWellFormed();

export function createNamedQueryService({ store, checkParameters, most }: NamedQueryParts): NamedQueryService {
  const predefined = (name: string): NamedQuery | undefined => PREDEFINED.find((query) => query.name === name);
  return {
    async create({ name, parameters, definition }) {
      if (!isName(name)) {
        const reason = `A query's name has 1 to ${MAX_NAME} characters, no slash, no control character and no half of a character.`;
        throw new EpcisException('ValidationException', reason);
      }
      checkParameters(parameters);
      const query: NamedQuery = { name, kind: 'events', parameters, definition };
      // of those that come at the same time each may be the last one
      if ((await store.count(most)) >= most) {
        const reason = `There may be ${most} named queries of a client: delete one before the next.`;
        throw new LimitReachedException(reason, TRY_AGAIN_SECONDS);
      }
      if (predefined(name) !== undefined || !(await store.create(query))) {
        throw new EpcisException('ResourceAlreadyExistsException', `There is a query named '${name}' already.`);
      }
    },
    async get(name) {
      return predefined(name) ?? (isName(name) ? await store.find(name) : undefined) ?? noSuchName(name);
    },
    async list({ perPage, after }) {
      const seen = PREDEFINED.findIndex((query) => query.name === after) + 1;
      const inStore = after !== undefined && seen === 0;
      const first = inStore ? [] : PREDEFINED.slice(seen, seen + perPage);
      const room = perPage - first.length;
      const stored = await store.list(inStore ? after : '', room);
      const queries = [...first, ...stored.queries];
      const isMore = stored.isMore || (!inStore && seen + first.length < PREDEFINED.length);
      const last = queries.at(-1);
      return { queries, ...(isMore && last && { next: last.name }) };
    },
    async names() {
      const names = PREDEFINED.map(({ name }) => name);
      for (let after = ''; ;) {
        const some = await store.names(after, NAMES);
        names.push(...some);
        if (some.length < NAMES) return names;
        after = some.at(-1) ?? '';
      }
    },
    async delete(name) {
      if (predefined(name) !== undefined) {
        throw new EpcisException('SecurityException', `The query '${name}' is predefined and can't be deleted.`);
      }
      if (!isName(name) || !(await store.delete(name))) noSuchName(name);
    },
  };
}

function noSuchName(name: string): never {
  throw new EpcisException('NoSuchNameException', `There is no query named '${name}'.`);
}
