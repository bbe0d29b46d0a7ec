// What a page of another origin may read of the gateway's own answers (the Fetch standard's CORS). The VMs answer for themselves.

/** A page may read these of an answer, besides what it always may. */
export const EXPOSED = 'retry-after, www-authenticate, x-request-id';

const METHODS = 'GET, HEAD, POST, DELETE, OPTIONS';

interface Asked {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface CrossOrigin {
  /** For the answer. */
  readonly fields: readonly string[];
  /** A browser asks whether it may ask: who is told no learns nothing of the answer to the request itself. */
  readonly preflight: boolean;
}

const NOTHING: CrossOrigin = { fields: [], preflight: false };

/** `origins`: those whose pages may, `*` for any; none: nobody. */
export function crossOrigin(origins: readonly string[], { method, headers }: Asked): CrossOrigin {
  const { origin } = headers;
  const any = origins.includes('*');
  if (typeof origin !== 'string' || !(any || origins.includes(origin))) return NOTHING;
  const fields = ['access-control-allow-origin', any ? '*' : origin, ...(any ? [] : ['vary', 'origin'])];
  const wanted = headers['access-control-request-headers'];
  const preflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
  if (!preflight) return { fields: [...fields, 'access-control-expose-headers', EXPOSED], preflight };
  fields.push('access-control-allow-methods', METHODS);
  if (typeof wanted === 'string') fields.push('access-control-allow-headers', wanted);
  return { fields, preflight };
}
