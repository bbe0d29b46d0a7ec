// What comes from EC2's address, before the SDK reads it: to the SDK an empty answer, or a proxy's page, is an answer that names no
// instance. And it is read no further, and waited for no longer, than is allowed; of that the SDK bounds only the wait for its head.
import type { Millis } from '../src/model.ts';

export interface Bounds {
  readonly timeoutMs: Millis;
  readonly maxBytes: number;
}

interface Response {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  body: NodeJS.ReadableStream | Uint8Array;
}

/** Another answer than EC2's. Its status tells the SDK whether to ask again. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly $metadata: { readonly httpStatusCode: number };

  constructor(statusCode: number, what: string) {
    super(`HTTP ${statusCode}, ${what}`);
    this.$metadata = { httpStatusCode: statusCode };
  }
}

/** What the SDK is given to put between the wire and its own reading. */
export const onlyWholeAnswers =
  (bounds: Bounds) =>
  <Call, Result extends { readonly response: unknown }>(
    next: (call: Call) => Promise<Result>,
    { commandName = '' }: { readonly commandName?: string },
  ) =>
  async (call: Call): Promise<Result> => {
    const result = await next(call);
    const response = result.response as Response;
    const bytes = await read(response.body as AsyncIterable<Buffer>, bounds);
    const wanted = response.statusCode === 200 ? commandName.replace(/Command$/, 'Response') : '(?:Error)?Response';
    const what = whatElse(bytes, response.headers['content-encoding'], wanted);
    if (what !== undefined) throw new NoAnswer(response.statusCode, what);
    response.body = bytes.subarray(bytes.indexOf('<'));
    return result;
  };

async function read(body: AsyncIterable<Buffer>, { timeoutMs, maxBytes }: Bounds): Promise<Buffer> {
  const late = AbortSignal.timeout(timeoutMs);
  const stream = body as AsyncIterable<Buffer> & { destroy(error?: Error): void };
  const giveUp = (): void =>
    stream.destroy(Object.assign(new Error('its answer does not end'), { name: 'TimeoutError' }));
  late.addEventListener('abort', giveUp);
  try {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body) {
      size += chunk.length;
      if (size > maxBytes) throw new Error(`its answer is larger than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    late.removeEventListener('abort', giveUp);
  }
}

const SHOWN = 60;
const LOOKED_AT = 4_096;

/** What it is instead of a whole document with that root, in words; undefined: it is one. */
function whatElse(bytes: Buffer, encoding: string | undefined, root: string): string | undefined {
  if (encoding !== undefined && encoding !== 'identity') return `in ${encoding.slice(0, SHOWN)}`;
  const beginning = bytes.toString('utf8', 0, LOOKED_AT).replace(/^[\s\ufeff]*(?:<\?[^]*?\?>\s*|<!--[^]*?-->\s*)*/, '');
  const [, name = ''] = new RegExp(`^<(${root})[\\s/>]`).exec(beginning) ?? [];
  if (name === '') return beginning === '' ? 'nothing' : (/^[^>\n]*>?/.exec(beginning)?.[0] ?? '').slice(0, SHOWN);
  const end = bytes.toString('utf8', Math.max(0, bytes.length - LOOKED_AT)).trimEnd();
  return end.endsWith(`</${name}>`) || end.endsWith('/>') ? undefined : `<${name}> without its end`;
}
