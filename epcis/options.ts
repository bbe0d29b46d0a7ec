// What an operator can set of the EPCIS service. Everything but the repository has a default.
import type { Log } from './bindings/http/failure.ts';
import type { WorkOptions } from './work/options.ts';

export interface EpcisOptions {
  readonly repository: {
    /** `sqlite:///path/file.db`, `sqlite:relative.db` or `mysql://user:password@server:port/database`. */
    readonly url: string;
    /** MySQL only: where events are queried, for example a replica. Default: `url`. */
    readonly readUrl?: string;
    /** MySQL only: connections of this process. Default 8. */
    readonly poolSize?: number;
  };
  /** Address to listen on. Default 127.0.0.1. */
  readonly host?: string;
  /** Port to listen on; 0 takes a free one. Default 8080. */
  readonly port?: number;
  /** Before the REST resources, for example `/v2`. Default: none, so that they are `/capture`, `/events` … */
  readonly restPrefix?: string;
  /** EPCIS 1.x: each has `/capture` and `/query` below it. Default /epcis-repository, /epcis-repository-0.5.0, /epcis. */
  readonly contextPaths?: readonly string[];
  /** Key that signs page tokens, the same on all VMs of a fleet. Default: one that the repository keeps. */
  readonly secret?: string;
  /** How long a page token is good for. Default 3600. */
  readonly pageTokenSeconds?: number;
  /** Whether `dbReset=true`, Fosstrak's way to empty the repository, is obeyed. Default false. */
  readonly allowReset?: boolean;
  /** Origins (`https://app.example.org`) whose pages may use the service from a browser; `*`: any. Default: none. */
  readonly corsOrigins?: readonly string[];
  /** Bytes from which answers are compressed for clients that ask for it. Default 1024. */
  readonly compressFrom?: number;
  /** How long requests in flight may take to finish when the service closes. Default 30. */
  readonly drainSeconds?: number;
  readonly limits?: Partial<EpcisLimits>;
  /**
   * Background work: capture jobs and subscriptions. WORK_DEFAULTS has the defaults; with them results may be sent nowhere
   * (`allowedTargets`) but into WebSockets.
   */
  readonly work?: Partial<WorkOptions>;
  /** Default: pino, to the standard output. */
  readonly log?: Log;
}

export interface EpcisLimits {
  /** Bytes of one captured document, after decompression. Default 128 MiB. */
  readonly captureBytes: number;
  /** Events and vocabulary elements of one captured document. Default 100 000. */
  readonly captureEvents: number;
  /** Bytes of one event: what is held in memory at once. Default 8 MiB. */
  readonly eventBytes: number;
  /** Nesting of a captured document; never above 64. Default 64. */
  readonly depth: number;
  /** Bytes of any other request: a SOAP envelope, a named query, a subscription. Default 1 MiB. */
  readonly requestBytes: number;
  /** Characters of a URI. Default 16 384. */
  readonly uriLength: number;
  /** The largest `perPage`. Default 1000. */
  readonly pageSize: number;
  /** Parameters of one query. Default 100. */
  readonly queryParameters: number;
  /** Values in all lists of one query together. Default 2000. */
  readonly queryValues: number;
  /** Seconds after which a query is too complex; writing to a slow client counts. Default 60. */
  readonly querySeconds: number;
  /** Events that a query may order by an extension field, which is done in memory. Default 10 000. */
  readonly sortedEvents: number;
}

/** The options with the defaults in place. */
export type Settings = EpcisOptions & typeof DEFAULTS;

type Defaulted =
  | 'host'
  | 'port'
  | 'restPrefix'
  | 'contextPaths'
  | 'pageTokenSeconds'
  | 'allowReset'
  | 'corsOrigins'
  | 'compressFrom'
  | 'drainSeconds';

export const DEFAULTS: Required<Pick<EpcisOptions, Defaulted>> & { readonly limits: EpcisLimits } = {
  host: '127.0.0.1',
  port: 8080,
  restPrefix: '',
  contextPaths: ['/epcis-repository', '/epcis-repository-0.5.0', '/epcis'],
  pageTokenSeconds: 3600,
  allowReset: false,
  corsOrigins: [],
  compressFrom: 1024,
  drainSeconds: 30,
  limits: {
    captureBytes: 128 * 1024 * 1024,
    captureEvents: 100_000,
    eventBytes: 8 * 1024 * 1024,
    depth: 64,
    requestBytes: 1024 * 1024,
    uriLength: 16_384,
    pageSize: 1000,
    queryParameters: 100,
    queryValues: 2000,
    querySeconds: 60,
    sortedEvents: 10_000,
  },
};

export function withDefaults(options: EpcisOptions): Settings {
  const settings = { ...DEFAULTS, ...options, limits: { ...DEFAULTS.limits, ...options.limits } };
  const { restPrefix, contextPaths, corsOrigins } = settings;
  for (const path of [...contextPaths, ...(restPrefix === '' ? [] : [restPrefix])]) {
    if (!/^(\/[\w.~-]+)+$/.test(path)) throw new Error(`'${path}' is no path: write it like /epcis-repository.`);
  }
  if (contextPaths.includes(restPrefix)) {
    throw new Error(
      `'${restPrefix}' cannot be both a context path of EPCIS 1.x and the REST prefix: both have /capture.`,
    );
  }
  for (const origin of corsOrigins) {
    if (!isOrigin(origin))
      throw new Error(`'${origin}' is no origin: write it like https://app.example.org, or * for any.`);
  }
  return settings;
}

/** As a browser sends it: scheme, host, and a port that is not the scheme's own; nothing behind them. */
export function isOrigin(text: string): boolean {
  return text === '*' || (URL.canParse(text) && new URL(text).origin === text);
}
