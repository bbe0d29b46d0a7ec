// What an operator can set of the EPCIS service, each setting declared once: its type, its default, its bounds, one line. A
// name that ends in `Seconds` or `Ms` says what its value counts.
import type { Log } from './bindings/http/failure.ts';
import type { KeyObject } from 'node:crypto';
import type { Certificate } from './bindings/http/tls.ts';
import { defaultsOf, type Values } from './domain/setting.ts';
import type { TracingSettings } from './tracing/options.ts';
import type { Attributes } from './tracing/otlp.ts';
import { workSettings, type Role } from './work/options.ts';

export const epcisSettings = {
  contextPaths: {
    type: 'list',
    pattern: '(/[\\w.~-]+)+',
    expected: 'a path such as /epcis-repository',
    default: ['/epcis-repository', '/epcis-repository-0.5.0', '/epcis'] as readonly string[],
    doc: 'EPCIS 1.x: each has /capture and /query below it',
  },
  restPrefix: {
    type: 'text',
    pattern: '(/[\\w.~-]+)*',
    expected: 'a path such as /epcis/v2, or nothing,',
    default: '',
    doc: 'EPCIS 2.0: stands before /capture, /events and the other resources',
  },
  pageTokenSeconds: { type: 'duration', unit: 's', default: 3600, min: 1, doc: 'how long a page token is good for' },
  allowReset: {
    type: 'flag',
    default: false,
    doc: "whether dbReset=true, Fosstrak's way to empty the repository, is obeyed",
  },
  access: {
    type: 'flag',
    default: false,
    doc: 'whether only those are served whom the gateway vouches for, each with what the rules let it see',
  },
  tenants: {
    type: 'list',
    pattern: '[a-z0-9][a-z0-9-]{0,30}',
    expected: 'a name of small letters, digits and -',
    default: [] as readonly string[],
    doc: 'tenants (needs access), each with a repository of its own beside the main one: database <name>_<tenant>, or file <name>-<tenant>.db',
  },
  corsOrigins: {
    type: 'list',
    pattern: '[*]|[a-z][a-z0-9+.-]*://[^/?#@ ]+',
    expected: 'an origin such as https://app.example.org, or *,',
    default: [] as readonly string[],
    doc: 'origins whose pages may use the service from a browser; "*": any; none: CORS is off',
  },
  compressFrom: {
    type: 'size',
    default: 1024,
    min: 0,
    doc: 'answers from this size on are compressed for clients that ask for it',
  },
  companyPrefixes: {
    type: 'text',
    pattern: '(/.*)?',
    expected: 'an absolute path',
    default: '',
    doc: "file on each VM with GS1's table of company prefixes in a newer state (gcpprefixformatlist, JSON or XML); empty: the shipped one",
  },
  checks: {
    type: 'text',
    pattern: '(/.*)?',
    expected: 'an absolute path',
    default: '',
    doc: 'file on each VM with extension schemas and business rules that documents are checked by, YAML or JSON (epcis/BEYOND.md); empty: the standard alone',
  },
  processes: {
    type: 'whole',
    default: 0,
    min: 0,
    max: 256,
    doc: 'service processes in one VM, which share its port, since one uses one core; 0: one for each core',
  },
  drainSeconds: {
    type: 'duration',
    unit: 's',
    default: 30,
    min: 0,
    doc: 'how long requests in flight may take to finish when the service closes',
  },
  // see delivery/targets.ts
  subscriptionTargets: {
    type: 'list',
    default: [] as readonly string[],
    doc: 'names (*.example.org, crm.example.org:8443) and networks (10.0.0.0/8) that subscriptions may send to; none: WebSockets only',
  },
  limits: {
    captureBytes: {
      type: 'size',
      default: 128 * 1024 * 1024,
      min: 1,
      doc: 'one captured document, after decompression',
    },
    captureEvents: {
      type: 'whole',
      default: 100_000,
      min: 1,
      doc: 'events and vocabulary elements of one captured document',
    },
    eventBytes: { type: 'size', default: 8 * 1024 * 1024, min: 1, doc: 'one event: what is held in memory at once' },
    // what a VM does in some 20 ms, since nobody is let in within a step of it; lists of 100,000 EPCs, which are 4 MiB, stay possible
    eventValues: {
      type: 'whole',
      default: 10_000,
      min: 1000,
      doc: 'values of one event or vocabulary element (members and items in JSON, elements and attributes in XML): each takes time and memory, however short; an EPC in a list of EPCs, or a child of a place, counts a tenth, what a sensor reports three tenths',
    },
    depth: { type: 'whole', default: 64, min: 8, max: 64, doc: 'nesting of a captured document' },
    requestBytes: {
      type: 'size',
      default: 1024 * 1024,
      min: 1,
      doc: 'any other request: a SOAP envelope, a named query, a subscription',
    },
    socketBytesPerSecond: {
      type: 'size',
      default: 1024,
      min: 1,
      doc: 'that a client may send on its WebSocket (pings, and answers to pings: there is nothing else to say), 16 seconds saved up; more: closed with 1008',
    },
    uriLength: { type: 'whole', default: 16_384, min: 256, doc: 'characters of a URI' },
    pageSize: { type: 'whole', default: 1000, min: 1, doc: 'the largest perPage' },
    queryParameters: { type: 'whole', default: 100, min: 1, doc: 'parameters of one query' },
    queryValues: { type: 'whole', default: 2000, min: 1, doc: 'values in all lists of one query together' },
    querySeconds: {
      type: 'duration',
      unit: 's',
      default: 60,
      min: 1,
      doc: 'a query that takes longer is too complex; writing to a slow client counts',
    },
    uploadShare: {
      type: 'number',
      default: 0.25,
      min: 0.01,
      max: 1,
      doc: "part of what others leave of a VM's time that storing documents of more than 1 MB (all that are received at once together) may take while others ask; 1: all of it",
    },
    tenantShare: {
      type: 'number',
      default: 0.25,
      min: 0.01,
      max: 1,
      doc: 'part of what a process may use of a core that captures of one tenant may take while another one asks (in the last ten seconds); 1: all of it, a few milliseconds at a time',
    },
    sortedEvents: {
      type: 'whole',
      default: 10_000,
      min: 0,
      doc: 'events that a query may order by an extension field, which is done in memory',
    },
  },
  work: workSettings,
} as const;

