// An export as a document: an EPCISQueryDocument in JSON-LD or XML, or a table.
import { textWriter, type ExportRequest, type ExportWriter } from '../../service/exports.ts';
import type { StoredEvent } from '../../service/services.ts';
import type { Documents, WriteStyle } from '../http/doors.ts';
import { frameOf } from '../rest/query-document.ts';
import { csvHeading, csvRow, END_OF_ROW } from './csv.ts';
import { kept, parquetHead, parquetRows, parquetTail, unkept } from './parquet.ts';
import { rowOf } from './table.ts';

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
    const event = (stored: StoredEvent): string => documents.event(stored, style);
    if (format === 'parquet') return parquetWriter(event);
    if (format === 'csv')
      return textWriter(
        { before: csvHeading(), between: '', after: '' },
        (stored) => csvRow(event(stored)) + END_OF_ROW,
      );
    return textWriter(frameOf({ queryName, created: now() }, style), event);
  };
}

const parquetWriter = (event: ExportWriter['event']): ExportWriter => ({
  event,
  page(events, { isFirst, isLast, known = '' }) {
    const own = events.length === 0 ? [] : [parquetRows(events.map(rowOf))];
    const groups = [...unkept(known), ...own.map(({ group }) => group)];
    const bytes = [
      ...(isFirst ? [parquetHead()] : []),
      ...own.map((rows) => rows.bytes),
      ...(isLast ? [parquetTail(groups, 'mmeliot')] : []),
    ];
    return { bytes: Buffer.concat(bytes), known: kept(groups) };
  },
});
