// The server that a procedure is tried on, and what a run made of its own in it: names that no other run has, so that a
// repository need not be empty.
import { randomUUID } from 'node:crypto';

export const CONTEXT = 'https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld';

/** The server under test, by its interfaces. */
export interface Endpoints {
  /** Base of the REST resources, no slash at the end. */
  readonly rest: string;
  /** EPCIS 1.x, absent where the server has none. */
  readonly capture?: string;
  readonly query?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body?: string | object;
}

/** A part of a procedure: one thing that the standard says, and the calls that show it. */
export interface Step {
  readonly name: string;
  run(): Promise<string | undefined | void>;
}

export class Site {
  readonly endpoints: Endpoints;
  /** Where we can be called back: a name of ours for the server. */
  readonly callbackHost: string;
  /** The namespace of this run's own fields and names. */
  readonly namespace: string;
  readonly #run = randomUUID();
  #calls = 0;

  constructor(endpoints: Endpoints, callbackHost: string) {
    this.endpoints = endpoints;
    this.callbackHost = callbackHost;
    this.namespace = `https://procedures.example.org/${this.#run}/`;
  }

  /** Requests sent so far. */
  get calls(): number {
    return this.#calls;
  }

  /** A name of this run. */
  name(what: string): string {
    return `${what}-${this.#run}`;
  }

  /** The same name gives the same ID within a run. */
  eventID(name: string): string {
    return `urn:procedures:${this.#run}:${name}`;
  }

  async call(path: string, { method, headers = {}, body }: Call = {}): Promise<Answer> {
    this.#calls++;
    const isObject = typeof body === 'object';
    const response = await fetch(new URL(path, `${this.endpoints.rest}/`), {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { ...(isObject && { 'Content-Type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: isObject ? JSON.stringify(body) : body }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  /** A message to the query interface of 1.x or 2.0; gives the whole answer. */
  async soap(message: string, generation: 1 | 2 = 1): Promise<Answer> {
    if (this.endpoints.query === undefined) throw new Error('the server has no SOAP query interface');
    const namespace = `urn:epcglobal:epcis-query:xsd:${generation}`;
    const envelope =
      '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>' +
      `${message.replace(/^<q:(\w+)/, `<q:$1 xmlns:q="${namespace}"`)}</soap:Body></soap:Envelope>`;
    return this.call(this.endpoints.query, {
      body: envelope,
      headers: { 'Content-Type': 'text/xml; charset=utf-8', SOAPAction: '""' },
    });
  }
}

/** Fails unless the answer has this status; says what came instead. */
export function expectStatus(answer: Answer, status: number): Answer {
  if (answer.status !== status) throw new Error(`status ${answer.status} where ${status} is expected: ${answer.text}`);
  return answer;
}

/** A problem of this status and exception, in the media type of problems. */
export function expectProblem(answer: Answer, status: number, exception: string): void {
  expectStatus(answer, status);
  const type = answer.headers.get('content-type') ?? '';
  if (!/^application\/problem\+(json|xml)/.test(type)) throw new Error(`a problem comes as ${type}`);
  const isJson = type.startsWith('application/problem+json');
  const got = isJson
    ? (JSON.parse(answer.text) as { type: string; status: number; title?: string })
    : { type: /<type>([^<]*)</.exec(answer.text)?.[1], status: Number(/<status>([^<]*)</.exec(answer.text)?.[1]) };
  if (got.type !== `epcisException:${exception}`) throw new Error(`${got.type} where ${exception} is expected`);
  if (got.status !== status) throw new Error(`the problem's status is ${got.status}, the answer's ${status}`);
}

export function expectSame(got: unknown, expected: unknown, what: string): void {
  const [one, other] = [JSON.stringify(got), JSON.stringify(expected)];
  if (one !== other) throw new Error(`${what}: ${one} where ${other} is expected`);
}

export function expectThat(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}
