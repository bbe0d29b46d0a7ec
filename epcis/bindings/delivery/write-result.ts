// What a subscription's receiver gets: an EPCISQueryDocument in the form and generation it subscribed in, or the exception.
import { EpcisException } from '../../domain/exceptions.ts';
import type { Notice, ResultForm, WriteResult } from '../../service/subscriptions.ts';
import type { Documents, WriteStyle } from '../http/doors.ts';
import { problemOf } from '../rest/problem.ts';
import { frameOf } from '../rest/query-document.ts';
import { exceptionElement } from '../soap/envelope.ts';

/** `soap` is EPCIS 1.x. Fosstrak-era receivers take text/xml. */
const FORMS: Readonly<Record<ResultForm['form'], Pick<WriteStyle, 'form' | 'version'> & { mediaType: string }>> = {
  soap: { form: 'xml', version: '1.2', mediaType: 'text/xml; charset=utf-8' },
  xml: { form: 'xml', version: '2.0', mediaType: 'application/xml; charset=utf-8' },
  json: { form: 'json', version: '2.0', mediaType: 'application/ld+json' },
};

export function createWriteResult(documents: Pick<Documents, 'event'>, now: () => Date): WriteResult {
  return {
    results({ queryName, subscriptionId, result }, events) {
      const { mediaType, ...form } = FORMS[result.form];
      const { epcFormat, cbvFormat } = result;
      const style = { ...form, ...(epcFormat && { epcFormat }), ...(cbvFormat && { cbvFormat }) };
      const { before, between, after } = frameOf({ queryName, subscriptionID: subscriptionId, created: now() }, style);
      return { mediaType, text: before + events.map((event) => documents.event(event, style)).join(between) + after };
    },
    exception(about, name, reason) {
      const exception = new EpcisException(name, reason);
      if (about.result.form !== 'json') return exceptionDocument(about, exception, now());
      const { queryName, subscriptionId: subscriptionID } = about;
      const problem = { ...problemOf({ exception }), queryName, subscriptionID };
      return { mediaType: 'application/problem+json', text: JSON.stringify(problem) };
    },
  };
}

function exceptionDocument(
  { queryName, subscriptionId: subscriptionID, result }: Notice,
  exception: EpcisException,
  created: Date,
): { mediaType: string; text: string } {
  const { mediaType, version } = FORMS[result.form];
  const generation = version === '2.0' ? 2 : 1;
  const text =
    `<?xml version="1.0" encoding="UTF-8"?>\n` +
    `<epcisq:EPCISQueryDocument xmlns:epcisq="urn:epcglobal:epcis-query:xsd:${generation}" schemaVersion="${version}"` +
    ` creationDate="${created.toISOString()}"><EPCISBody>` +
    exceptionElement(exception, { generation, queryName, subscriptionID }) +
    `</EPCISBody></epcisq:EPCISQueryDocument>`;
  return { mediaType, text };
}
