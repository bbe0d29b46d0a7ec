// Cross-origin requests (the Fetch standard's CORS): which pages of other origins may use the service from a browser.
//
// Never with credentials: the service knows no cookies, and a token in a header needs no permission beyond the header's name.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

const METHODS = 'GET, HEAD, POST, DELETE, OPTIONS';

/** What clients of EPCIS send besides what every page may. */
const REQUEST_HEADERS = [
  ...['Accept', 'Authorization', 'Content-Encoding', 'Content-Type', 'If-None-Match', 'SOAPAction'],
  ...['GS1-Capture-Error-Behaviour', 'GS1-CBV-Max', 'GS1-CBV-Min', 'GS1-CBV-Version', 'GS1-CBV-XML-Format'],
  ...['GS1-EPC-Format', 'GS1-EPCIS-Max', 'GS1-EPCIS-Min', 'GS1-EPCIS-Version', 'GS1-Extensions'],
];

/** What a page may read of an answer besides what it always may. */
const ANSWER_HEADERS = [
  ...['Allow', 'Capture-Warnings', 'ETag', 'Link', 'Location', 'Retry-After', 'Trace-Bounded'],
  ...['GS1-Capture-Error-Behaviour', 'GS1-CBV-Max', 'GS1-CBV-Min', 'GS1-CBV-Version', 'GS1-CBV-XML-Format'],
  ...['GS1-EPC-Format', 'GS1-EPCIS-Capture-File-Size-Limit', 'GS1-EPCIS-Capture-Limit'],
  ...['GS1-EPCIS-Max', 'GS1-EPCIS-Min', 'GS1-EPCIS-Version', 'GS1-Extensions', 'GS1-Next-Page-Token-Expires'],
];

/** A browser asks again after so long; Chromium keeps no answer for longer. */
const PREFLIGHT_SECONDS = 7200;

/**
 * Allows the answer to the page that asked, if its origin is one of `origins` (`*`: any). True: it was a preflight, and it is
 * answered; one of another origin goes on, to an answer that allows nothing.
 */
export function allowOrigin(origins: readonly string[], request: IncomingMessage, response: ServerResponse): boolean {
  if (origins.length === 0) return false;
  const any = origins.includes('*');
  // the answer to one origin must not be kept for another
  if (!any) response.setHeader('Vary', 'Origin');
  const { origin, 'access-control-request-method': asked } = request.headers;
  if (origin === undefined || !(any || origins.includes(origin))) return false;
  response.setHeader('Access-Control-Allow-Origin', any ? '*' : origin);
  if (request.method !== 'OPTIONS' || asked === undefined) {
    response.setHeader('Access-Control-Expose-Headers', ANSWER_HEADERS.join(', '));
    return false;
  }
  response.writeHead(204, {
    'Access-Control-Allow-Methods': METHODS,
    'Access-Control-Allow-Headers': REQUEST_HEADERS.join(', '),
    'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
  });
  response.end();
  return true;
}

/** A page sends such without asking first, and a form even without a script; the others need a preflight, which says no. */
const UNASKED = ['', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'];

const FOREIGN = 'A page of another site sent this: name its origin in epcis.corsOrigins if it may use the service.\n';

/**
 * True: a page of an origin that may not use the service sent it, and it is refused. The page's browser may have what lets it in (a certificate, a
 * password), or be on a machine where nobody needs any.
 */
export function refuseForeign(origins: readonly string[], request: IncomingMessage, response: ServerResponse): boolean {
  const mediaType = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (request.method !== 'POST' || !UNASKED.includes(mediaType) || !isForeign(origins, request)) return false;
  // what is left of its body is not worth reading
  response.writeHead(403, { 'Content-Type': 'text/plain', Connection: 'close' }).end(FOREIGN);
  return true;
}

/** The same of a WebSocket, whose answers its page may read: CORS does not hold for them. */
export function refuseForeignSocket(origins: readonly string[], request: IncomingMessage, socket: Duplex): boolean {
  if (!isForeign(origins, request)) return false;
  socket.on('error', () => socket.destroy());
  const head = `Connection: close\r\nContent-Type: text/plain\r\nContent-Length: ${FOREIGN.length}`;
  socket.end(`HTTP/1.1 403 Forbidden\r\n${head}\r\n\r\n${FOREIGN}`);
  return true;
}

/**
 * Sec-Fetch-Site tells of it whatever a proxy makes of Host; browsers that don't send it, as all by plain http to other machines, tell Origin. What is
 * no page of a site (an app's `file://`) is a program, and some programs name the host without its port.
 */
function isForeign(origins: readonly string[], { headers }: IncomingMessage): boolean {
  const { origin = '', host = '', 'sec-fetch-site': site } = headers;
  if (site === 'same-origin' || site === 'none' || origins.includes('*') || origins.includes(origin)) return false;
  if (site !== undefined || origin === 'null') return true;
  return /^https?:/i.test(origin) && hostOf(origin) !== hostOf(`http://${host}`);
}

const hostOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).hostname : undefined);
