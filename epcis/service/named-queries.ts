// Named queries: a name for a set of parameters, kept in the repository. Both doors query and subscribe by name.
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
