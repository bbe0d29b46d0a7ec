// What can go wrong at the front end, as a type: which call, which object, and the server's own sentence.
import { MmeliotError } from '../src/errors.ts';

/** The front end's numeric codes. Quota errors come as 512 and are told apart by their sentence. */
const KINDS: Readonly<Record<number, ErrorKind>> = {
  256: 'authentication',
  512: 'authorization',
  1024: 'no-such-object',
  2048: 'action',
  4096: 'bad-use',
  8192: 'internal',
  16384: 'allocation',
  32768: 'locked',
  65536: 'replication',
};

export type ErrorKind =
  | 'authentication'
  | 'authorization'
  | 'quota'
  | 'no-such-object'
  | 'action'
  | 'bad-use'
  | 'internal'
  | 'allocation'
  | 'locked'
  | 'replication'
  /** the server could not understand the call (an XML-RPC fault) */
  | 'fault'
  /** no connection: the call certainly did not arrive */
  | 'unreachable'
  /** the call may have been carried out, its answer did not come */
  | 'no-answer'
  /** an answer came that is no OpenNebula answer */
  | 'malformed';

const HELP: Readonly<Partial<Record<ErrorKind, string>>> = {
  authentication: 'OpenNebula refuses the login; check opennebula.user and opennebula.password.',
  quota: 'An OpenNebula quota is used up.',
  allocation: 'OpenNebula has no room for it.',
};

interface Details {
  readonly method: string;
  /** The server's number, where it gave one. */
  readonly serverCode?: number;
  readonly objectId?: number;
  /** The server's own sentence, or the network's. */
  readonly sentence: string;
}

export class OpenNebulaError extends MmeliotError {
  readonly kind: ErrorKind;
  readonly method: string;
  readonly serverCode: number | undefined;
  readonly objectId: number | undefined;
  readonly sentence: string;

  constructor(kind: ErrorKind, details: Details) {
    const help = HELP[kind];
    const sentence = details.sentence.replace(`[${details.method}] `, ''); // the server names the method itself
    super(
      kind === 'quota' || kind === 'allocation' ? 'NO_CAPACITY' : 'PROVIDER_FAILED',
      help ? `${help} (${sentence})` : `OpenNebula, ${details.method}: ${sentence}`,
    );
    this.name = 'OpenNebulaError';
    this.kind = kind;
    this.method = details.method;
    this.serverCode = details.serverCode;
    this.objectId = details.objectId;
    this.sentence = details.sentence;
  }
}

/** `User [2] : user [2] limit of 2 reached for VMS quota in VM.` is 512 as much as a missing right is. */
export function kindOf(code: number, sentence: string): ErrorKind {
  return code === 512 && /\bquota\b/i.test(sentence) ? 'quota' : (KINDS[code] ?? 'internal');
}

export function isKind(error: unknown, ...kinds: readonly ErrorKind[]): error is OpenNebulaError {
  return error instanceof OpenNebulaError && kinds.includes(error.kind);
}
