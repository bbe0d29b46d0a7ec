// The one configuration schema: types, defaults, documentation (CONFIG.md), JSON schema and the example file all come from it.
import { z } from 'zod';
import { DEFAULTS as EPCIS, isOrigin } from '../../epcis/options.ts';
import { WORK_DEFAULTS as WORK } from '../../epcis/work/options.ts';
import { GATEWAY_DEFAULTS as GATEWAY } from '../balance/core/options.ts';
import { SELECTORS } from '../balance/core/selectors/index.ts';
import { policies } from '../decide/index.ts';
import { DEFAULT_PARAMETERS as MODEL } from '../decide/common/parameters.ts';
import { bytes, duration } from './types.ts';

const policyNames = Object.keys(policies) as (keyof typeof policies)[];
const selectorNames = Object.keys(SELECTORS) as (keyof typeof SELECTORS)[];

const port = () => z.int().min(0).max(65535);

const pattern = () => z.string().refine(isPattern, 'a regular expression is expected');

const rule = z.strictObject({
  method: pattern().optional(),
  path: pattern().optional(),
  header: z.strictObject({ name: z.string(), value: pattern() }).optional(),
  client: pattern().optional(),
  query: pattern().optional(),
  body: pattern().optional(),
  notBody: pattern().optional(),
});

const requestClass = z.strictObject({
  name: z.string().min(1),
  rules: z.array(rule).optional(),
  pinnedTo: z.array(z.string()).optional(),
  deadlineMs: z.number().positive().optional(),
});

const gateway = z.strictObject({
  host: z.string().default(GATEWAY.host).describe('address that clients connect to; 0.0.0.0 for all interfaces'),
  port: port().default(GATEWAY.port).describe('port that clients connect to'),
  control: z
    .strictObject({
      host: z
        .string()
        .default('127.0.0.1')
        .describe('address of the door by which a manager in another process steers `mmeliot gateway`'),
      port: port().default(8083).describe('port of that door'),
    })
    .prefault({}),
  dataPlane: z
    .enum(['builtin', 'haproxy'])
    .default(GATEWAY.dataPlane)
    .describe('what carries the traffic: this process, or an HAProxy (2.6 or later) that it starts and steers'),
  selector: z.enum(selectorNames).default(GATEWAY.selector).describe('how the gateway chooses the VM for a request'),
  perVm: z
    .union([z.literal('auto'), z.int().min(1)])
    .default(GATEWAY.perVm)
    .describe('requests that a VM takes at once; auto: found from its response times'),
  trustForwarded: z
    .boolean()
    .default(GATEWAY.trustForwarded)
    .describe("whether the client's X-Forwarded-For and Forwarded are extended (behind another proxy) or replaced"),
  nameVm: z
    .enum(['auto', 'always', 'never'])
    .default('auto')
    .describe(
      'whether answers name their VM in X-Mmeliot-Vm, for the response times by VM of a load; auto: where host is loopback',
    ),
  queue: z
    .strictObject({
      capacity: z
        .int()
        .min(0)
        .default(GATEWAY.queue.capacity)
        .describe('requests that may wait; more are answered 503'),
      deadline: duration().prefault('30s').describe('a request that has waited this long is answered 503'),
      promoteAfter: duration()
        .prefault('5s')
        .describe('a waiting request moves up one class each time this has passed'),
      classes: z
        .array(requestClass)
        .min(1)
        .default(GATEWAY.queue.classes.map(({ ...each }) => each as z.output<typeof requestClass>))
        .describe('classes of requests, most important first'),
    })
    .prefault({}),
  health: z
    .strictObject({
      interval: duration().prefault('1s').describe('time between two readiness probes of a VM'),
      timeout: duration().prefault('2s').describe('a probe without an answer by then has failed'),
      fall: z.int().min(1).default(GATEWAY.health.fall).describe('failed probes in a row that take a VM out'),
      slowStart: duration().prefault('5s').describe('time over which a VM that comes in gets its full share'),
    })
    .prefault({}),
  retry: z
    .strictObject({
      attempts: z.int().min(1).default(GATEWAY.retry.attempts).describe('attempts for one request, the first included'),
      budget: z.int().min(0).default(GATEWAY.retry.budget).describe('retries that may be spent at once'),
    })
    .prefault({}),
  limits: z
    .strictObject({
      body: bytes().prefault('1GiB').describe("a request's body; an announced length above it is answered 413 at once"),
    })
    .prefault({}),
  timeouts: z
    .strictObject({
      connect: duration().prefault('2s').describe('to reach a VM'),
      response: duration().prefault('60s').describe('to the first byte of an answer, and between two bytes of it'),
      uploadIdle: duration().prefault('30s').describe('a client that sends nothing of a body for so long is cut off'),
      keepAlive: duration().prefault('65s').describe('an idle client connection is kept this long'),
      close: duration().prefault('30s').describe('requests still running this long after the stop are cut off'),
    })
    .prefault({}),
});

