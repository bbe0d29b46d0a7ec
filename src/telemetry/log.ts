// The log: one line an event. JSON where a program reads it, plain text on a terminal; secrets never.
import { pino, type DestinationStream, type Logger } from 'pino';
import { createSecrets, type Secrets } from '../secrets.ts';

export type Log = Logger & {
  /** Lines written so far that somebody should read, for metrics. */
  readonly counts: Readonly<Record<'warn' | 'error', number>>;
  /** What is never written from now on, whoever's sentence quotes it. */
  readonly conceal: Secrets['add'];
  /** The same of a sentence that goes elsewhere. */
  readonly hide: Secrets['hide'];
};

export interface LogOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** `auto`: text on a terminal, else JSON. */
  readonly format?: 'auto' | 'text' | 'json';
  /** Never written, whoever's sentence quotes them: a database's, a client's, a cloud's. */
  readonly secrets?: readonly string[];
}

/** Fields whose values are never written, wherever they stand in the first three levels. */
const SECRET_FIELDS = ['token', 'secret', 'password', 'authorization', 'cookie', 'session', 'auth'];
const REMOVED = '[removed]';
const { warn: WARN = 40, error: ERROR = 50 } = pino.levels.values;

export function createLog(
  options: LogOptions,
  stream: NodeJS.WritableStream & { isTTY?: boolean } = process.stderr,
): Log {
  const { level, format = 'auto' } = options;
  const { hide, add } = createSecrets(...(options.secrets ?? []));
  const text = format === 'text' || (format === 'auto' && stream.isTTY === true);
  const destination: DestinationStream = {
    write(line) {
      const said = discreet(withoutCredentials(line), hide);
      stream.write(text ? `${plainText(said)}\n` : said);
    },
  };
  // a full disk ends the log, not the program
  if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
  const counts = { warn: 0, error: 0 };
  const logger = pino(
    {
      level,
      hooks: {
        logMethod(args, method, rank) {
          if (rank >= WARN) counts[rank >= ERROR ? 'error' : 'warn']++;
          method.apply(this, args);
        },
      },
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: errorOf },
      redact: {
        paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
        censor: REMOVED,
      },
    },
    destination,
  );
  return Object.assign(logger, { counts, conceal: add, hide });
}

/** What the system refuses (a full disk, a right that is missing) is no defect of ours: its sentence says all, and no stack more. */
function errorOf(error: unknown): unknown {
  const isRefusal = error instanceof Error && 'syscall' in error && 'code' in error;
  return isRefusal ? { code: error.code, message: error.message } : pino.stdSerializers.err(error as Error);
}

const ignore = (): void => undefined;

/** `mysql://user:password@host`: URLs with a login in them turn up in messages of errors, too. */
function withoutCredentials(line: string): string {
  return line.replace(/(:\/\/[^\s:/@"']*):[^\s@"'/]+@/g, `$1:${REMOVED}@`);
}

/** What is said, not the line: a secret may be a word that the line is made of. */
function discreet(line: string, hide: Secrets['hide']): string {
  if (hide(line) === line) return line;
  const { level, time, ...said } = JSON.parse(line) as Record<string, unknown>;
  return `${JSON.stringify({ level, time, ...(hidden(said, hide) as object) })}\n`;
}

function hidden(value: unknown, hide: Secrets['hide']): unknown {
  if (typeof value === 'string') return hide(value);
  if (Array.isArray(value)) return value.map((each) => hidden(each, hide));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, hidden(each, hide)]));
}

/** `12:03:04 warn  VM vm-2 did not answer  vm=vm-2 attempts=3`, the stack of an error below. */
function plainText(line: string): string {
  const { time, level, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown> & {
    time: string;
    level: string;
    msg?: string;
    err?: { message?: string; stack?: string };
  };
  const pairs = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === 'string' && !/[\s"]/.test(value) ? value : JSON.stringify(value)}`,
  );
  const head = `${time.slice(11, 19)} ${level.padEnd(5)} ${msg ?? err?.message ?? ''}`;
  const stack = err === undefined ? '' : `\n${(err.stack ?? err.message ?? '').replace(/^/gm, '    ')}`;
  return `${[head, pairs.join(' ')].filter((part) => part !== '').join('  ')}${stack}`;
}
