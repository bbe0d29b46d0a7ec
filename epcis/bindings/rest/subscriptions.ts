// /queries/{name}/subscriptions: standing queries, delivered to a webhook.
import { EpcisException } from '../../domain/exceptions.ts';
import type { ScheduleFields } from '../../service/schedule.ts';
import type { ResultForm, Subscription } from '../../service/subscriptions.ts';
import { xmlText } from '../http/xml-text.ts';
import type { RestExchange } from './exchange.ts';
import { pageHeaders, readPage } from './paging.ts';
import { jsonBody } from './queries.ts';

const SCHEDULE_FIELDS = ['second', 'minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek'] as const;
const NAMESPACE = 'urn:epcglobal:epcis-query:xsd:2';

export async function postSubscription(exchange: RestExchange): Promise<void> {
  const body = await jsonBody(exchange);
  const { dest, signatureToken, stream, reportIfEmpty, initialRecordTime, schedule } = body;
  if (typeof dest !== 'string')
    throw invalid('A subscription needs a destination: the URL to send results to.', '/dest');
  const subscription = await exchange.doors.services.subscriptions.subscribe({
    queryName: exchange.value,
    destination: dest,
    result: resultForm(exchange),
    ...(schedule !== undefined && { schedule: scheduleOf(schedule) }),
    ...(stream !== undefined && { stream: boolean(stream, '/stream') }),
    ...(reportIfEmpty !== undefined && { reportIfEmpty: boolean(reportIfEmpty, '/reportIfEmpty') }),
    ...(signatureToken !== undefined && { signatureToken: text(signatureToken, '/signatureToken') }),
    ...(initialRecordTime !== undefined && { initialRecordTime: text(initialRecordTime, '/initialRecordTime') }),
  });
  const location = exchange.link('queries', exchange.value, 'subscriptions', subscription.id);
  sendSubscription(exchange, 201, subscription, { Location: location });
}

export async function getSubscriptions(exchange: RestExchange): Promise<void> {
  const paged = readPage(exchange);
  const { perPage, after = '' } = paged.page;
  const all = await exchange.doors.services.subscriptions.list(exchange.value);
  // by ID, which stays when others come and go between two pages
  const left = all.filter(({ id }) => id > after).sort((one, other) => (one.id < other.id ? -1 : 1));
  const page = left.slice(0, perPage);
  const next = left.length > perPage ? page.at(-1)?.id : undefined;
  const xml = () =>
    `<epcisq:Subscriptions xmlns:epcisq="${NAMESPACE}">${page.map(subscriptionXml).join('')}</epcisq:Subscriptions>`;
  exchange.send(200, page.map(subscriptionJson), xml, pageHeaders(exchange, paged, next));
}

export async function getSubscription(exchange: RestExchange): Promise<void> {
  const [queryName = '', id = ''] = exchange.values;
  sendSubscription(exchange, 200, await exchange.doors.services.subscriptions.get(id, queryName));
}

/** For OPTIONS, which says nothing of a subscription that there is not, or that is another's. */
export async function minRecordTime({ doors, values }: RestExchange): Promise<Record<string, string>> {
  const [queryName = '', id = ''] = values;
  const isNone = (error: unknown) => {
    if (error instanceof EpcisException && error.name === 'NoSuchSubscriptionException') return undefined;
    throw error;
  };
  const found = await doors.services.subscriptions.get(id, queryName).catch(isNone);
  return found === undefined ? {} : { 'GS1-Query-Min-Record-Time': found.minRecordTime };
}

export async function deleteSubscription(exchange: RestExchange): Promise<void> {
  const [queryName = '', id = ''] = exchange.values;
  await exchange.doors.services.subscriptions.unsubscribe(id, queryName);
  exchange.empty(204);
}

/** Results go out in the form, and the generation, that the subscribing client accepts. */
export function resultForm({ style }: RestExchange): ResultForm {
  const { form, version, epcFormat, cbvFormat } = style;
  return { form: version === '1.2' ? 'soap' : form, ...(epcFormat && { epcFormat }), ...(cbvFormat && { cbvFormat }) };
}

export function scheduleOf(schedule: unknown): ScheduleFields {
  if (typeof schedule !== 'object' || schedule === null || Array.isArray(schedule)) {
    throw controls(`The schedule must be an object with ${SCHEDULE_FIELDS.join(', ')}.`);
  }
  const known: readonly string[] = SCHEDULE_FIELDS;
  const entries = Object.entries(schedule).map(([name, value]: [string, unknown]): [string, string] => {
    if (!known.includes(name)) throw controls(`A schedule has no field '${name}', only ${known.join(', ')}.`);
    if (typeof value !== 'string' && typeof value !== 'number') throw controls(`The schedule's ${name} must be text.`);
    return [name, String(value)];
  });
  return Object.fromEntries(entries);
}

function sendSubscription(exchange: RestExchange, status: number, subscription: Subscription, headers = {}): void {
  exchange.send(status, subscriptionJson(subscription), () => subscriptionXml(subscription), headers);
}

function subscriptionJson(subscription: Subscription): object {
  const { id, queryName, destination, result, schedule, trigger, stream, ...times } = subscription;
  const { createdAt, initialRecordTime, minRecordTime, lastNotifiedAt, reportIfEmpty } = times;
  // undefined members do not appear in JSON
  return {
    subscriptionID: id,
    queryName,
    dest: destination,
    createdAt,
    lastNotifiedAt,
    initialRecordTime,
    minRecordTime,
    reportIfEmpty,
    epcFormat: result.epcFormat,
    schedule,
    trigger,
    stream,
  };
}

function subscriptionXml(subscription: Subscription): string {
  return `<epcisq:Subscription xmlns:epcisq="${NAMESPACE}">${elements(subscriptionJson(subscription))}</epcisq:Subscription>`;
}

function elements(members: object): string {
  return Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]: [string, unknown]) => {
      const content = typeof value === 'object' && value !== null ? elements(value) : xmlText(String(value));
      return `<${name}>${content}</${name}>`;
    })
    .join('');
}

function boolean(value: unknown, at: string): boolean {
  if (typeof value === 'boolean') return value;
  throw invalid(`${at.slice(1)} must be true or false.`, at);
}

function text(value: unknown, at: string): string {
  if (typeof value === 'string') return value;
  throw invalid(`${at.slice(1)} must be text.`, at);
}

function invalid(reason: string, at: string): EpcisException {
  return new EpcisException('ValidationException', reason, at);
}

function controls(reason: string): EpcisException {
  return new EpcisException('SubscriptionControlsException', reason);
}
