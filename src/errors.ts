// Every error that a person can meet, with its code. The README's table of them is checked by a test.

export const ERRORS = {
  CONFIG_INVALID: 'The configuration is wrong: unknown key, bad value, or values that contradict each other.',
  ALREADY_RUNNING: 'Another mmeliot runs on the same data folder.',
  PORT_TAKEN: 'A port that mmeliot should listen on is in use by another process.',
  REPOSITORY_UNREACHABLE: 'The database named by repository.url does not answer or refuses the login.',
  NOT_RUNNING: 'No mmeliot answers at the admin address.',
  PROVIDER_FAILED: 'The cloud provider answered with an error or not at all.',
  PROVIDER_REFUSED:
    'The cloud provider refuses what it is asked for: only a person can put that right, there or in the configuration.',
  NO_CAPACITY: 'The provider has no room for another VM at the moment.',
  BAD_REQUEST: 'A request or an option cannot be understood.',
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** An error for people: what, where, and what to do, in one sentence. Shown without a stack trace. */
export class MmeliotError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MmeliotError';
    this.code = code;
  }
}

/** Of whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