const admin = z.strictObject({
  host: z.string().default('127.0.0.1').describe('address of the admin page, its API and /metrics'),
  port: port().default(8081).describe('port of the admin page'),
  token: z
    .string()
    .default('')
    .describe('bearer token that the admin API and page ask for; required when host is not loopback'),
});

const collector = z.strictObject({
  host: z.string().default('127.0.0.1').describe('address that the VMs send their load reports to'),
  port: port().default(8082).describe('UDP port of the load reports'),
  secret: z
    .string()
    .default('')
    .describe('secret of the group, signs load reports; empty: made at the first start and kept in dataDir'),
});

const manager = z.strictObject({
  gateways: z
    .array(z.url({ protocol: /^https?$/, error: 'a URL such as http://127.0.0.1:8083 is expected' }))
    .default([])
    .describe('control doors of the gateways that `mmeliot manager` steers (`mmeliot up` has a gateway of its own)'),
});

const repository = z.strictObject({
  url: z
    .string()
    .default('')
    .describe('sqlite:<file> or mysql://user:password@host:port/database; empty: SQLite in dataDir'),
  readUrl: z.string().default('').describe('replica to read from (MySQL only); empty: read from url'),
});

const epcis = z.strictObject({
  contextPaths: z
    .array(z.string().regex(/^(\/[\w.-]+)+$/, 'a path such as /epcis-repository is expected'))
    .default([...EPCIS.contextPaths])
    .describe('EPCIS 1.x: each has /capture and /query below it'),
  restPrefix: z
    .string()
    .regex(/^(\/[\w.-]+)*$/, 'a path such as /epcis/v2, or nothing, is expected')
    .default(EPCIS.restPrefix)
    .describe('EPCIS 2.0: stands before /capture, /events and the other resources'),
  allowReset: z
    .boolean()
    .default(EPCIS.allowReset)
    .describe("whether dbReset=true, Fosstrak's way to empty the repository, is obeyed"),
  subscriptionTargets: z
    .array(z.string())
    .default([...WORK.allowedTargets])
    .describe(
      'names (*.example.org, crm.example.org:8443) and networks (10.0.0.0/8) that subscriptions may send to; none: WebSockets only',
    ),
  corsOrigins: z
    .array(z.string().refine(isOrigin, 'an origin such as https://app.example.org, or *, is expected'))
    .default([...EPCIS.corsOrigins])
    .describe('origins whose pages may use the service from a browser; "*": any; none: CORS is off'),
  compressFrom: bytes()
    .prefault('1KiB')
    .describe('answers from this size on are compressed for clients that ask for it'),
  limits: z
    .strictObject({
      captureBytes: bytes().prefault('128MiB').describe('one captured document, after decompression'),
      captureEvents: z.int().min(1).default(EPCIS.limits.captureEvents).describe('events of one captured document'),
      eventBytes: bytes().prefault('8MiB').describe('one event: what is held in memory at once'),
      depth: z.int().min(8).max(64).default(EPCIS.limits.depth).describe('nesting of a captured document'),
      requestBytes: bytes()
        .prefault('1MiB')
        .describe('any other request: a SOAP envelope, a named query, a subscription'),
      uriLength: z.int().min(256).default(EPCIS.limits.uriLength).describe('characters of a URI'),
      pageSize: z.int().min(1).default(EPCIS.limits.pageSize).describe('the largest perPage'),
    })
    .prefault({}),
});

const percent = () => z.number().min(0).max(100);
const autoOr = (description: string) =>
  z
    .union([z.literal('auto'), z.boolean()])
    .default('auto')
    .describe(description);

