// One REST request and its answer: what every resource needs, in one place.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { EpcisException } from '../../domain/exceptions.ts';
import type { Doors, WriteStyle } from '../http/doors.ts';
import { sendStream, sendText, tagOf, type Headers, type Recipient } from '../http/answer.ts';
import { segmentOf } from '../http/segment.ts';
import { extensionsOf, styleOf, VERSION_HEADERS, writeExtensions } from './headers.ts';
import { negotiate, type Representation } from './negotiate.ts';

const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

export interface RestOptions {
  /** Before every path; empty serves the resources at the root. */
  readonly prefix: string;
  /** Key of the page tokens, the same on every VM. */
  readonly secret: string;
  /** How long a page token is good for. */
  readonly tokenSeconds: number;
  /** In ms, and the same on every VM: another one may answer the next page. */
  readonly tokenTime: () => number;
  /** Where EPCIS 1.x is queried, the first of several places; undefined where it is not served. */
  readonly queryPath: string | undefined;
}

export interface RestDoors extends Doors {
  readonly rest: RestOptions;
}

export class RestExchange {
  readonly doors: RestDoors;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** What the path's variable parts hold, decoded. */
  readonly values: readonly string[];

  constructor(doors: RestDoors, request: IncomingMessage, response: ServerResponse, values: readonly string[]) {
    this.doors = doors;
    this.request = request;
    this.response = response;
    this.values = values;
  }

  /** The first variable part of the path. */
  get value(): string {
    return this.values[0] ?? '';
  }

  get url(): string {
    return this.request.url ?? '/';
  }

  /** What signs this client's page tokens: another's are none. */
  get tokenSecret(): string {
    const { rest, client } = this.doors;
    return client === undefined ? rest.secret : `${rest.secret} ${client.tenant ?? ''} ${client.client}`;
  }

  get representation(): Representation {
    return negotiate(this.request.headers.accept);
  }

  get style(): WriteStyle {
    return styleOf(this.request.headers, this.representation);
  }

  get extensions(): ReadonlyMap<string, string> {
    return extensionsOf(this.request.headers);
  }

  /** A path of this service, as a client can use it: relative to the server, whatever stands in front of it. */
  link(...parts: readonly string[]): string {
    return [this.doors.rest.prefix, ...parts.map(segmentOf)].join('/');
  }

  empty(status: number, headers: Headers = {}): void {
    this.response.writeHead(status, { ...VERSION_HEADERS, ...headers }).end();
  }

  /** JSON or XML, whichever the client asked for. */
  send(status: number, json: unknown, xml: () => string, headers: Headers = {}): void {
    this.sendText(status, this.#written(json, xml), headers);
  }

  /** A list in whichever of both, entry by entry, between which others have their turn: each may be large. */
  async sendList<T>(entries: readonly T[], list: WrittenList<T>, headers: Headers): Promise<void> {
    const text = this.representation.form === 'json' ? inJson(entries, list) : inXml(entries, list);
    await this.stream(text, () => headers);
  }

  /** The same with a validator: for what seldom changes, so that a client need not be sent it again. */
  sendTagged(json: unknown, xml: () => string, headers: Headers): void {
    const text = this.#written(json, xml);
    this.sendText(200, text, { ...headers, ...tagged(this.representation.type, text) });
  }

  /** In the one form that it has, with a validator. */
  sendAs(type: string, text: string, headers: Headers = {}): void {
    const head = { ...VERSION_HEADERS, 'Content-Type': `${type}; charset=utf-8`, ...tagged(text), ...headers };
    sendText(this.#recipient(), 200, head, text);
  }

  #written(json: unknown, xml: () => string): string {
    return this.representation.form === 'json' ? JSON.stringify(json) : XML_DECLARATION + xml();
  }

  /** Text that is in the form the client asked for. */
  sendText(status: number, text: string, headers: Headers): void {
    const contentType = `${this.representation.type}; charset=utf-8`;
    sendText(this.#recipient(), status, { ...this.#common(contentType), ...headers }, text);
  }

  /** `headers` is asked for when the first piece is there: a Link may be known only then. */
  async stream(text: AsyncIterable<string> | Iterable<string>, headers: () => Headers): Promise<void> {
    const contentType = `${this.representation.type}; charset=utf-8`;
    await sendStream(this.#recipient(), () => ({ ...this.#common(contentType), ...headers() }), text);
  }

  #recipient(): Recipient {
    return { request: this.request, response: this.response, compressFrom: this.doors.compressFrom };
  }

  #common(contentType: string): Record<string, string> {
    const own = writeExtensions(this.extensions);
    const extensions: Record<string, string> = own === '' ? {} : { 'GS1-Extensions': own };
    return {
      ...VERSION_HEADERS,
      ...extensions,
      'Content-Type': contentType,
      Vary: 'Accept, GS1-EPC-Format, GS1-CBV-XML-Format, GS1-EPCIS-Max, GS1-Extensions',
    };
  }
}

/** How a list is written: the root of its XML with its namespace, and each entry in both forms. */
export interface WrittenList<T> {
  readonly root: readonly [name: string, namespace: string];
  readonly json: (entry: T) => string;
  readonly xml: (entry: T) => string;
}

function* inJson<T>(entries: readonly T[], { json }: WrittenList<T>): Generator<string> {
  for (const [i, entry] of entries.entries()) yield (i === 0 ? '[' : ',') + json(entry);
  yield entries.length === 0 ? '[]' : ']';
}

function* inXml<T>(entries: readonly T[], { root: [name, namespace], xml }: WrittenList<T>): Generator<string> {
  const [prefix] = name.split(':');
  yield `${XML_DECLARATION}<${name} xmlns:${prefix}="${namespace}">`;
  for (const entry of entries) yield xml(entry);
  yield `</${name}>`;
}

/** Kept by a client as long as it likes, and asked about (If-None-Match) each time it is used. */
export function tagged(...content: readonly string[]): Headers {
  return { ETag: tagOf(...content), 'Cache-Control': 'no-cache' };
}

/** The media type of a request's body, which must be one of `accepted`. */
export function mediaTypeOf(request: IncomingMessage, accepted: readonly string[]): string {
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (accepted.includes(type)) return type;
  const got = type === '' ? 'The request has no Content-Type' : `Content-Type '${type}' is not supported here`;
  throw new EpcisException('UnsupportedMediaTypeException', `${got}; send one of ${accepted.join(', ')}.`);
}
