// The services over one database, and the documents both doors read and write.
import { createHash, randomUUID } from 'node:crypto';
import { guardCapture } from './access/rules/guard-capture.ts';
import { clientRights, seenBy, type RightsOf } from './access/rules/client-rights.ts';
import { restrict } from './access/rules/restrict.ts';
import type { ClientIdentity } from './access/identity.ts';
import { saysNoEvenly, type EvenTime } from './access/even-time.ts';
import { EventMeter } from './access/limits.ts';
import { metered } from './service/metered.ts';
import { createWriteExport } from './bindings/delivery/write-export.ts';
import { createWriteResult } from './bindings/delivery/write-result.ts';
import { goingOn } from './bindings/faults.ts';
import { checked as wellFormed } from './bindings/check.ts';
import { checkedItems, type CheckItem } from './checks/checks.ts';
import { limitsOf, readDocument, readEvent, type DocumentLimits, type ReadOptions } from './bindings/documents.ts';
import type { Documents, Services } from './bindings/http/doors.ts';
import type { Log } from './bindings/http/failure.ts';
import { extensionsOf } from './bindings/rest/headers.ts';
import { splitDocument } from './bindings/split.ts';
import { validateDocument } from './bindings/validate.ts';
import { writeVocabularyList } from './bindings/write-vocabulary.ts';
import { writeEpc, writeEvent, writeSingleEvent, writeWord } from './bindings/write.ts';
import type { CompanyPrefixes } from './domain/company-prefixes.ts';
import { UnavailableError } from './domain/unavailable.ts';
import type { EpcisLimits, Settings } from './options.ts';
import { createClientAccounts } from './repository/client-accounts.ts';
import type { Database } from './repository/database/database.ts';
import { resetRepository } from './repository/reset.ts';
import { createCaptureService } from './service/capture.ts';
import type { ReadDocument, SplitDocument, SubmittedJob } from './service/jobs.ts';
import type { EventRepository } from './service/repository.ts';
import type { CaptureItem } from './service/services.ts';
import { SHORT_BYTES, type GiveWay } from './service/give-way.ts';
import type { Turn } from './service/tenant-turns.ts';
import { createQueryService } from './service/query.ts';
import type { Role } from './work/options.ts';
import { watchRules } from './work/rules.ts';
import type { Tracer } from './tracing/tracer.ts';
import { lettingIn } from './turns/letting-in.ts';
import { startWork } from './work/start.ts';

export interface Wired {
  readonly services: Services;
  readonly documents: Documents;
  /** The same as one client has them. */
  servicesFor(client: ClientIdentity): Services;
  /** Ends the background work. */
  close(): Promise<void>;
}

interface WireParts {
  /** The repository's time, ms since 1970. */
  readonly now: () => number;
  readonly secret: string;
  readonly even: EvenTime;
  readonly tracer?: Tracer;
  readonly turn?: Turn;
}

export async function wire(
  settings: Settings,
  database: Database,
  events: EventRepository,
  documents: Documents,
  log: Log,
  { now, secret, even, tracer, turn }: WireParts,
): Promise<Wired> {
  const { limits, allowReset, subscriptionTargets, role, worker } = settings;
  const capture = createCaptureService(events);
  const options = {
    limits: { parameters: limits.queryParameters, values: limits.queryValues },
    maxSorted: limits.sortedEvents,
  };
  const query = createQueryService(events, options);
  const write = createWriteResult(documents, () => new Date());
  const logFailure = failureLogger(log);
  const inForce = settings.access ? await watchRules(database, logFailure) : undefined;
  const rights: RightsOf | undefined = inForce && clientRights(inForce.rules, now);
  const meter = new EventMeter(createClientAccounts(database), logFailure);
  const splitting = settings.checks === '' ? { split: splitter(limits) } : {};
  const writeExport = createWriteExport(documents, () => new Date());
  const parts = {
    database,
    capture,
    read: documents.read,
    write,
    writeExport,
    logFailure,
    now,
    secret,
    elementLimits: { itemBytes: limits.eventBytes, itemValues: limits.eventValues },
    ...(rights && { rights }),
    ...(inForce && { seen: (client: ClientIdentity) => nameOf(seenBy(inForce.rules(), client)) }),
    ...(tracer && { tracer }),
    ...(turn && { turn }),
    ...splitting,
  };
  const work = startWork(parts, {
    ...settings.work,
    subscriptionTargets,
    ...(role && { role }),
    ...(worker && { worker }),
  });
  const { jobs, queries, subscriptions, exports } = work;
  const reset = allowReset ? { reset: () => resetRepository(database) } : {};
  const services = { capture, query, jobs, queries, subscriptions, exports, ...reset };
  return {
    services,
    documents,
    servicesFor(client) {
      if (rights === undefined) return services;
      const own = () => rights(client);
      const afterCheck = async <T>(act: () => Promise<T>): Promise<T> => {
        await meter.check(client);
        return act();
      };
      // when it is taken, not when it is captured: who sends a hundred at once has not captured any
      const counted = async (submitted: Promise<SubmittedJob>): Promise<SubmittedJob> => {
        const job = await submitted;
        if (client.eventsPerSecond === undefined) return job;
        const { progress } = await ownJobs.get(job.captureID);
        await meter.count(client, progress?.events ?? 0);
        return job;
      };
      const { jobs: ownJobs, ...others } = saysNoEvenly(work.for(client), even.begin);
      const ownCapture = metered(guardCapture(events, own, now, even.begin), meter, client);
      return {
        ...others,
        jobs: { ...ownJobs, submit: (document) => afterCheck(() => counted(ownJobs.submit(document))) },
        capture: { capture: (items, more) => afterCheck(() => ownCapture.capture(items, more)) },
        query: createQueryService(restrict(events, own, even.begin), options),
        ...reset,
      };
    },
    async close() {
      await inForce?.close();
      await work.close();
    },
  };
}

