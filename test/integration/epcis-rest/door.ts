// The REST door of two services over one repository, as tests knock at it.
import { expect } from 'chai';
import { inspect } from 'node:util';
import { startEpcisServer } from '../../../epcis/server.ts';
import { until } from '../../helpers/until.ts';

export const CONTEXT = 'https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld';
export const EX = 'http://ns.example.com/epcis/';

export interface Event {
  readonly eventID: string;
  readonly [name: string]: unknown;
}

export interface QueryDocument {
  readonly epcisBody: {
    readonly queryResults: { readonly queryName: string; readonly resultsBody: { readonly eventList: Event[] } };
  };
}

export interface Job {
  readonly running: boolean;
  readonly success: boolean;
  readonly errors: { readonly type: string; readonly detail: string }[];
}

export function objectEvent(n: number, more: object = {}): Event {
  return {
    eventID: `urn:uuid:00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    type: 'ObjectEvent',
    eventTime: `2024-01-0${n < 100 ? 1 : 2}T00:00:${String(n % 60).padStart(2, '0')}.000+02:00`,
    eventTimeZoneOffset: '+02:00',
    epcList: [`urn:epc:id:sgtin:0614141.107346.${n}`],
    action: 'OBSERVE',
    bizStep: 'shipping',
    disposition: 'in_transit',
    readPoint: { id: 'urn:epc:id:sgln:0614141.07346.1234' },
    ...more,
  };
}

export function document(events: readonly object[]): object {
  return {
    '@context': [CONTEXT, { ex: EX }],
    type: 'EPCISDocument',
    schemaVersion: '2.0',
    creationDate: '2024-01-01T00:00:00Z',
    epcisBody: { eventList: events },
  };
}

export const eventually = (condition: () => boolean | Promise<boolean>) => until('what is waited for', condition);

/** The status, and the exception's name. */
export const problem = async (response: Response): Promise<readonly [number, string]> => {
  const { type } = (await response.json()) as { type: string };
  return [response.status, type.replace('epcisException:', '')];
};

export type Door = ReturnType<typeof openDoor>;

export function openDoor() {
  const servers: Awaited<ReturnType<typeof startEpcisServer>>[] = [];

  /** The address of the first service, or of the other one. */
  const at = (service = 0): string => servers[service]?.address ?? '';

  const request = (path: string, init: RequestInit = {}, service = 0) => fetch(`${at(service)}${path}`, init);

  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    request(path, {
      method: 'POST',
      body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', ...headers },
    });

  const get = async <T>(path: string, headers: Record<string, string> = {}): Promise<T> => {
    const response = await request(path, { headers });
    const text = await response.text();
    expect(response.status, `GET ${path}: ${text}`).to.equal(200);
    return JSON.parse(text) as T;
  };

  const eventsAt = async (path: string, headers: Record<string, string> = {}) =>
    (await get<QueryDocument>(path, headers)).epcisBody.queryResults.resultsBody.eventList;

  const finished = (location: string): Promise<Job> =>
    until('the capture job is finished', async () => {
      const job = await get<Job>(location);
      return job.running ? undefined : job;
    });

  async function capture(body: unknown, headers: Record<string, string> = {}): Promise<Job> {
    const response = await post('/capture', body, headers);
    expect(response.status, await response.clone().text()).to.equal(202);
    return finished(response.headers.get('location') ?? '');
  }

  return {
    ...{ at, request, post, get, eventsAt, finished, capture },
    async open(url: string): Promise<void> {
      const log = {
        error: (fields: unknown) => void process.stderr.write(`${inspect(fields)}\n`),
        ...{ warn: () => {}, info: () => {} },
      };
      const options = { repository: { url }, port: 0, subscriptionTargets: ['127.0.0.1'], log };
      servers.push(await startEpcisServer(options), await startEpcisServer(options));
    },
    close: () => Promise.all(servers.map((server) => server.close())),
  };
}
