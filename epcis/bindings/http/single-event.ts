// `POST /events` takes a bare event: it is read as the only one of a document. A whole document with one event is taken too.
import { EpcisException } from '../../domain/exceptions.ts';
import type { ReadDocument } from '../../service/jobs.ts';
import { JSON_CONTEXT } from '../rest/query-document.ts';

const CREATED = '1970-01-01T00:00:00Z';
const BEFORE_JSON =
  `{"@context":["${JSON_CONTEXT}"],"type":"EPCISDocument","schemaVersion":"2.0","creationDate":"${CREATED}",` +
  '"epcisBody":{"eventList":[';
const AFTER_JSON = ']}}';
const BEFORE_XML =
  '<epcis:EPCISDocument xmlns:epcis="urn:epcglobal:epcis:xsd:2" schemaVersion="2.0" ' +
  `creationDate="${CREATED}"><EPCISBody><EventList>`;
const AFTER_XML = '</EventList></EPCISBody></epcis:EPCISDocument>';
/** Where a bare event stands in the document that is made of it. */
const POINTER = '/epcisBody/eventList/0';

export function singleEventReader(read: ReadDocument): ReadDocument {
  return async function* (bytes, about) {
    const event = await textOf(bytes);
    const isXml = about.mediaType.includes('xml');
    try {
      yield* read(whole(isXml ? xmlDocument(event) : jsonDocument(event)), about);
    } catch (error) {
      throw isXml ? error : withoutPointer(error);
    }
  };
}

function jsonDocument(event: string): string {
  return /"epcisBody"\s*:/.test(event) ? event : BEFORE_JSON + event + AFTER_JSON;
}

/** On one line, so that the lines in error messages are those of the event. */
function xmlDocument(event: string): string {
  const element = event.replace(/^\uFEFF?\s*<\?xml[^>]*\?>/, '');
  return /^(\s|<!--[^]*?-->)*<([\w.-]+:)?EPCIS\w*Document[\s>]/.test(element)
    ? event
    : BEFORE_XML + element + AFTER_XML;
}

function withoutPointer(error: unknown): unknown {
  if (!(error instanceof EpcisException) || error.at?.startsWith(POINTER) !== true) return error;
  const at = error.at.slice(POINTER.length);
  const reason = error.message.replace(` (${error.at})`, '');
  return new EpcisException(error.name, reason, at === '' ? undefined : at, { cause: error });
}

async function textOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

async function* whole(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
