// The log: one line an event. JSON where a program reads it, plain text on a terminal; secrets never.
import { pino, type DestinationStream, type Logger } from 'pino';

export type Log = Logger & {
  /** Lines written so far that somebody should read, for metrics. */
  readonly counts: Readonly<Record<'warn' | 'error', number>>;
};

export interface LogOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** `auto`: text on a terminal, else JSON. */
  readonly format?: 'auto' | 'text' | 'json';
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
  const text = format === 'text' || (format === 'auto' && stream.isTTY === true);
  const destination: DestinationStream = {
    write: (line) => void stream.write(text ? `${plainText(line)}\n` : withoutCredentials(line)),
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
      redact: {
        paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
        censor: REMOVED,
      },
    },
    destination,
  );
  return Object.assign(logger, { counts });
}

const ignore = (): void => undefined;

/** `mysql://user:password@host`: URLs with a login in them turn up in messages of errors, too. */
function withoutCredentials(line: string): string {
  return line.replace(/\b([a-z][a-z0-9+.-]*:\/\/[^\s:/@"']*):[^\s@"'/]+@/gi, `$1:${REMOVED}@`);
}

/** `12:03:04 warn  VM vm-2 did not answer  vm=vm-2 attempts=3`, the stack of an error below. */
function plainText(line: string): string {
  const { time, level, msg, err, ...fields } = JSON.parse(withoutCredentials(line)) as Record<string, unknown> & {
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
