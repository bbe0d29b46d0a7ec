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

export class EpcisException extends Error {
  override readonly name: ExceptionName;
  /** Where in the document: `line 12`, or a JSON pointer. */
  readonly at?: string;

  constructor(name: ExceptionName, reason: string, at?: string, options?: ErrorOptions) {
    super(at === undefined ? reason : `${reason} (${at})`, options);
    this.name = name;
    if (at !== undefined) this.at = at;
  }
}
