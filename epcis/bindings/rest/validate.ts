// POST /validate, and dryRun=true of a capture: what is wrong with a document, and nothing is captured.
import { bodyOf } from '../http/body.ts';
import { xmlText } from '../http/xml-text.ts';
import type { Finding, Report } from '../../service/findings.ts';
import { DOCUMENT_TYPES, headersOf } from './events.ts';
import { mediaTypeOf, type RestExchange } from './exchange.ts';
import type { QueryField } from './resource.ts';

export const DRY_RUN: QueryField = {
  name: 'dryRun',
  meaning: 'Whether the document is only checked, as /validate does.',
  schema: { type: 'boolean', default: false },
};

export async function postValidate(exchange: RestExchange, what?: 'event'): Promise<void> {
  const { request, doors } = exchange;
  const mediaType = mediaTypeOf(request, DOCUMENT_TYPES);
  const about = { mediaType, headers: headersOf(exchange) };
  const report = await doors.documents.validate(bodyOf(request, doors.limits.captureBytes), about, what);
  exchange.send(200, report, () => reportXml(report));
}

function reportXml({ findings, ...report }: Report): string {
  const attributes = Object.entries(report).map(([name, value]) => ` ${name}="${value}"`);
  const each = findings.map(
    ({ rule, severity, at = '', reason, hint }: Finding) =>
      `<finding rule="${xmlText(rule)}" at="${xmlText(at)}" severity="${severity}"><reason>${xmlText(reason)}</reason><hint>${xmlText(hint)}</hint></finding>`,
  );
  return `<epcis:ValidationReport xmlns:epcis="urn:epcglobal:epcis:xsd:2"${attributes.join('')}>${each.join('')}</epcis:ValidationReport>`;
}
