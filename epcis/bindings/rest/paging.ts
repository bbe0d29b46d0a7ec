// Pages: perPage and nextPageToken in, a Link to the next page out.
import { EpcisException } from '../../domain/exceptions.ts';
import type { PageRequest, QueryParameter } from '../../service/services.ts';
import type { RestExchange } from './exchange.ts';
import { readToken, signToken } from './page-token.ts';
import { readQueryString } from './query-string.ts';
import { readable, unreadable } from './unreadable.ts';

export const DEFAULT_PAGE = 30;

export interface Paged {
  readonly parameters: readonly QueryParameter[];
  readonly page: PageRequest;
}

/**
 * What the client asked for, by the token where there is one: it holds the whole query, so the query string may repeat the
 * query or leave it out, but not change it.
 */
export function readPage(exchange: RestExchange): Paged {
  const { parameters, controls } = readQueryString(exchange.url, exchange.extensions);
  const perPage = perPageOf(controls.get('perPage'), exchange.doors.limits.pageSize);
  const text = controls.get('nextPageToken');
  if (text === undefined || text === '') return { parameters, page: { perPage: perPage ?? DEFAULT_PAGE } };
  const token = readToken(text, exchange.tokenSecret, exchange.doors.rest.tokenTime());
  if (token.path !== pathOf(exchange)) throw wrong('The nextPageToken belongs to another resource.');
  if (parameters.length > 0 && JSON.stringify(parameters) !== JSON.stringify(token.parameters)) {
    throw wrong('The nextPageToken belongs to another query; leave the query out or repeat it as it was.');
  }
  const { client } = exchange.doors;
  const after = client === undefined ? token.after : readable(token.after, exchange.tokenSecret);
  return { parameters: token.parameters, page: { perPage: perPage ?? token.perPage, after } };
}

/** The headers that lead to the next page; none on the last. */
export function pageHeaders(exchange: RestExchange, paged: Paged, next: string | undefined): Record<string, string> {
  if (next === undefined) return {};
  const { rest, client } = exchange.doors;
  const { perPage } = paged.page;
  const after = client === undefined ? next : unreadable(next, exchange.tokenSecret);
  const expires = rest.tokenTime() + rest.tokenSeconds * 1000;
  const position = { path: pathOf(exchange), parameters: paged.parameters, after, perPage, expires };
  const token = signToken(position, exchange.tokenSecret);
  return {
    Link: `<${rest.prefix}${pathOf(exchange)}?perPage=${perPage}&nextPageToken=${token}>; rel="next"`,
    'GS1-Next-Page-Token-Expires': new Date(expires).toISOString(),
  };
}

/** As the client wrote it, without the query; the router has taken the prefix off. */
function pathOf(exchange: RestExchange): string {
  return exchange.url.split('?')[0] ?? '/';
}

function perPageOf(text: string | undefined, limit: number): number | undefined {
  if (text === undefined || text === '') return undefined;
  const perPage = Number(text);
  if (!/^\d+$/.test(text) || perPage < 1) throw wrong(`perPage must be a whole number from 1, not '${text}'.`);
  return Math.min(perPage, limit);
}

function wrong(reason: string): EpcisException {
  return new EpcisException('QueryParameterException', reason);
}
