// What a proxy does to header fields (RFC 9110 §7.6): hop-by-hop fields end here, the way of the request is recorded.

/** What the head of a request says, read once from its raw fields (name, value, name, value, ...). */
export interface RequestHead {
  /** The end-to-end fields, to be passed on as they came. */
  readonly fields: string[];
  readonly host: string;
  /** The length that the client announced; undefined: none, or chunked. */
  readonly contentLength: number | undefined;
  readonly chunked: boolean;
  readonly requestId: string | undefined;
  readonly forwardedFor: string | undefined;
  readonly forwarded: string | undefined;
  readonly via: string | undefined;
}

/** The field of an answer that names the VM. */
export const VM_FIELD = 'x-mmeliot-vm';

/** The field in which the HAProxy of the haproxy plane tells the built-in plane behind it who the client is. */
export const CLIENT_FIELD = 'x-mmeliot-client';

/** The field in which it tells the subject of the certificate that the client showed. */
export const CERTIFICATE_FIELD = 'x-mmeliot-certificate';

/** The field by which that HAProxy is known there: whoever is on this machine could say the same. */
export const FRONT_FIELD = 'x-mmeliot-front';

/** The field in which a gateway tells a VM who asks, by the name that `epcis/access/client-token.ts` reads it by. */
export const WHO_FIELD = 'mmeliot-client';
/** The same, signed with the group's next secret. */
export const WHO_NEXT_FIELD = 'mmeliot-client-next';

/** A VM would break off its connection, and be taken for one that has gone. */
export const NO_TUNNELS = 'This is no proxy: CONNECT leads nowhere here.';

const TRACE_FIELDS = ['traceparent', 'tracestate'];

/** Why a request is refused before it reaches a VM. */
export interface Refusal {
  readonly status: number;
  readonly reason: string;
}

/** Who sent the request, and what is added to say so. */
export interface Hop {
  readonly clientAddress: string;
  readonly protocol: 'http' | 'https';
  readonly requestId: string;
  /** Whether what the client says of the way before this gateway is passed on. */
  readonly trusted: boolean;
  /** Who asks, as fields for the VM. The client's own Authorization was for this gateway then, and ends here. */
  readonly who?: readonly string[];
  /** The trace is told by others than the client. */
  readonly traced?: boolean;
}

/** What is the same of all clients' requests. */
export type Way = Pick<Hop, 'protocol' | 'trusted'>;

// Fields of one hop, and those that this gateway writes itself.
const ENDS_HERE = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'te',
  'transfer-encoding',
  'upgrade',
  'expect',
  'http2-settings',
  'host',
  'content-length',
  'x-request-id',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  'forwarded',
  'via',
  CLIENT_FIELD,
  CERTIFICATE_FIELD,
  FRONT_FIELD,
  WHO_FIELD,
  WHO_NEXT_FIELD,
]);

const RESPONSE_ENDS_HERE = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'te',
  'transfer-encoding',
  'upgrade',
  'x-request-id',
  VM_FIELD,
]);

/** What a Host may be, and how one that is none is refused; the same at both planes. */
export const HOST = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+,;=%-]*)(:[0-9]{0,5})?$/;
export const NO_HOST = { status: 400, reason: 'The request has a Host that is no name of a host.' } as const;

