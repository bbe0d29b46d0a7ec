// /capture and /capture/{id}: documents, captured by a job that any VM can report on.
import { EpcisException } from '../../domain/exceptions.ts';
import { WARNING, type CaptureJob } from '../../service/jobs.ts';
import type { JobOrigin } from '../../service/jobs-classes.ts';
import type { CaptureOptions } from '../../service/services.ts';
import { traceHeaders } from '../../tracing/active.ts';
import { bodyOf } from '../http/body.ts';
import { xmlText } from '../http/xml-text.ts';
import { DOCUMENT_TYPES, headersOf } from './events.ts';
import { mediaTypeOf, type RestExchange } from './exchange.ts';
import { header } from './headers.ts';
import { pageHeaders, readPage } from './paging.ts';
import { isDryRun } from '../http/dry-run.ts';
import { postValidate } from './validate.ts';
import { problemElements, problemOf } from './problem.ts';

export async function postCapture(exchange: RestExchange): Promise<void> {
  if (isDryRun(exchange.url)) return postValidate(exchange);
  const { request, doors } = exchange;
  const origin = originOf(exchange);
  const mediaType = mediaTypeOf(request, DOCUMENT_TYPES);
  const errorBehaviour = behaviourOf(header(request.headers, 'GS1-Capture-Error-Behaviour'));
  const about = { mediaType, headers: headersOf(exchange) };
  // what is no document at all is refused at once; what is wrong inside, the job reports
  const bytes = doors.documents.check(bodyOf(request, doors.limits.captureBytes), about);
  const job = await doors.services.jobs.submit({
    ...{ ...about, headers: { ...about.headers, ...traceHeaders() } },
    ...{ bytes, errorBehaviour, origin },
  });
  exchange.empty(202, {
    Location: exchange.link('capture', job.captureID),
    'GS1-Capture-Error-Behaviour': errorBehaviour,
  });
}

export async function getJobs(exchange: RestExchange): Promise<void> {
  const paged = readPage(exchange);
  const { jobs, next } = await exchange.doors.services.jobs.list(paged.page);
  const json = (job: CaptureJob) => JSON.stringify(jobJson(job));
  const list = { root: ['epcis:EPCISCaptureJobs', NAMESPACE], json, xml: jobXml } as const;
  await exchange.sendList(jobs, list, pageHeaders(exchange, paged, next));
}

export async function getJob(exchange: RestExchange): Promise<void> {
  const job = await exchange.doors.services.jobs.get(exchange.value);
  exchange.send(200, jobJson(job), () => jobXml(job));
}

/** Behind a gateway the address is what the gateway says of it. */
export function originOf({ request, url, doors: { client } }: RestExchange): JobOrigin {
  const forwarded = header(request.headers, 'X-Forwarded-For')?.split(',')[0]?.trim();
  return {
    path: url,
    client: client?.client ?? forwarded ?? request.socket.remoteAddress ?? '',
    header: (name) => header(request.headers, name),
  };
}

const NAMESPACE = 'urn:epcglobal:epcis:xsd:2';
/** Of what we tell of a job beside the standard, where its schema lets elements of other namespaces be. */
const OWN = 'urn:mmeliot:epcis';

function behaviourOf(value: string | undefined): CaptureOptions['errorBehaviour'] {
  if (value === undefined || value === 'rollback') return 'rollback';
  if (value === 'proceed') return 'proceed';
  const reason = `GS1-Capture-Error-Behaviour must be rollback or proceed, not '${value}'.`;
  throw new EpcisException('ValidationException', reason);
}

export function problemsOf(errors: CaptureJob['errors']): object[] {
  return errors
    .filter(({ type }) => type !== WARNING)
    .map(({ type, reason, at }) => {
      // a job's errors were exceptions when they happened; the service keeps their names
      return problemOf({ exception: new EpcisException(type as EpcisException['name'], reason, at) });
    });
}

function jobJson(job: CaptureJob): object {
  const warnings = warningsOf(job);
  return { ...job, errors: problemsOf(job.errors), ...(warnings.length > 0 && { warnings }) };
}

/** What the operator's checks said of events that were captured all the same. */
function warningsOf({ errors }: CaptureJob): string[] {
  return errors.flatMap(({ type, reason, at }) => (type === WARNING ? [`${reason} (${at})`] : []));
}

function jobXml(job: CaptureJob): string {
  const errors = problemsOf(job.errors).map((problem) => `<error>${problemElements(problem)}</error>`);
  const warnings = warningsOf(job).map((warning) => `<mmeliot:warning>${xmlText(warning)}</mmeliot:warning>`);
  const { captureErrorBehaviour, createdAt } = job;
  const finishedAt = job.finishedAt === undefined ? {} : { finishedAt: job.finishedAt };
  const { place, bounded, progress, estimatedEnd } = job;
  const told = Object.entries({ class: job.class, place, bounded, ...progress, estimatedEnd }).filter(
    ([, value]) => value !== undefined,
  );
  const more = told.map(([name, value]) => `<mmeliot:${name}>${xmlText(String(value))}</mmeliot:${name}>`);
  return (
    `<epcis:EPCISCaptureJob xmlns:epcis="${NAMESPACE}" xmlns:mmeliot="${OWN}" running="${job.running}" success="${job.success}"` +
    ` captureID="${job.captureID}">${problemElements({ captureErrorBehaviour, createdAt, ...finishedAt })}` +
    `${list('errors', errors)}${more.join('')}${list('mmeliot:warnings', warnings)}</epcis:EPCISCaptureJob>`
  );
}

/** The schema has no empty ones. */
const list = (name: string, entries: readonly string[]): string =>
  entries.length === 0 ? '' : `<${name}>${entries.join('')}</${name}>`;
