// All settings, each declared once, where what it sets is at home. Types, defaults, documentation (CONFIG.md), JSON schema
// and the example file come from here.
import { epcisSettings } from '../../epcis/options.ts';
import { tracingSettings } from '../../epcis/tracing/options.ts';
import { repositorySettings } from '../../epcis/repository/database/options.ts';
import { identitySettings } from '../access/options.ts';
import { gatewaySettings } from '../balance/core/options.ts';
import { elasticitySettings, type DecisionParameters, type ElasticityParameters } from '../decide/parameters.ts';
import { fleetSettings } from '../fleet/settings.ts';
import { packingSettings } from '../packing/settings.ts';
import type { Sections, Values } from '../settings/declaration.ts';
import { elasticity, forms } from './forms.ts';
import { tlsSettings } from '../settings/tls.ts';
import { sectionOf } from './section.ts';

const text = (otherwise: string, doc: string) => ({ type: 'text', default: otherwise, doc }) as const;
const secret = (doc: string) => ({ type: 'text', default: '', secret: true, doc }) as const;
const port = (otherwise: number, doc: string) =>
  ({ type: 'whole', default: otherwise, min: 0, max: 65_535, doc }) as const;

const NONE: readonly string[] = [];
/** By role, as people write them: config/roles.ts reads them. */
const NO_ROLES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {};

