// What a resource of the REST door is: where it stands, what its methods do, and what can be known of their answers. The router and the
// OpenAPI document are both made from it.
import type { ExceptionName } from '../../domain/exceptions.ts';
import type { ClientRole } from '../../access/identity.ts';
import type { RestExchange } from './exchange.ts';

export type Method = 'GET' | 'POST' | 'DELETE';

export interface Resource {
  /** `{name}` is one part of the path; `{+name}` takes slashes too: clients and proxies are careless about escaping URIs in paths. */
  readonly path: string;
  readonly methods: Readonly<Partial<Record<Method, Operation>>>;
}

export interface Operation {
  /** As a generated client calls it. */
  readonly id: string;
  readonly summary: string;
  readonly handler: (exchange: RestExchange) => void | Promise<void>;
  /** What a client needs where access is on; without it `query`. */
  readonly role?: ClientRole | 'any';
  /** What may stand in the query string. */
  readonly query?: readonly ('page' | 'events' | QueryField)[];
  /** The parameter of a query whose value the path says: in the query string it would be given twice. */
  readonly said?: string;
  /** What the body is. */
  readonly body?: BodyName;
  readonly answers: Readonly<Record<number, Answer>>;
  /** Beside those that every request can meet (bindings/describe/document.ts). */
  readonly exceptions?: readonly ExceptionName[];
  /** Whether it can fail inside the service: all that ask the repository. */
  readonly fails?: false;
}

export interface QueryField {
  readonly name: string;
  readonly meaning: string;
  readonly schema: object;
}

export type BodyName = 'document' | 'event' | 'query' | 'subscription' | 'export';

export interface Answer {
  readonly meaning: string;
  /** A schema of bindings/describe/schemas.ts; none: no body. */
  readonly schema?: string;
  /** Without it: JSON, JSON-LD and XML. */
  readonly types?: readonly string[];
  readonly headers?: readonly string[];
}

/** `/epcs/{+epc}/events` → /^\/epcs\/(.+)\/events$/; a collection may end with a slash. */
export function patternOf(path: string): RegExp {
  const pattern = path.replaceAll(/\{\+\w+\}/g, '(.+)').replaceAll(/\{\w+\}/g, '([^/]+)');
  const slash = path === '/' || path.includes('{') ? '' : '/?';
  return new RegExp(`^${pattern}${slash}$`);
}

/** The path of which `asked` differs in upper and lower case only, as OpenAPI writes it. */
export function otherCase(paths: readonly string[], asked: string): string | undefined {
  if (paths.some((path) => patternOf(path).test(asked))) return undefined;
  const found = paths.find((path) => new RegExp(patternOf(path), 'i').test(asked));
  return found && templateOf(found);
}

/** As OpenAPI writes it. */
export function templateOf(path: string): string {
  return path.replaceAll('{+', '{');
}
