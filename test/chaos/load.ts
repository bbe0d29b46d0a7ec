// Steady mixed load, and a record of all of it: captures by both doors, jobs, queries page by page, and a subscriber.
import { setTimeout as sleep } from 'node:timers/promises';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { until } from '../helpers/until.ts';
import type { Operation } from './history.ts';
import type { Outcome } from './measure.ts';

/** A client's patience. The gateway gives up on a queued request after 30 s. */
const DEADLINE_MS = 45_000;
const REST_MS = 20;
/** EPCs on one shelf: queries are about one. */
const SHELF = 60;
const PER_PAGE = 11;

export class Load {
  readonly history: Operation[] = [];
  readonly outcomes: Outcome[] = [];
  /** Answers that nobody should get, in a sentence each. */
  readonly odd: string[] = [];
  readonly #url: string;
  readonly #name: string;
  /** Within so long a job has ended. */
  readonly #jobMs: number;
  #captured = 0;
  #stopped = false;
  #workers: Promise<unknown> = Promise.resolve();
  #receiver: Receiver | undefined;

  constructor(url: string, name: string, jobMs = DEADLINE_MS) {
    this.#url = url;
    this.#jobMs = jobMs;
    this.#name = name;
  }

  async start(): Promise<void> {
    const receiver = await startReceiver();
    this.#receiver = receiver;
    const query = { name: this.#name, query: { eventType: 'ObjectEvent' } };
    await this.#create('queries', query);
    await this.#create(`queries/${this.#name}/subscriptions`, { dest: receiver.url, stream: true });
    const kinds = [this.#captureNew, this.#captureOld, this.#captureJob, this.#query, this.#query, this.#queryOld];
    this.#workers = Promise.all(kinds.map((one) => this.#inLoop(one)));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#workers;
  }

  close(): void {
    this.#receiver?.close();
  }

  /** What the subscriber was sent, in order. */
  delivered(): { key: string; ids: string[] }[] {
    const pages = this.#receiver?.requests ?? [];
    return pages.map(({ key, body }) => ({ key, ids: idsIn(body) }));
  }

  /** Waits until so many requests in a row have been answered. */
  async flows(inARow = 20): Promise<void> {
    await until(
      `${inARow} requests in a row are answered`,
      () => this.outcomes.length >= inARow && this.outcomes.slice(-inARow).every(({ answered }) => answered),
      120_000,
    );
  }

  async #create(path: string, body: object): Promise<void> {
    const { status } = await fetch(`${this.#url}${path}`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify(body),
    });
    if (status !== 201) throw new Error(`The load cannot begin: POST ${path} was answered ${status}.`);
  }

