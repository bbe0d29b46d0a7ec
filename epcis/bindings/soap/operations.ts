// The seven operations of the query control interface: from a message to the text of its answer.
import type { ClientRole } from '../../access/identity.ts';
import { EpcisException, type ExceptionName } from '../../domain/exceptions.ts';
import type { StoredEvent } from '../../service/services.ts';
import { needRole } from '../http/admission.ts';
import type { Doors, WriteStyle } from '../http/doors.ts';
import { xmlText } from '../http/xml-text.ts';
import { childText, type Element } from './element.ts';
import { queryNamespace, type Message } from './envelope.ts';
import { checkMessage } from './structure.ts';
import { readControls, readParameters } from './parameters.ts';

/** Answers in pieces: only poll has more than one. */
type Answer = (message: Message, doors: Doors) => AsyncIterable<string> | Promise<string>;

export interface Operation {
  readonly answer: Answer;
  /** What a client needs where access is on. */
  readonly role: ClientRole | 'any';
  /** What it can fail with, as the WSDL declares it. */
  readonly faults: readonly ExceptionName[];
}

const COMMON = ['SecurityException', 'ValidationException', 'ImplementationException'] as const;
const QUERY = ['NoSuchNameException', 'QueryParameterException', 'QueryTooComplexException'] as const;
const SUBSCRIBE = [
  ...(['InvalidURIException', 'DuplicateSubscriptionException'] as const),
  ...(['SubscriptionControlsException', 'SubscribeNotPermittedException'] as const),
] as const;

/** By the name of its message; the WSDL is made from the same table. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  GetQueryNames: {
    answer: async (message, { services }) => list('GetQueryNamesResult', message, await services.queries.names()),
    role: 'query',
    faults: COMMON,
  },
  Subscribe: { answer: subscribe, role: 'subscribe', faults: [...QUERY, ...SUBSCRIBE, ...COMMON] },
  Unsubscribe: {
    answer: async ({ operation, generation }, { services }) => {
      await services.subscriptions.unsubscribe(required(operation, 'subscriptionID'));
      return element('UnsubscribeResult', generation);
    },
    role: 'subscribe',
    faults: ['NoSuchSubscriptionException', ...COMMON],
  },
  GetSubscriptionIDs: {
    answer: async (message, { services }) => {
      const subscriptions = await services.subscriptions.list(required(message.operation, 'queryName'));
      const ids = subscriptions.map(({ id }) => id);
      return list('GetSubscriptionIDsResult', message, ids);
    },
    role: 'subscribe',
    faults: ['NoSuchNameException', ...COMMON],
  },
  Poll: { answer: poll, role: 'query', faults: [...QUERY, 'QueryTooLargeException', ...COMMON] },
  GetStandardVersion: {
    answer: async ({ generation }) => element('GetStandardVersionResult', generation, generation === 1 ? '1.2' : '2.0'),
    role: 'any',
    faults: COMMON,
  },
  GetVendorVersion: {
    // the standard's answer of a service without vendor extensions
    answer: async ({ generation }) => element('GetVendorVersionResult', generation),
    role: 'any',
    faults: COMMON,
  },
};

export async function* answer(message: Message, doors: Doors): AsyncGenerator<string> {
  const { name } = message.operation;
  const operation = Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined;
  if (operation === undefined) throw new EpcisException('ValidationException', `There is no operation '${name}'.`);
  checkMessage(message.operation);
  if (doors.client !== undefined && operation.role !== 'any') needRole(doors.client, operation.role);
  const result = operation.answer(message, doors);
  if (result instanceof Promise) yield await result;
  else yield* result;
}

async function* poll(message: Message, doors: Doors): AsyncGenerator<string> {
  const { operation, generation } = message;
  const { services, documents } = doors;
  const query = await services.queries.get(required(operation, 'queryName'));
  const parameters = [...query.parameters, ...readParameters(operation, generation)];
  const before =
    `<epcisq:QueryResults xmlns:epcisq="${queryNamespace(generation)}">` +
    `<queryName>${xmlText(query.name)}</queryName><resultsBody>`;
  const after = '</resultsBody></epcisq:QueryResults>';
  if (query.kind === 'vocabularies') {
    const elements = await services.query.vocabularies(parameters);
    yield before;
    yield* documents.vocabularyList(elements);
  } else {
    const style: WriteStyle = { form: 'xml', version: generation === 1 ? '1.2' : '2.0' };
    const events: AsyncIterable<StoredEvent> = await services.query.events(parameters);
    yield `${before}<EventList>`;
    for await (const event of events) yield documents.event(event, style);
    yield '</EventList>';
  }
  yield after;
}

async function subscribe({ operation, generation }: Message, { services }: Doors): Promise<string> {
  const queryName = required(operation, 'queryName');
  const id = required(operation, 'subscriptionID');
  // none is the service's to refuse: by an exception of its own
  const destination = childText(operation, 'dest') ?? '';
  const parameters = readParameters(operation, generation);
  // the callbacks of a 2.0 client are 2.0 documents
  const result = { form: generation === 1 ? 'soap' : 'xml' } as const;
  await services.subscriptions.subscribe({
    queryName,
    id,
    destination,
    parameters,
    result,
    ...readControls(operation),
  });
  return element('SubscribeResult', generation);
}

function required(operation: Element, name: string): string {
  const text = childText(operation, name);
  if (text !== undefined && text !== '') return text;
  throw new EpcisException('ValidationException', `${operation.name} needs a ${name}.`);
}

function list(name: string, { generation }: Message, strings: readonly string[]): string {
  return element(name, generation, strings.map((text) => `<string>${xmlText(text)}</string>`).join(''));
}

function element(name: string, generation: 1 | 2, content = ''): string {
  return `<epcisq:${name} xmlns:epcisq="${queryNamespace(generation)}">${content}</epcisq:${name}>`;
}
