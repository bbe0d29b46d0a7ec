// Cross-origin requests (the Fetch standard's CORS): which pages of other origins may use the service from a browser.
//
// Never with credentials: the service knows no cookies, and a token in a header needs no permission beyond the header's name.
import type { IncomingMessage, ServerResponse } from 'node:http';

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
