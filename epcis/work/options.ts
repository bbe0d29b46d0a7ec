// What an operator can set about background work, each setting declared once.
import { defaultsOf, type Values } from '../domain/setting.ts';
import type { JobClass } from '../service/jobs-classes.ts';

/** A small document doesn't wait for large ones, and what says of itself that it can wait, waits. */
const CLASSES: readonly JobClass[] = [
  { name: 'normal' },
  { name: 'bulk', rules: [{ header: { name: 'x-request-class', value: '^bulk$' } }, { bytes: 4 * 1024 * 1024 }] },
];

export const workSettings = {
  pollMs: { type: 'duration', default: 500, min: 10, doc: 'how often to look for work' },
  leaseSeconds: {
    type: 'duration',
    unit: 's',
    default: 30,
    min: 1,
    doc: 'how long a silent VM keeps the work that it took',
  },
  captures: { type: 'whole', default: 2, min: 1, doc: 'capture jobs at a time in one VM' },
  jobClasses: {
    type: 'data',
    default: CLASSES,
    doc: 'classes of capture jobs, most important first: name and rules (path, header, client as in gateway.queue.classes; bytes: documents of that size and more)',
  },
  partBytes: {
    type: 'size',
    default: 8 * 1024 * 1024,
    min: 0,
    doc: 'documents of twice this size and more that proceed past errors are captured in parts of about this size, by several VMs at a time; 0: never (nor where epcis.checks are)',
  },
  promoteAfterSeconds: {
    type: 'duration',
    unit: 's',
    default: 300,
    min: 0,
    doc: 'a waiting capture job moves up one class each time this has passed',
  },
  deliveries: {
    type: 'whole',
    default: 16,
    min: 1,
    doc: 'subscription runs at a time in one VM: they mostly wait for receivers',
  },
  maxAttempts: { type: 'whole', default: 10, min: 1, doc: 'tries before a capture job is given up' },
  pageSize: { type: 'whole', default: 500, min: 1, doc: 'events in one document to a receiver' },
  receiverTimeoutSeconds: {
    type: 'duration',
    unit: 's',
    default: 30,
    min: 1,
    doc: 'how long a receiver may take to answer, and a WebSocket to take what it is sent',
  },
  triggers: {
    type: 'list',
    default: [] as readonly string[],
    doc: 'SOAP: trigger URIs that are known; none: any absolute URI (all mean "when something matching is captured")',
  },
  maxBackOffSeconds: {
    type: 'duration',
    unit: 's',
    default: 300,
    min: 1,
    doc: 'longest pause before a receiver that is down is tried again',
  },
  keepJobsSeconds: {
    type: 'duration',
    unit: 's',
    default: 7 * 24 * 3600,
    min: 0,
    doc: 'how long the status of a finished job is kept',
  },
  unfinishedJobs: {
    type: 'whole',
    default: 10_000,
    min: 1,
    doc: 'capture jobs that one client may have unfinished at a time (all clients together where nobody asks who they are)',
  },
  namedQueries: {
    type: 'whole',
    default: 1000,
    min: 0,
    doc: 'named queries that one client may have (all clients together where nobody asks who they are); 0: none',
  },
  exports: { type: 'whole', default: 20, min: 0, doc: 'exports that one client may have at a time; 0: none' },
  exportBytes: {
    type: 'size',
    default: 1024 * 1024 * 1024,
    min: 1,
    doc: 'one export as the repository keeps it, compressed: about a tenth of what the client gets',
  },
  keepExportsSeconds: {
    type: 'duration',
    unit: 's',
    default: 24 * 3600,
    min: 0,
    doc: 'how long an export is kept after it was made',
  },
  closeSeconds: {
    type: 'duration',
    unit: 's',
    default: 10,
    min: 0,
    doc: 'how long a VM that closes waits for work at hand before it gives it back',
  },
} as const;

/** What one VM does of a service that is shared among several kinds. */
export type Role = 'query' | 'work';

export type WorkOptions = Values<typeof workSettings> & {
  /** `query`: it takes no work but what only it can do, to the WebSockets that it holds. Default: it does all. */
  readonly role?: Role;
  /** A UUID that the processes of one VM have in common. */
  readonly worker?: string;
  /** Where subscriptions may send to; see delivery/targets.ts. */
  readonly subscriptionTargets: readonly string[];
};

export const WORK_DEFAULTS: WorkOptions = { ...defaultsOf(workSettings), subscriptionTargets: [] };
