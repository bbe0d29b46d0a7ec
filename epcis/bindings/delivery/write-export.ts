// An export as a document: an EPCISQueryDocument in JSON-LD or XML, or a table.
import type { ExportRequest, ExportWriter } from '../../service/exports.ts';
import type { Documents, WriteStyle } from '../http/doors.ts';
import { frameOf } from '../rest/query-document.ts';
import { csvHeading, csvRow, END_OF_ROW } from './csv.ts';

export function createWriteExport(
  documents: Pick<Documents, 'event'>,
  now: () => Date,
): (request: ExportRequest) => ExportWriter {
  return ({ format, queryName, version, epcFormat, cbvFormat }) => {
    const style: WriteStyle = {
      ...{ form: format === 'xml' ? 'xml' : 'json', version },
      ...(epcFormat !== undefined && { epcFormat }),
      ...(cbvFormat !== undefined && { cbvFormat }),
    };
    const event: ExportWriter['event'] = (stored) => documents.event(stored, style);
    if (format !== 'csv') return { ...frameOf({ queryName, created: now() }, style), event };
    return { before: csvHeading(), between: '', after: '', event: (stored) => csvRow(event(stored)) + END_OF_ROW };
  };
}