export const elasticity = z.strictObject({
  policy: z.enum(policyNames).default(MODEL.policy).describe('policy that decides'),
  preset: z
    .enum(['mmeliot', 'paper-literal'])
    .default(MODEL.preset)
    .describe('reading of the paper that the policy mmeliot follows'),
  predictor: z.enum(['aging', 'last']).default(MODEL.predictor).describe('how samples become a prediction'),
  high: percent().default(MODEL.high).describe('high threshold, per cent of LP'),
  low: percent().default(MODEL.low).describe('low threshold, per cent of LP'),
  nearness: percent().default(MODEL.nearness).describe('per cent: how near to a threshold delta TP has a say'),
  target: percent().default(MODEL.target).describe('per cent of delta TP that counts as a trend'),
  min: z.int().min(1).default(MODEL.min).describe('fewest VMs'),
  max: z.int().min(1).default(MODEL.max).describe('most VMs'),
  period: duration().prefault('10s').describe('the control interval'),
  window: z.int().min(1).default(MODEL.window).describe('samples that a prediction is made of'),
  warmup: z.int().min(0).default(MODEL.warmup).describe("real samples before a VM's prediction counts as evidence"),
  deltaTp: z
    .enum(['auto', 'signed', 'absolute'])
    .default(MODEL.deltaTp)
    .describe('sign of delta TP; auto: as the preset says (signed; paper-literal: absolute)'),
  releaseTrigger: z
    .enum(['auto', 'drop', 'stable'])
    .default(MODEL.releaseTrigger)
    .describe('what releases near the low threshold; auto: as the preset says (drop; paper-literal: stable)'),
  decideWhilePending: autoOr('whether to decide while VMs are pending or warming; auto: as the policy was published'),
  noFlap: autoOr(
    'hold a release that would itself trigger an allocation; auto: on for the preset mmeliot and for adaptive',
  ),
  allocateCooldown: duration().prefault('0ms').describe('time after a change of the fleet before the next allocation'),
  releaseCooldown: duration().prefault('0ms').describe('time after a change of the fleet before the next release'),
  step: z
    .int()
    .min(0)
    .default(MODEL.step)
    .describe('VMs that one period may add or release at most; 0: as many as the policy says'),
  longestQueueTime: duration()
    .prefault('0ms')
    .describe('requests that wait for a VM for longer, on average, add one whatever the policy says; 0: never'),
  longestBacklog: duration()
    .prefault('0ms')
    .describe('a capture job that is unfinished for longer adds a VM whatever the policy says; 0: never'),
  policyParameters: z
    .record(z.string(), z.number())
    .default({ ...MODEL.policyParameters })
    .describe("the policy's own parameters, by name"),
  bootDeadline: duration().prefault('2m').describe("a VM that isn't ready after this long is given up and replaced"),
  drainDeadline: duration().prefault('30s').describe("a leaving VM's requests may take this long to finish"),
  dryRun: z.boolean().default(MODEL.dryRun).describe('decide and record, change nothing at the provider'),
});

const local = z.strictObject({
  cpu: z.number().min(0.05).max(64).default(0.1).describe('cores that each VM may use'),
  quota: z
    .enum(['auto', 'cgroup', 'signals'])
    .default('auto')
    .describe(
      'how the cores are limited: cgroup (kernel), signals (stop and continue), auto: cgroup where it can be had',
    ),
});

const opennebula = z.strictObject({
  url: z.string().default('http://127.0.0.1:2633/RPC2').describe("the front end's XML-RPC address"),
  user: z.string().default('').describe('user that owns the VMs'),
  password: z.string().default('').describe('password or login token of that user'),
  template: z
    .union([z.int().min(0), z.string()])
    .default('mmeliot')
    .describe('VM template, by id or by name'),
  nic: z
    .union([z.int().min(0), z.string()])
    .default(0)
    .describe("which NIC has the VM's address: its number, or its network's name"),
  port: port().default(8080).describe('port that the service listens on in a VM'),
  collector: z
    .string()
    .default('')
    .describe('host:port that VMs send load reports to; empty: host and port of collector'),
  boot: duration().prefault('5m').describe('a VM that boots longer than this has failed'),
  placement: duration().prefault('10m').describe('a VM that waits longer than this for a host has failed'),
});

export const schema = z.strictObject({
  group: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,30}$/, 'lower-case letters, digits and dashes, 31 at most, are expected')
    .default('mmeliot')
    .describe('name of the elastic group: the mark that its VMs carry'),
  dataDir: z.string().min(1).default('./mmeliot-data').describe('folder for the repository, the journal and the state'),
  gateway: gateway.prefault({}),
  admin: admin.prefault({}),
  manager: manager.prefault({}),
  collector: collector.prefault({}),
  repository: repository.prefault({}),
  epcis: epcis.prefault({}),
  elasticity: elasticity.prefault({}),
  provider: z
    .enum(['local', 'opennebula'])
    .default('local')
    .describe('where VMs come from: local (processes of this machine) or opennebula'),
  local: local.prefault({}),
  opennebula: opennebula.prefault({}),
  logLevel: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info').describe('what is logged'),
});

export type Config = z.output<typeof schema>;

function isPattern(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}
