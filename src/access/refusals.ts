// Why somebody is not let in, in one sentence, with how to say who one is.

export interface Refused {
  readonly status: 401 | 429 | 503;
  readonly reason: string;
  /** Name, value, name, value, ... */
  readonly fields: readonly string[];
}

const HOW = 'send "Authorization: Bearer <key or token>", or by HTTP Basic the client\'s name and its key.';

const CHALLENGE = ['www-authenticate', 'Bearer realm="mmeliot"', 'www-authenticate', 'Basic realm="mmeliot"'];
const INVALID = ['www-authenticate', 'Bearer realm="mmeliot", error="invalid_token"', ...CHALLENGE.slice(2)];

export const NOBODY: Refused = { status: 401, reason: `Say who you are: ${HOW}`, fields: CHALLENGE };

export const refused = (why: string): Refused => ({ status: 401, reason: `${why}${HOW}`, fields: INVALID });

export const tooMany = (wait: number): Refused => ({
  status: 429,
  reason: 'This client makes more requests than it may.',
  fields: ['retry-after', String(Math.max(1, Math.ceil(wait / 1000)))],
});

/** Why a token is not taken, in one sentence; `unavailable`: who could tell does not answer. */
export class TokenRefused extends Error {
  readonly unavailable: boolean;

  constructor(reason: string, unavailable = false) {
    super(reason);
    this.unavailable = unavailable;
  }
}

/** Whatever a token makes go wrong, its request is answered. */
export function refusalOf(error: unknown): Refused {
  if (error instanceof TokenRefused && !error.unavailable)
    return { status: 401, reason: error.message, fields: INVALID };
  const reason = error instanceof TokenRefused ? error.message : 'The token cannot be checked at present.';
  return { status: 503, reason, fields: ['retry-after', '5'] };
}