const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** Reads and checks the head of a request; a refusal where two readers could take it for different requests. */
export function readRequestHead(raw: readonly string[], httpVersion: string): RequestHead | Refusal {
  const own = new Map<string, string>();
  let fields: string[] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] as string;
    const value = raw[i + 1] as string;
    const lower = name.toLowerCase();
    if (!ENDS_HERE.has(lower)) {
      fields.push(name, value);
      continue;
    }
    const before = own.get(lower);
    if (before !== undefined && (lower === 'host' || lower === 'content-length' || lower === 'transfer-encoding')) {
      return { status: 400, reason: `The request has the field ${name} twice.` };
    }
    own.set(lower, before === undefined ? value : `${before}, ${value}`);
  }

  const host = own.get('host') ?? '';
  if (!own.has('host') && httpVersion === '1.1') return { status: 400, reason: 'The request has no Host.' };
  if (!HOST.test(host)) return NO_HOST;
  const length = own.get('content-length');
  const encoding = own.get('transfer-encoding');
  if (length !== undefined && !/^[0-9]{1,15}$/.test(length)) {
    return { status: 400, reason: 'The request has a Content-Length that is no number.' };
  }
  if (encoding !== undefined) {
    if (length !== undefined) return { status: 400, reason: 'The request has both a Content-Length and chunks.' };
    if (httpVersion === '1.0') return { status: 400, reason: 'An HTTP/1.0 request cannot be sent in chunks.' };
    if (encoding.toLowerCase() !== 'chunked') {
      return { status: 501, reason: 'The only transfer encoding that is understood here is "chunked".' };
    }
  }
  const connection = own.get('connection');
  if (connection !== undefined) fields = withoutNamed(fields, connection);

  return {
    fields,
    host,
    contentLength: length === undefined ? undefined : Number(length),
    chunked: encoding !== undefined,
    requestId: own.get('x-request-id'),
    forwardedFor: own.get('x-forwarded-for'),
    forwarded: own.get('forwarded'),
    via: own.get('via'),
  };
}

/** The fields for the VM: what came, and the way it took. (Its length is the forwarding library's to write.) */
export function requestFields(head: RequestHead, hop: Hop): string[] {
  const { clientAddress, protocol, trusted } = hop;
  let fields = hop.who === undefined ? head.fields.slice() : withoutAuthorization(head.fields);
  if (hop.traced === true) fields = withoutFields(fields, TRACE_FIELDS);
  if (hop.who !== undefined) fields.push(...hop.who);
  if (head.host !== '') fields.push('host', head.host, 'x-forwarded-host', head.host);
  const earlierFor = trusted && head.forwardedFor !== undefined ? `${head.forwardedFor}, ` : '';
  const earlier = trusted && head.forwarded !== undefined ? `${head.forwarded}, ` : '';
  const node = clientAddress.includes(':') ? `"[${clientAddress}]"` : clientAddress;
  const host = head.host === '' ? '' : `;host="${head.host}"`;
  fields.push(
    'x-forwarded-for',
    earlierFor + clientAddress,
    'x-forwarded-proto',
    protocol,
    'forwarded',
    `${earlier}for=${node};proto=${protocol}${host}`,
    'x-request-id',
    hop.requestId,
    'via',
    head.via === undefined ? '1.1 mmeliot' : `${head.via}, 1.1 mmeliot`,
  );
  return fields;
}

/** The client's own request id where it is a sane one. */
export function usableRequestId(id: string | undefined): string | undefined {
  return id !== undefined && REQUEST_ID.test(id) ? id : undefined;
}

/** The fields of a VM's answer for the client, as name, value, name, value, ... */
export function responseFields(headers: Readonly<Record<string, string | string[] | undefined>>): string[] {
  const fields: string[] = [];
  const connection = headers.connection;
  const named = connection === undefined ? [] : tokens(String(connection));
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || RESPONSE_ENDS_HERE.has(name)) continue;
    if (named.length > 0 && name !== 'content-length' && named.includes(name)) continue;
    if (typeof value === 'string') fields.push(name, value);
    else for (const one of value) fields.push(name, one);
  }
  return fields;
}

/** `Connection: x, y` names further fields that end here. */
function withoutNamed(fields: string[], connection: string): string[] {
  const named = tokens(connection).filter((token) => token !== 'close' && token !== 'keep-alive');
  return named.length === 0 ? fields : withoutFields(fields, named);
}

/** Looks at names of its length only: this is done for every request. */
function withoutAuthorization(fields: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i] as string;
    if (name.length !== AUTHORIZATION.length || name.toLowerCase() !== AUTHORIZATION)
      kept.push(name, fields[i + 1] as string);
  }
  return kept;
}

const AUTHORIZATION = 'authorization';

function withoutFields(fields: readonly string[], named: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i] as string;
    if (!named.includes(name.toLowerCase())) kept.push(name, fields[i + 1] as string);
  }
  return kept;
}

function tokens(value: string): string[] {
  return value.split(',').map((token) => token.trim().toLowerCase());
}