/** How the items of one document are checked; undefined: by the standard alone. */
export type OpenCheck = (() => CheckItem) | undefined;

const formatOf = (mediaType: string): 'xml' | 'json' => (mediaType.includes('xml') ? 'xml' : 'json');

const splitter =
  (limits: EpcisLimits) =>
  (partBytes: number): SplitDocument =>
  (bytes, { mediaType }) =>
    splitDocument(bytes, formatOf(mediaType), partBytes, documentLimits(limits));

const documentLimits = (limits: EpcisLimits): DocumentLimits => ({
  bytes: limits.captureBytes,
  items: limits.captureEvents,
  itemBytes: limits.eventBytes,
  itemValues: limits.eventValues,
  depth: limits.depth,
});

export function createDocuments(
  limits: EpcisLimits,
  prefixes: CompanyPrefixes,
  giveWay: GiveWay,
  { open, turn, role }: { readonly open?: OpenCheck; readonly turn?: Turn; readonly role?: Role },
): Documents {
  // who takes documents in for others to capture leaves the rest of long ones to them: to look at every byte is two thirds of what
  // one costs here, and queries wait for it
  const looksAt = role === 'query' ? SHORT_BYTES : Infinity;
  const bytesOf = (body: AsyncIterable<Uint8Array>) => turn?.bytes(body) ?? body;
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const optionsFor = ({ mediaType, headers }: About): ReadOptions => ({
    format: formatOf(mediaType),
    sha256,
    limits: documentLimits(limits),
    extensions: extensionsOf(headers),
    letIn: lettingIn.letIn,
  });
  const checked = (items: AsyncIterable<CaptureItem>) => (open === undefined ? items : checkedItems(items, open()));
  return {
    read: (body, about) => {
      const options = optionsFor(about);
      const bytes = lettingIn.pieces(bytesOf(body));
      if (about.errorBehaviour !== 'proceed') return checked(readDocument(bytes, options));
      return checked(goingOn((onFault) => readDocument(bytes, { ...options, onFault })));
    },
    validate: (body, about, what) =>
      validateDocument(
        lettingIn.pieces(body),
        optionsFor(about),
        open?.(),
        what === 'event' ? readEvent : readDocument,
      ),
    readEvent: (body, about) => checked(readEvent(body, optionsFor(about))),
    check: (body, about) => {
      const options = optionsFor(about);
      return wellFormed(bytesOf(giveWay.pieces(body)), options.format, limitsOf(options), looksAt);
    },
    event: (stored, style) => writeEvent(stored, style, prefixes),
    singleEvent: (stored, style) => writeSingleEvent(stored, style, prefixes),
    vocabularyList: (elements) => writeVocabularyList(elements, 'xml'),
    epc: (uri, format) => writeEpc(uri, format, prefixes),
    word: writeWord,
  };
}

type About = Parameters<ReadDocument>[1];

/** Background work logs its failures under an ID, as requests do. Why the repository is away is told once, not by each of them. */
function failureLogger(log: Log): (error: unknown, what: string) => string {
  return (error, what) => {
    const id = randomUUID();
    if (error instanceof UnavailableError) log.warn({ failure: id, why: error.message }, `EPCIS ${what} failed`);
    else log.error({ err: error, failure: id }, `EPCIS ${what} failed`);
    return id;
  };
}

const nameOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);
