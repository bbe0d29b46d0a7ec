// Who may use the admin server, and from where. Each check answers with one sentence.
import { isIP } from 'node:net';
import type { RequestHandler } from 'express';

/** An answer other than success: its status, and a sentence for the person who asked. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** On every answer. The page runs its own scripts only; `importMapHash` allows its one inline script. */
export function securityHeaders(importMapHash: string): RequestHandler {
  const policy = [
    "default-src 'none'",
    `script-src 'self' 'sha256-${importMapHash}'`,
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return (_request, response, next) => {
    response.set({
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
    });
    next();
  };
}

/**
 * Without a token only the network keeps strangers out, and a web page can turn its own name into this address
 * (DNS rebinding). Names that nobody configured are therefore refused; addresses can't be turned.
 */
export function knownHost(host: string, token: string): RequestHandler {
  return (request, _response, next) => {
    const name = (request.headers.host ?? '')
      .replace(/:\d+$/, '')
      .replace(/^\[(.*)\]$/, '$1')
      .toLowerCase();
    const known = token !== '' || name === 'localhost' || name === host.toLowerCase() || isIP(name) !== 0;
    next(
      known
        ? undefined
        : new Refusal(421, `The admin server is not called "${name}": use its address, or set admin.token.`),
    );
  };
}

/** Writes come from the page itself or from a program, never from another site's page. */
export const sameOriginWrites: RequestHandler = (request, _response, next) => {
  if (['GET', 'HEAD', 'OPTIONS'].includes(request.method)) return next();
  const { origin, host, 'sec-fetch-site': site } = request.headers;
  const foreign = origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== host);
  if (foreign || (site !== undefined && site !== 'same-origin' && site !== 'none')) {
    return next(
      new Refusal(403, 'Changes are taken from the admin page itself or from a program, not from another site.'),
    );
  }
  // null: there is no body; an empty one is none, too
  if (request.headers['content-length'] !== '0' && request.is('application/json') === false)
    return next(new Refusal(415, 'A change is a JSON object: send it as application/json.'));
  next();
};
