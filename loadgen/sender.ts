// Sends single requests with undici and says what became of each. Answers are read to their end and thrown away.
import { Pool } from 'undici';
import { sentenceIn } from './said.ts';
import type { LoadRequest } from './workload/mix.ts';

export interface SenderOptions {
  /** Where the load goes; a path in it comes before the path of each request. */
  readonly url: URL;
  /** A request that has no whole answer by then is lost, ms. */
  readonly timeout: number;
  /** The response header that names the VM which answered. */
  readonly vmHeader: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What became of one request. Without a `cause` it was answered with success (2xx). */
export interface Outcome {
  readonly cause?: string;
  /** What an answer without success says, where it says it in a sentence. */
  readonly said?: string;
  readonly vm?: string;
}

export interface Sender {
  send(request: LoadRequest, done: (outcome: Outcome) => void): void;
  /** Cuts off what is still open; their `done` is called with the cause `stopped`. */
  close(): Promise<void>;
}

export const STOPPED = 'stopped';

export function createSender(options: SenderOptions): Sender {
  const { url, timeout, headers: common } = options;
  const vmHeader = options.vmHeader.toLowerCase();
  const pool = new Pool(url.origin, { allowH2: false, connectTimeout: timeout, headersTimeout: 0, bodyTimeout: 0 });
  const prefix = url.pathname.replace(/\/$/, '');
  let closing = false;

  const send: Sender['send'] = ({ method, path, headers, body }, done) => {
    let ended = false;
    let abort: ((reason: Error) => void) | undefined;
    let status = 0;
    let vm: string | undefined;
    let problem = '';
    const end = (cause?: string): void => {
      if (ended) return;
      ended = true;
      clearTimeout(deadline);
      const said = sentenceIn(problem);
      done({
        ...(cause !== undefined && { cause }),
        ...(said !== undefined && { said }),
        ...(vm !== undefined && { vm }),
      });
    };
    const deadline = setTimeout(() => {
      end('timeout');
      abort?.(new Error('timeout'));
    }, timeout);
    pool.dispatch(
      {
        method,
        path: path === '' ? url.pathname + url.search : prefix + path,
        headers: { ...common, ...headers },
        body: body ?? null,
      },
      {
        onRequestStart(controller) {
          abort = (reason) => controller.abort(reason);
          if (ended) controller.abort(new Error('timeout'));
        },
        onResponseStart(_controller, code, responseHeaders) {
          status = code;
          const named = responseHeaders[vmHeader];
          vm = Array.isArray(named) ? named[0] : named;
        },
        onResponseData(_controller, chunk) {
          if (status >= 400 && problem.length < LONGEST_PROBLEM) problem += chunk.toString();
        },
        onResponseEnd() {
          end(status >= 200 && status < 300 ? undefined : `status ${status}`);
        },
        onResponseError(_controller, error) {
          end(closing ? STOPPED : causeOf(error));
        },
      },
    );
  };

  return {
    send,
    close: () => {
      closing = true;
      return pool.destroy();
    },
  };
}

const LONGEST_PROBLEM = 4_000;

const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  UND_ERR_SOCKET: 'connection reset',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  ETIMEDOUT: 'timeout',
  ENOTFOUND: 'unknown host',
  EMFILE: 'generator out of sockets',
  EADDRNOTAVAIL: 'generator out of sockets',
};

function causeOf(error: Error & { code?: string }): string {
  // Several addresses of one name were tried: the first one's error stands for all.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : undefined;
  if (first instanceof Error) return causeOf(first);
  const code = error.code ?? error.name;
  return CAUSES[code] ?? code;
}