  async #inLoop(one: () => Promise<unknown>): Promise<void> {
    while (!this.#stopped) {
      await one.call(this);
      await sleep(REST_MS);
    }
  }

  /** One request with its answer, which is not undefined only when it is a 2xx. */
  async #ask(path: string, init: RequestInit = {}): Promise<{ response: Response; text: string } | undefined> {
    const began = performance.now();
    const answer = await fetch(`${this.#url}${path}`, { ...init, signal: AbortSignal.timeout(DEADLINE_MS) })
      .then(async (response) => ({ response, text: await response.text() }))
      .catch((error: Error) => error);
    const ended = performance.now();
    const answered = !(answer instanceof Error) && answer.response.ok;
    const failed = () => ({ why: whyNot(init.method, path, answer), detail: detailOf(init.method, path, answer) });
    this.outcomes.push({ began, ended, answered, ...(!answered && failed()) });
    if (answer instanceof Error) {
      if (answer.name === 'TimeoutError') this.odd.push(`${path} had no answer within ${DEADLINE_MS / 1000} s`);
      return undefined;
    }
    const { status } = answer.response;
    if (status < 500 && status !== 429 && !answered) this.odd.push(`${path} was answered ${status}: ${answer.text}`);
    return answered ? answer : undefined;
  }

  async #capture(count: number, send: (ids: string[], shelf: string) => Promise<boolean>): Promise<void> {
    const shelf = this.#shelf(Math.floor(this.#captured / SHELF));
    const ids = Array.from({ length: count }, () => `urn:example:${this.#name}:item:${this.#captured++}`);
    const began = performance.now();
    const acknowledged = await send(ids, shelf);
    this.history.push({ kind: 'capture', shelf, ids, began, ended: performance.now(), acknowledged });
  }

  async #captureNew(): Promise<void> {
    await this.#capture(1, async ([id = ''], shelf) => {
      const body = JSON.stringify({ '@context': [CONTEXT], ...eventOf(id, shelf) });
      return (await this.#ask('events', { method: 'POST', headers: JSON_TYPE, body })) !== undefined;
    });
  }

  async #captureOld(): Promise<void> {
    await this.#capture(3, async (ids, shelf) => {
      const init = { method: 'POST', headers: { 'content-type': 'text/xml' }, body: xmlDocument(ids, shelf) };
      return (await this.#ask('epcis-repository/capture', init)) !== undefined;
    });
  }

  /** Acknowledged when its job says so. */
  async #captureJob(): Promise<void> {
    await this.#capture(5, async (ids, shelf) => {
      const body = JSON.stringify(jsonDocument(ids, shelf));
      const location = (await this.#ask('capture', { method: 'POST', headers: JSON_TYPE, body }))?.response.headers.get(
        'location',
      );
      if (location === undefined || location === null) return false;
      const path = new URL(location, this.#url).pathname.slice(1);
      for (const deadline = performance.now() + this.#jobMs; performance.now() < deadline; await sleep(5 * REST_MS)) {
        const job = await this.#ask(path);
        if (job === undefined) continue;
        const { running, success } = JSON.parse(job.text) as { running: boolean; success: boolean };
        if (!running) return success;
      }
      this.odd.push(`${path} is still running after ${this.#jobMs / 1000} s`);
      return false;
    });
  }

  /** One of the latest two. */
  #someShelf(): string {
    return this.#shelf(Math.max(0, Math.floor((this.#captured - Math.random() * SHELF) / SHELF)));
  }

  #shelf(n: number): string {
    return `urn:example:${this.#name}:shelf:${n}`;
  }

  async #query(): Promise<void> {
    await this.#asked(this.#someShelf(), (shelf) => this.#byRest(shelf));
  }

  async #queryOld(): Promise<void> {
    await this.#asked(this.#someShelf(), (shelf) => this.#bySoap(shelf));
  }

  async #asked(shelf: string, ask: (shelf: string) => Promise<string[][] | undefined>): Promise<void> {
    const began = performance.now();
    const pages = await ask(shelf);
    if (pages !== undefined) this.history.push({ kind: 'query', shelf, began, ended: performance.now(), pages });
  }

  /** Undefined: a page was not answered. */
  async #byRest(shelf: string): Promise<string[][] | undefined> {
    const pages: string[][] = [];
    for (let path = `events?EQ_bizLocation=${encodeURIComponent(shelf)}&perPage=${PER_PAGE}`; path !== '';) {
      const answer = await this.#ask(path);
      if (answer === undefined) return undefined;
      pages.push(idsIn(answer.text));
      path = nextPage(answer.response.headers.get('link'));
    }
    return pages;
  }

  async #bySoap(shelf: string): Promise<string[][] | undefined> {
    const init = { method: 'POST', headers: { 'content-type': 'text/xml' }, body: soapPoll(shelf) };
    const answer = await this.#ask('epcis-repository/query', init);
    return answer && [idsIn(answer.text)];
  }

  /** At the end: what each door shows of everything that was sent. */
  async shown(): Promise<ReadonlyMap<string, readonly string[]>> {
    const shelves = Array.from({ length: Math.floor(this.#captured / SHELF) + 1 }, (_, n) => this.#shelf(n));
    const all = new Map<string, readonly string[]>();
    for (const [door, ask] of [
      ['REST', this.#byRest],
      ['SOAP', this.#bySoap],
    ] as const) {
      const shown: string[] = [];
      for (const shelf of shelves) {
        const pages = await ask.call(this, shelf);
        if (pages === undefined) this.odd.push(`${shelf} is not shown by ${door} at the end`);
        shown.push(...(pages ?? []).flat());
      }
      all.set(door, shown);
    }
    return all;
  }
}

const whyNot = (
  method: string | undefined,
  path: string,
  answer: Error | { response: Response; text: string },
): string =>
  `${method ?? 'GET'} ${path.replace(/[?\d].*/, '')}: ${
    answer instanceof Error
      ? [answer.message, (answer.cause as Error | undefined)?.message].join(' ')
      : `${answer.response.status} ${answer.text.slice(0, 200)}`
  }`;

/** Who said so, or what broke: the VM, the request by its name in logs, the connection with what went over it. */
function detailOf(
  method: string | undefined,
  path: string,
  answer: Error | { response: Response; text: string },
): string {
  const asked = `${method ?? 'GET'} ${path}:`;
  if (!(answer instanceof Error)) {
    const { status, headers } = answer.response;
    return `${asked} ${status} ${JSON.stringify([...headers])} ${answer.text.slice(0, 500)}`;
  }
  const chain: string[] = [];
  for (let error: unknown = answer; error instanceof Error; error = error.cause) {
    const { code, socket } = error as Error & { code?: unknown; socket?: unknown };
    chain.push(`${error.name} ${JSON.stringify({ code, socket })} ${error.message}`);
  }
  return [asked, ...chain].join(' ');
}

const CONTEXT = 'https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld';
const JSON_TYPE = { 'content-type': 'application/json' };
const TIME = '2026-01-01T00:00:00Z';

const eventOf = (id: string, shelf: string): object => ({
  type: 'ObjectEvent',
  ...{ eventTime: TIME, eventTimeZoneOffset: '+00:00', epcList: [id], action: 'OBSERVE', bizLocation: { id: shelf } },
});

const jsonDocument = (ids: readonly string[], shelf: string): object => ({
  '@context': [CONTEXT],
  ...{ type: 'EPCISDocument', schemaVersion: '2.0', creationDate: TIME },
  epcisBody: { eventList: ids.map((id) => eventOf(id, shelf)) },
});

const xmlDocument = (ids: readonly string[], shelf: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?><epcis:EPCISDocument xmlns:epcis="urn:epcglobal:epcis:xsd:1" schemaVersion="1.2" creationDate="${TIME}">` +
  `<EPCISBody><EventList>${ids
    .map(
      (id) =>
        `<ObjectEvent><eventTime>${TIME}</eventTime><eventTimeZoneOffset>+00:00</eventTimeZoneOffset>` +
        `<epcList><epc>${id}</epc></epcList><action>OBSERVE</action><bizLocation><id>${shelf}</id></bizLocation></ObjectEvent>`,
    )
    .join('')}</EventList></EPCISBody></epcis:EPCISDocument>`;

const soapPoll = (shelf: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/" xmlns:q="urn:epcglobal:epcis-query:xsd:1"><soap:Body>` +
  `<q:Poll><queryName>SimpleEventQuery</queryName><params><param><name>EQ_bizLocation</name><value><string>${shelf}</string></value></param></params></q:Poll>` +
  `</soap:Body></soap:Envelope>`;

const idsIn = (text: string): string[] => text.match(/urn:example:[\w-]+:item:\d+/g) ?? [];

/** The path of the next page; empty: there is none. */
function nextPage(link: string | null): string {
  const target = /<([^>]+)>; rel="next"/.exec(link ?? '')?.[1];
  if (target === undefined) return '';
  const { pathname, search } = new URL(target, 'http://any');
  return `${pathname.slice(1)}${search}`;
}
