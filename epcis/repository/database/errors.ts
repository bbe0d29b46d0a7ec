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

/** MariaDB's own errors, which the driver knows by number only. */
const BY_NUMBER = new Map([
  [1927, 'ER_CONNECTION_KILLED'],
  [1969, 'ER_STATEMENT_TIMEOUT'],
  [4031, 'ER_CLIENT_INTERACTION_TIMEOUT'],
]);

export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const known = 'errno' in error && typeof error.errno === 'number' ? BY_NUMBER.get(error.errno) : undefined;
  return known ?? ('code' in error && typeof error.code === 'string' ? error.code : '');
}

/** A row of this key is there already. SQLITE_CONSTRAINT is 19; its extended codes keep it in the low byte. */
export function isDuplicate(error: unknown): boolean {
  if (codeOf(error) === 'ER_DUP_ENTRY') return true;
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === 19;
}

const DENIED: ReadonlySet<string> = new Set(['ER_TABLEACCESS_DENIED_ERROR', 'ER_DBACCESS_DENIED_ERROR']);

/** This user of the database may not do that. */
export const isDenied = (error: unknown): boolean => DENIED.has(codeOf(error));
