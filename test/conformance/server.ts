// The server under test, by its interfaces; where they are is found out, or told by options.
import { randomUUID } from 'node:crypto';
import type { Endpoints } from './procedures/site.ts';
import { childText, find, parseXml, type Node } from './xml.ts';

const CONTEXT_PATHS = ['', '/epcis-repository', '/epcis', '/epcis-repository-0.5.0'];
const JOB_DEADLINE = 60_000;

export async function findEndpoints(url: string): Promise<Endpoints> {
  const base = url.replace(/\/+$/, '');
  for (const path of CONTEXT_PATHS) {
    const query = `${base}${path}/query`;
    const response = await fetch(`${query}?wsdl`).catch(() => undefined);
    const text = await response?.text();
    if (response?.ok && text?.includes('definitions')) return { rest: base, query, capture: `${base}${path}/capture` };
  }
  return { rest: base };
}

/** EPCIS 1.x capture: throws unless the server took the document. */
export async function captureXml(endpoints: Endpoints, xml: string): Promise<void> {
  if (endpoints.capture === undefined) throw new Error('the server has no EPCIS 1.x capture interface');
  const headers = { 'Content-Type': 'text/xml; charset=utf-8' };
  const response = await fetch(endpoints.capture, { method: 'POST', headers, body: xml });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`capture answered ${response.status}: ${text}`);
}

/** Sends a bare body in an envelope; gives the answer's one element, or the exception in the fault's detail. */
export async function callSoap(endpoints: Endpoints, body: string): Promise<Node> {
  if (endpoints.query === undefined) throw new Error('the server has no SOAP query interface');
  const content = body.replace(/^\s*<\?xml[^>]*\?>/, '');
  const response = await fetch(endpoints.query, {
    method: 'POST',
    headers: { 'Content-Type': 'text/xml; charset=utf-8', SOAPAction: '""' },
    body: `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>${content}</soap:Body></soap:Envelope>`,
  });
  const text = await response.text();
  const answer = find(parseXml(text), 'Body')?.children[0];
  if (answer === undefined) throw new Error(`the SOAP answer (${response.status}) is empty: ${text}`);
  if (answer.name !== 'Fault') return answer;
  const exception = find(answer, 'detail')?.children[0];
  if (exception === undefined) throw new Error(`a fault without an exception: ${childText(answer, 'faultstring')}`);
  if (response.status !== 500) throw new Error(`a fault with status ${response.status}, which must be 500`);
  return exception;
}

/** REST capture: resolves when everything is captured, throws with the server's reason where it refuses. */
export async function captureRest(endpoints: Endpoints, text: string, mediaType: string): Promise<void> {
  const headers = { 'Content-Type': mediaType, 'GS1-Capture-Error-Behaviour': 'rollback' };
  const response = await fetch(`${endpoints.rest}/capture`, { method: 'POST', headers, body: text });
  const answer = await response.text();
  if (!response.ok) throw new Refused(`${response.status} ${answer}`);
  const location = response.headers.get('location');
  if (location === null) return;
  const job = new URL(location, `${endpoints.rest}/`).href;
  for (const end = Date.now() + JOB_DEADLINE; Date.now() < end;) {
    const state = (await (await fetch(job, { headers: { Accept: 'application/json' } })).json()) as CaptureJob;
    if (state.running) await new Promise((resolve) => setTimeout(resolve, 50));
    else if (state.success) return;
    else throw new Refused(JSON.stringify(state.errors));
  }
  throw new Error(`the capture job ${job} did not finish in ${JOB_DEADLINE / 1000} s`);
}

/** A document, or an event alone: by the interface for it. */
export async function captureJson(endpoints: Endpoints, text: string): Promise<void> {
  if ('epcisBody' in (JSON.parse(text) as object)) return captureRest(endpoints, text, 'application/json');
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(`${endpoints.rest}/events`, { method: 'POST', headers, body: text });
  if (!response.ok) throw new Refused(`${response.status} ${await response.text()}`);
}

/** The server said no, as opposed to: it could not be asked. */
export class Refused extends Error {}

interface CaptureJob {
  readonly running: boolean;
  readonly success: boolean;
  readonly errors?: unknown;
}

/** All events with this ID, in the form they were captured in as far as the server can be asked for that. */
export async function eventsById(endpoints: Endpoints, id: string, accept: string, version = '2.0'): Promise<string> {
  const headers = {
    Accept: accept,
    'GS1-EPC-Format': 'Never_Translates',
    'GS1-CBV-XML-Format': 'Never_Translates',
    'GS1-EPCIS-Max': version,
  };
  const response = await fetch(`${endpoints.rest}/events/${encodeURIComponent(id)}`, { headers });
  const text = await response.text();
  if (!response.ok) throw new Error(`GET /events/${id} answered ${response.status}: ${text}`);
  return text;
}

export function freshId(): string {
  return `urn:uuid:${randomUUID()}`;
}
