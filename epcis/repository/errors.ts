export type RepositoryErrorCode =
  | 'REPOSITORY_URL'
  | 'REPOSITORY_UNREACHABLE'
  | 'REPOSITORY_BUSY'
  | 'REPOSITORY_TIMEOUT'
  | 'REPOSITORY_COMMIT_UNKNOWN'
  | 'REPOSITORY_BACKUP';

/** What an operator should read in one sentence. The message never holds a password. */
export class RepositoryError extends Error {
  override readonly name = 'RepositoryError';
  readonly code: RepositoryErrorCode;

  constructor(code: RepositoryErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