export const settings = {
  group: {
    type: 'text',
    pattern: '[a-z][a-z0-9-]{0,30}',
    expected: 'a name of lower-case letters, digits and dashes, 31 at most,',
    default: 'mmeliot',
    doc: 'name of the elastic group: the mark that its VMs carry',
  },
  dataDir: {
    type: 'text',
    pattern: '.+',
    expected: 'the path of a folder',
    default: './mmeliot-data',
    doc: 'folder for the repository, the journal and the state',
  },
  gateway: {
    ...gatewaySettings,
    control: {
      host: text('127.0.0.1', 'address of the door by which a manager in another process steers `mmeliot gateway`'),
      port: port(8083, 'port of that door'),
      tls: tlsSettings,
    },
  },
  access: {
    type: 'choice',
    choices: ['auto', 'open', 'known'],
    default: 'auto',
    doc: 'who may capture and read: open (anybody who reaches the gateway) or known (clients with a key or a token); auto: known where identity names issuers, else open, which only loopback with VMs of this machine allows',
  },
  identity: identitySettings,
  admin: {
    host: text('127.0.0.1', 'address of the admin page, its API and /metrics'),
    port: port(8081, 'port of the admin page'),
    tls: tlsSettings,
    token: secret("operators' token, which the admin API and page ask for; required when host is not loopback"),
    viewerToken: secret('token of those who see everything and change nothing'),
  },
  manager: {
    gateways: {
      type: 'list',
      pattern: 'https?://.+',
      expected: 'a URL such as http://127.0.0.1:8083',
      default: NONE,
      doc: 'control doors of the gateways that `mmeliot manager` steers (`mmeliot up` has a gateway of its own)',
    },
    gatewayCa: text(
      '',
      "file with the roots of the gateways' certificates (PEM), where they speak TLS; empty: those that the machine knows",
    ),
    releaseWithin: {
      type: 'duration',
      default: 300_000,
      doc: 'at the end, VMs that are to be released are waited for as long as this; those that remain are named',
    },
  },
  collector: {
    host: text('127.0.0.1', 'address that the VMs send their load reports to'),
    port: port(8082, 'UDP port of the load reports'),
    secret: secret('secret of the group, signs load reports; empty: made at the first start and kept in dataDir'),
  },
  repository: repositorySettings,
  epcis: epcisSettings,
  elasticity: elasticitySettings,
  fleet: fleetSettings,
  roles: {
    type: 'data',
    default: NO_ROLES,
    doc: 'roles that have VMs of their own: work (stored work), with settings as in elasticity and fleet where they differ, such as {work: {max: 4}}; empty: every VM does both',
  },
  packing: packingSettings,
  provider: {
    type: 'choice',
    choices: ['local', 'opennebula', 'ec2'],
    default: 'local',
    doc: 'where VMs come from: local (processes of this machine), opennebula, or ec2 (needs npm install @aws-sdk/client-ec2)',
  },
  local: {
    cpu: { type: 'number', default: 0.1, min: 0.05, max: 64, unit: 'cores', doc: 'cores that each VM may use' },
    host: text('127.0.0.1', 'address that VMs listen on; ::1 for IPv6'),
    quota: {
      type: 'choice',
      choices: ['auto', 'cgroup', 'signals'],
      default: 'auto',
      doc: 'how the cores are limited: cgroup (kernel), signals (stop and continue), auto: cgroup where it can be had',
    },
    market: text('', 'JSON file of a toy market to try interruptible VMs and prices with; empty: one offer, on demand'),
  },
  opennebula: {
    url: text('http://127.0.0.1:2633/RPC2', "the front end's XML-RPC address"),
    user: text('', 'user that owns the VMs'),
    password: secret('password or login token of that user'),
    passwordFile: text('', 'file that holds the password or login token; it may be replaced while the manager runs'),
    template: { type: 'name', default: 'mmeliot', doc: 'VM template, by id or by name' },
    offers: {
      type: 'list',
      pattern: '.+ (on-demand|interruptible) \\d+(\\.\\d+)?',
      expected: 'template, market and price an hour such as "mmeliot-spot interruptible 0.02"',
      default: NONE,
      doc: 'templates with market (on-demand or interruptible) and price an hour, the first one on demand; empty: template alone',
    },
    role: {
      type: 'text',
      default: 'epcis',
      pattern: '[A-Za-z0-9_.-]+',
      expected: 'a word of letters, digits, _ . and -',
      doc: 'what these VMs are, in their names (GROUP-ROLE-...) and labels (mmeliot/GROUP/ROLE)',
    },
    nic: { type: 'name', default: 0, doc: "which NIC has the VM's address: its number, or its network's name" },
    addresses: {
      type: 'choice',
      choices: ['ipv4', 'ipv6'],
      default: 'ipv4',
      doc: "which of a NIC's addresses the gateway uses where it has both",
    },
    port: port(8080, 'port that the service listens on in a VM'),
    collector: text('', 'host:port that VMs send load reports to; empty: host and port of collector'),
    placement: {
      type: 'duration',
      default: 360_000,
      doc: 'a VM that waits longer than this for a host has failed; its boot (elasticity.bootDeadline) begins when it has one',
    },
  },
  ec2: {
    region: text(
      '',
      "AWS region; empty: as the AWS SDK finds it (AWS_REGION, the profile). The login is the SDK's, too",
    ),
    endpoint: text('', "URL of another EC2 than the region's own"),
    template: text('mmeliot', 'launch template, by id (lt-…) or by name'),
    types: {
      type: 'list',
      default: NONE,
      doc: 'instance types that VMs may have; empty: the one of the launch template',
    },
    subnets: {
      type: 'list',
      pattern: 'subnet-[0-9a-f]+',
      expected: 'a subnet such as subnet-0123456789abcdef0',
      default: NONE,
      doc: "subnets that VMs may be in; their zones and `types` make the pools; empty: the region's default ones",
    },
    address: {
      type: 'choice',
      choices: ['private', 'public'],
      default: 'private',
      doc: "which of a VM's addresses the gateway uses",
    },
    port: port(8080, 'port that the service listens on in a VM'),
    collector: text('', 'host:port that VMs send load reports to; empty: host and port of collector'),
    setup: text('', 'file with lines of a shell script that a VM runs first, where its image is without mmeliot'),
    prices: text('', 'file `type,price` of on-demand prices, USD an hour; empty: a table of list prices in us-east-1'),
    noticeEvery: {
      type: 'duration',
      default: 5_000,
      doc: 'how often VMs ask their metadata service whether they will be taken, and we the spot requests; 0: VMs never',
    },
  },
  tracing: tracingSettings,
  logLevel: {
    type: 'choice',
    choices: ['debug', 'info', 'warn', 'error', 'silent'],
    default: 'info',
    doc: 'what is logged',
  },
} as const satisfies Sections;

export type Config = Omit<Values<typeof settings>, 'elasticity'> & { readonly elasticity: DecisionParameters };

/** All that the control loop goes by, and that can be changed while it runs. */
export const parametersOf = ({ elasticity, fleet }: Config): ElasticityParameters => ({ ...elasticity, ...fleet });

/** Reads a file's content into a `Config`, and writes it as people do. */
export const schema = sectionOf(settings, { ...forms, elasticity });
