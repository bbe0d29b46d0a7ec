// The front end's XML-RPC door over HTTP(S): deadlines, few connections, typed errors.
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { Pool } from 'undici';
import { MmeliotError } from '../src/errors.ts';
import { isKind, kindOf, OpenNebulaError } from './error.ts';
import { parseXml } from './xml-parser.ts';
import { decodeAnswer, encodeCall, XmlRpcError, type Answer, type RpcValue } from './documents/xml-rpc.ts';

export interface ClientOptions {
  /** The front end, `http://one.example.org:2633/RPC2`. */
  readonly url: string;
  readonly user: string;
  /** Or what gives it for each call, where it may change. */
  readonly password: string | (() => string);
  /** A call that has no answer by then has failed; waiting for a free connection counts. Default 10 000. */
  readonly deadlineMs?: number;
  /** Calls under way at once. From 20 on a front end stalls some of them. Default and most: 15. */
  readonly maxCalls?: number;
  /** Larger answers are refused (100 VMs are about 700 kB). Default 64 MiB. */
  readonly maxAnswerBytes?: number;
}

export interface OpenNebulaClient {
  /** The value of a successful answer: a string (often XML) or a number (an id). Else an OpenNebulaError. */
  call(method: string, ...params: readonly RpcValue[]): Promise<string | number>;
  close(): Promise<void>;
}

/** Only what changes nothing is repeated: a second `instantiate` would be a second VM. */
const HARMLESS = /\.(info|infoextended|monitoring|version)$/;

/** These mean that no connection came about, so the call did not arrive. */
const NOT_SENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|EPROTO)$|CERT|UNABLE_TO_|^ERR_SSL/;

export function createClient(options: ClientOptions): OpenNebulaClient {
  const url = frontEnd(options.url);
  const { user, password } = options;
  const session = (): string => `${user}:${typeof password === 'string' ? password : password()}`;
  const pool = new Pool(url.origin, { connections: Math.min(options.maxCalls ?? 15, 15), pipelining: 1 });

  async function once(method: string, body: Buffer, signal: AbortSignal): Promise<Answer> {
    try {
      const response = await pool.request({
        path: url.pathname + url.search,
        method: 'POST',
        headers: { 'content-type': 'text/xml; charset=utf-8' },
        body, // a buffer, so it goes with Content-Length: chunked bodies get 411
        reset: true, // Connection: close, which is what the front end does anyway
        signal,
      });
      const limit = options.maxAnswerBytes ?? 64 * 2 ** 20;
      const bytes = await unpacked(await read(response.body, limit), response.headers['content-encoding'], limit);
      // a proxy whose front end is away, or too slow for it: the call may have been carried out
      if (response.statusCode >= 500) {
        const sentence = `HTTP ${response.statusCode}: does the front end behind it answer?`;
        throw response.statusCode === 504 ? new Late(sentence) : new Error(sentence);
      }
      const { location } = response.headers;
      if (response.statusCode >= 300 && response.statusCode < 400 && typeof location === 'string')
        throw new XmlRpcError(`HTTP ${response.statusCode}: it has moved to ${location.slice(0, 200)}`);
      if (response.statusCode !== 200) throw new XmlRpcError(`HTTP ${response.statusCode} instead of an answer.`);
      return decodeAnswer(parseXml(bytes.toString('utf8')));
    } catch (error) {
      throw asOpenNebulaError(method, error, signal);
    }
  }

  async function ask(method: string, params: readonly RpcValue[], signal: AbortSignal): Promise<string | number> {
    const body = Buffer.from(encodeCall({ method, params }));
    const answer = await once(method, body, signal).catch((error: unknown) => {
      if (signal.aborted || !HARMLESS.test(method) || !isKind(error, 'unreachable', 'late', 'no-answer', 'malformed'))
        throw error;
      return once(method, body, signal);
    });
    return valueOf(method, answer);
  }

  return {
    async call(method, ...params) {
      const signal = AbortSignal.timeout(options.deadlineMs ?? 10_000);
      const sent = session();
      try {
        return await ask(method, [sent, ...params], signal);
      } catch (error) {
        // a token that was replaced meanwhile; whose login is refused has changed nothing, so any call may be repeated
        const now = isKind(error, 'authentication') ? session() : sent;
        if (now === sent) throw error;
        return await ask(method, [now, ...params], signal);
      }
    },
    close: () => pool.destroy(),
  };
}

function frontEnd(raw: string): URL {
  const url = URL.canParse(raw) ? new URL(raw) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new MmeliotError('CONFIG_INVALID', 'opennebula.url must be like http://one.example.org:2633/RPC2.');
  if (url.username || url.password)
    throw new MmeliotError('CONFIG_INVALID', 'opennebula.url must not hold a login; use opennebula.user and password.');
  return url;
}

const UNPACK = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

/** Nobody asks for it, yet a proxy before the front end may compress what it passes on. */
async function unpacked(bytes: Buffer, said: string | string[] | undefined, limit: number): Promise<Buffer> {
  const encoding = String(said ?? 'identity')
    .trim()
    .toLowerCase();
  if (encoding === 'identity') return bytes;
  const unpack = UNPACK.get(encoding);
  if (unpack === undefined) throw new XmlRpcError(`The answer's Content-Encoding "${encoding}" is none that is known.`);
  try {
    return await unpack(bytes, { maxOutputLength: limit });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw new TooLarge(limit);
    throw new XmlRpcError(`The answer is no ${encoding}, as it says.`);
  }
}

class TooLarge extends Error {
  constructor(limit: number) {
    super(`The answer is larger than ${limit} bytes.`);
  }
}

/** A proxy has waited in vain. */
class Late extends Error {}

async function read(body: AsyncIterable<Buffer>, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limit) throw new TooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** [true, value, 0] is success, [false, sentence, code, object, …] is an error; both come with HTTP 200. */
function valueOf(method: string, answer: Answer): string | number {
  if ('fault' in answer)
    throw new OpenNebulaError('fault', { method, serverCode: answer.fault.code, sentence: answer.fault.message });
  const list: readonly unknown[] = Array.isArray(answer.value) ? answer.value : [];
  const [ok, value, code] = list;
  if (ok === true && (typeof value === 'string' || typeof value === 'number')) return value;
  if (ok !== false || typeof value !== 'string' || typeof code !== 'number')
    throw new OpenNebulaError('malformed', { method, sentence: 'the answer is not [success, value, code].' });
  throw new OpenNebulaError(kindOf(code, value), { method, serverCode: code, sentence: value });
}

function asOpenNebulaError(method: string, error: unknown, signal: AbortSignal): OpenNebulaError {
  if (signal.aborted) return new OpenNebulaError('late', { method, sentence: 'the front end did not answer in time.' });
  const { name, message, code } = error as Error & { code?: string };
  const sentence = message || code || 'the connection failed';
  if (error instanceof Late) return new OpenNebulaError('late', { method, sentence });
  if (error instanceof TooLarge) return new OpenNebulaError('too-large', { method, sentence });
  if (error instanceof XmlRpcError) return new OpenNebulaError('malformed', { method, sentence });
  if (name === 'HTTPParserError')
    return new OpenNebulaError('malformed', { method, sentence: 'what answers there speaks no HTTP; is it HTTPS?' });
  if (NOT_SENT.test(code ?? '')) return new OpenNebulaError('unreachable', { method, sentence });
  return new OpenNebulaError('no-answer', { method, sentence: `the connection broke off (${sentence}).` });
}
