// The standard's exceptions. Bindings translate them (REST: problem details, SOAP: faults); nothing else reaches a client.

export type ExceptionName =
  | 'ValidationException'
  | 'QueryParameterException'
  | 'QueryValidationException'
  | 'SubscriptionControlsException'
  | 'SecurityException'
  | 'NoSuchNameException'
  | 'NoSuchResourceException'
  | 'NoSuchSubscriptionException'
  | 'NotAcceptableException'
  | 'ResourceAlreadyExistsException'
  | 'DuplicateNameException'
  | 'CaptureLimitExceededException'
  | 'QueryTooLargeException'
  | 'QueryTooComplexException'
  | 'URITooLongException'
  | 'UnsupportedMediaTypeException'
  | 'InvalidURIException'
  | 'DuplicateSubscriptionException'
  | 'SubscribeNotPermittedException'
  | 'ImplementationException';

/** What a document breaks, for programs: one of document-rules.ts, or an operator's own check. */
export interface BrokenRule {
  readonly rule: string;
  /** What to do about it, where the rule's name does not say it. */
  readonly hint?: string;
}

export class EpcisException extends Error {
  override readonly name: ExceptionName;
  /** Without its place, which the message has. */
  readonly reason: string;
  /** Where in the document: `line 12`, or a JSON pointer. */
  readonly at?: string;
  readonly broken?: BrokenRule;

  constructor(name: ExceptionName, reason: string, at?: string, { broken, ...options }: ExceptionOptions = {}) {
    const told = inShort(reason);
    super(at === undefined ? told : `${told} (${inShort(at)})`, options);
    this.name = name;
    this.reason = told;
    if (at !== undefined) this.at = at;
    if (broken !== undefined) this.broken = broken;
  }
}

const LONGEST = 1000;
const BEGINNING = 600;

/**
 * What quotes a client may be megabytes long: a sentence is not, since thousands of them are kept, and listed. Worked: of 5,000 characters
 * the first 600 and the last 399 stay.
 */
export function inShort(text: string): string {
  if (text.length <= LONGEST) return text;
  const short = `${text.slice(0, BEGINNING)}…${text.slice(BEGINNING + 1 - LONGEST)}`.toWellFormed();
  // a piece of a string holds the whole of it
  return Buffer.from(short).toString();
}

/** A client has used up what it may have; later it may again. */
export class LimitReachedException extends EpcisException {
  /** Seconds. */
  readonly retryAfter: number;

  constructor(reason: string, retryAfter: number) {
    super('SecurityException', reason);
    this.retryAfter = retryAfter;
  }
}

interface ExceptionOptions extends ErrorOptions {
  readonly broken?: BrokenRule;
}