export type EpcisSettings = Values<typeof epcisSettings>;
export type EpcisLimits = EpcisSettings['limits'];

type Changed = Partial<Omit<EpcisSettings, 'limits' | 'work'>> & {
  readonly limits?: Partial<EpcisLimits>;
  readonly work?: Partial<EpcisSettings['work']>;
};

export interface EpcisOptions extends Changed {
  readonly repository: {
    /** `sqlite:///path/file.db`, `sqlite:relative.db` or `mysql://user:password@server:port/database`. */
    readonly url: string;
    /** MySQL only: where events are queried, for example a replica. Default: `url`. */
    readonly readUrl?: string;
    /** MySQL only: connections of this process. */
    readonly poolSize?: number;
  };
  /** Address to listen on. Default 127.0.0.1. */
  readonly host?: string;
  /** Port to listen on; 0 takes a free one. Default 8080. */
  readonly port?: number;
  /** Key that signs page tokens, the same on all VMs of a fleet. Default: one that the repository keeps. */
  readonly secret?: string;
  /** The secret that gateway and VMs share; needed for `access`: the gateway signs with it who asks. */
  readonly groupSecret?: string;
  /** Instead of that secret: what of it is needed for it. */
  readonly clientKey?: KeyObject;
  /** In PEM, for who speaks TLS to the port; plain HTTP is answered there as well. */
  readonly certificate?: Certificate;
  /** `query` answers clients and takes captures in, `work` does stored work and answers only whether it is ready. Default: both. */
  readonly role?: Role;
  /** A UUID that the processes of one VM have in common: the work of all is that VM's. */
  readonly worker?: string;
  /** What this process may use of one, above 0. Default 1. */
  readonly cores?: number;
  /** Where traces go to, and who this service is there; default: there are none. */
  readonly tracing?: TracingSettings & { readonly resource: Attributes };
  /** Default: pino, to the standard output. */
  readonly log?: Log;
}

const LISTEN: { readonly host: string; readonly port: number } = { host: '127.0.0.1', port: 8080 };

export const DEFAULTS = { ...LISTEN, ...defaultsOf(epcisSettings) };

/** The options with the defaults in place. */
export type Settings = Omit<EpcisOptions, keyof EpcisSettings> & EpcisSettings & typeof LISTEN;

export function withDefaults(options: EpcisOptions): Settings {
  const settings = {
    ...DEFAULTS,
    ...options,
    limits: { ...DEFAULTS.limits, ...options.limits },
    work: { ...DEFAULTS.work, ...options.work },
  };
  const complaint = textComplaint(settings) ?? epcisComplaint(settings);
  if (complaint !== undefined) throw new Error(complaint);
  if (settings.access && (settings.groupSecret ?? '') === '' && settings.clientKey === undefined)
    throw new Error('Access is on, and there is no group secret to tell the gateway by: set collector.secret.');
  return settings;
}

/** A text that is not as its declaration says, in one sentence. (What the configuration or a VM is told is read by the declarations.) */
function textComplaint(settings: EpcisSettings): string | undefined {
  for (const [name, declared] of Object.entries(epcisSettings)) {
    if (!('pattern' in declared)) continue;
    const is = new RegExp(`^(?:${declared.pattern})$`);
    const texts = [settings[name as 'contextPaths' | 'restPrefix']].flat();
    const wrong = texts.find((text) => !is.test(text));
    if (wrong !== undefined) return `${name} has '${wrong}': ${declared.expected} is expected.`;
  }
  return undefined;
}

/** Settings that contradict each other, and what a declaration can't say, in one sentence. */
export function epcisComplaint(settings: EpcisSettings): string | undefined {
  const { restPrefix, contextPaths, corsOrigins, tenants, access, checks } = settings;
  if (contextPaths.includes(restPrefix))
    return `'${restPrefix}' cannot be both a context path of EPCIS 1.x and the REST prefix: both have /capture.`;
  if (tenants.length > 0 && !access)
    return 'There are tenants, and access is off: nobody says which of them a client belongs to.';
  if (access && checks !== '')
    return 'Checks look at the events of all clients, so they would tell of them: leave checks out where access is on.';
  const origin = corsOrigins.find((text) => !isOrigin(text));
  return origin && `'${origin}' is no origin: write it like https://app.example.org, or * for any.`;
}

/** As a browser sends it: scheme, host, and a port that is not the scheme's own; nothing behind them. */
function isOrigin(text: string): boolean {
  return text === '*' || (URL.canParse(text) && new URL(text).origin === text);
}
