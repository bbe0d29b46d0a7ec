// Named queries: a name for a set of parameters, kept in the repository. Both doors query and subscribe by name.
import { EpcisException } from '../domain/exceptions.ts';
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
  }): Promise<NamedQuery>;
  /** Finds the predefined SimpleEventQuery and SimpleMasterDataQuery too. NoSuchNameException. */
  get(name: string): Promise<NamedQuery>;
  /** In the order of their names, the predefined ones first (on the first page). */
  list(page: PageRequest): Promise<{ readonly queries: readonly NamedQuery[]; readonly next?: string }>;
  /** Ends its subscriptions too. NoSuchNameException; a predefined query is refused with a SecurityException. */
  delete(name: string): Promise<void>;
}

/** Port: named queries in the repository. */
export interface NamedQueryStore {
  /** False: the name is taken. */
  create(query: NamedQuery): Promise<boolean>;
  find(name: string): Promise<NamedQuery | undefined>;
  /** Up to `limit` queries whose name is greater than `after`, in the order of their names; fewer where they are large, at least one. */
  list(after: string, limit: number): Promise<readonly NamedQuery[]>;
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
}

const MAX_NAME = 255;

/** What is none is not looked for, either: where access is on, a control character stands in the names that a repository stores. */
const isName = (name: string): boolean =>
  name !== '' && name.length <= MAX_NAME && !/[\p{Cc}/]/u.test(name) && name.isWellFormed();

export function createNamedQueryService({ store, checkParameters }: NamedQueryParts): NamedQueryService {
  const isMoreBehind = async (name: string | undefined): Promise<boolean> => {
    if (name === undefined) return false;
    const at = PREDEFINED.findIndex((query) => query.name === name);
    return (at >= 0 && at < PREDEFINED.length - 1) || (await store.list(at < 0 ? name : '', 1)).length > 0;
  };
  const predefined = (name: string): NamedQuery | undefined => PREDEFINED.find((query) => query.name === name);
  return {
    async create({ name, parameters, definition }) {
      if (!isName(name)) {
        const reason = `A query's name has 1 to ${MAX_NAME} characters, no slash, no control character and no half of a character.`;
        throw new EpcisException('ValidationException', reason);
      }
      checkParameters(parameters);
      const query: NamedQuery = { name, kind: 'events', parameters, definition };
      if (predefined(name) !== undefined || !(await store.create(query))) {
        throw new EpcisException('ResourceAlreadyExistsException', `There is a query named '${name}' already.`);
      }
      return (await store.find(name)) ?? query;
    },
    async get(name) {
      return predefined(name) ?? (isName(name) ? await store.find(name) : undefined) ?? noSuchName(name);
    },
    async list({ perPage, after }) {
      const seen = PREDEFINED.findIndex((query) => query.name === after) + 1;
      const inStore = after !== undefined && seen === 0;
      const first = inStore ? [] : PREDEFINED.slice(seen, seen + perPage);
      const room = perPage - first.length;
      const queries = room === 0 ? first : [...first, ...(await store.list(inStore ? after : '', room))];
      const last = queries.at(-1);
      const isMore = await isMoreBehind(last?.name);
      return { queries, ...(isMore && last && { next: last.name }) };
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
