// SOAP 1.1 envelopes: document/literal bare, so the body's one element is the message.
import { EpcisException, type ExceptionName } from '../../domain/exceptions.ts';
import type { Failure } from '../http/failure.ts';
import { xmlText } from '../http/xml-text.ts';
import { child, parseElement, type Element } from './element.ts';

const SOAP = 'http://schemas.xmlsoap.org/soap/envelope/';
const SOAP12 = 'http://www.w3.org/2003/05/soap-envelope';

export interface Message {
  readonly operation: Element;
  /** EPCIS 1.x (`urn:epcglobal:epcis-query:xsd:1`) or 2.0: the answer is of the same generation. */
  readonly generation: 1 | 2;
}

export function queryNamespace(generation: 1 | 2): string {
  return `urn:epcglobal:epcis-query:xsd:${generation}`;
}

export async function readEnvelope(xml: string): Promise<Message> {
  const envelope = await parseElement(xml);
  if (envelope.name !== 'Envelope' || envelope.namespace !== SOAP) {
    const reason =
      envelope.namespace === SOAP12
        ? `This service speaks SOAP 1.1; its envelopes are in the namespace ${SOAP}.`
        : `The request is no SOAP 1.1 envelope (an Envelope in the namespace ${SOAP}).`;
    throw envelope.name === 'Envelope'
      ? new EnvelopeException('VersionMismatch', reason)
      : new EpcisException('ValidationException', reason);
  }
  for (const entry of child(envelope, 'Header')?.children ?? []) if (isMeant(entry)) throw notUnderstood(entry);
  const [operation, another] = child(envelope, 'Body')?.children ?? [];
  if (another !== undefined)
    throw new EpcisException('ValidationException', 'The SOAP body holds more than one message.');
  if (operation === undefined) throw new EpcisException('ValidationException', 'The SOAP body is empty.');
  for (const generation of [1, 2] as const) {
    if (operation.namespace === queryNamespace(generation)) return { operation, generation };
  }
  const reason = `The message '${operation.name}' is not in the namespace ${queryNamespace(1)} (or …:2).`;
  throw new EpcisException('ValidationException', reason);
}

/** What is wrong with the envelope, not with the message in it. */
class EnvelopeException extends EpcisException {
  readonly code: 'VersionMismatch' | 'MustUnderstand';

  constructor(code: EnvelopeException['code'], reason: string) {
    super('ValidationException', reason);
    this.code = code;
  }
}

const NEXT = 'http://schemas.xmlsoap.org/soap/actor/next';

/** SOAP 1.1, 4.2: a header entry for us that must be understood, or the message must not be processed. We understand none. */
function isMeant({ attributes }: Element): boolean {
  const ours = new Map(
    attributes.filter(({ namespace }) => namespace === SOAP).map(({ name, value }) => [name, value]),
  );
  return ['1', 'true'].includes(ours.get('mustUnderstand') ?? '') && ['', NEXT].includes(ours.get('actor') ?? '');
}

const notUnderstood = ({ namespace, name }: Element): EpcisException =>
  new EnvelopeException('MustUnderstand', `This service understands no header; '${name}' of '${namespace}' must be.`);

const HEAD = `<?xml version="1.0" encoding="UTF-8"?>\n<soap:Envelope xmlns:soap="${SOAP}"><soap:Body>`;
const TAIL = '</soap:Body></soap:Envelope>';

/** The envelope comes with the first piece of the content: what fails before it can still become a fault. */
export async function* inEnvelope(content: AsyncIterable<string>): AsyncGenerator<string> {
  let head = HEAD;
  for await (const piece of content) {
    yield head + piece;
    head = '';
  }
  yield TAIL;
}

export interface FaultContext {
  readonly generation: 1 | 2;
  readonly queryName?: string;
  readonly subscriptionID?: string;
}

/** The exceptions that the query interface's schema has; the others can happen too and are told by the nearest one. */
const NEAREST: Readonly<Partial<Record<ExceptionName, ExceptionName>>> = {
  QueryValidationException: 'ValidationException',
  NoSuchResourceException: 'NoSuchNameException',
  NotAcceptableException: 'ValidationException',
  ResourceAlreadyExistsException: 'DuplicateNameException',
  CaptureLimitExceededException: 'ValidationException',
  URITooLongException: 'ValidationException',
  UnsupportedMediaTypeException: 'ValidationException',
};

/** `epcisq:<Exception><reason>…`, as faults and callbacks carry it. */
export function exceptionElement(exception: EpcisException, context: FaultContext): string {
  const name = NEAREST[exception.name] ?? exception.name;
  const { queryName, subscriptionID } = context;
  const subject =
    (queryName === undefined ? '' : `<queryName>${xmlText(queryName)}</queryName>`) +
    (subscriptionID === undefined ? '' : `<subscriptionID>${xmlText(subscriptionID)}</subscriptionID>`);
  const more = {
    ImplementationException: `<severity>ERROR</severity>${subject}`,
    QueryTooLargeException: subject,
  };
  return (
    `<epcisq:${name} xmlns:epcisq="${queryNamespace(context.generation)}"><reason>${xmlText(exception.message)}</reason>` +
    `${more[name as keyof typeof more] ?? ''}</epcisq:${name}>`
  );
}

export function fault({ exception, id, unavailable }: Failure, context: FaultContext): string {
  const ofEnvelope = exception instanceof EnvelopeException;
  const code = ofEnvelope ? exception.code : (id ?? unavailable) === undefined ? 'Client' : 'Server';
  // no detail says that the message itself was not looked at
  const detail = ofEnvelope ? '' : `<detail>${exceptionElement(exception, context)}</detail>`;
  return (
    `${HEAD}<soap:Fault><faultcode>soap:${code}</faultcode><faultstring>${xmlText(exception.message)}</faultstring>` +
    `${detail}</soap:Fault>${TAIL}`
  );
}
