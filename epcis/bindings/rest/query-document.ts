// An EPCISQueryDocument around events, streamed.
import type { StoredEvent } from '../../service/services.ts';
import type { Documents, WriteStyle } from '../http/doors.ts';
import { JSON_CONTEXT } from '../json/context.ts';
import { xmlText } from '../http/xml-text.ts';

export interface Heading {
  readonly queryName: string;
  readonly subscriptionID?: string;
  readonly created: Date;
}

/** What stands before and after the events of a document, and between them. */
export function frameOf(heading: Heading, style: WriteStyle): { before: string; between: string; after: string } {
  return style.form === 'json' ? jsonFrame(heading) : xmlFrame(heading, style.version);
}

export async function* queryDocument(
  heading: Heading,
  events: AsyncIterable<StoredEvent>,
  style: WriteStyle,
  documents: Documents,
): AsyncGenerator<string> {
  const { before, between, after } = frameOf(heading, style);
  let separator = before;
  for await (const event of events) {
    yield separator + documents.event(event, style);
    separator = between;
  }
  yield separator === before ? before + after : after;
}

function jsonFrame({ queryName, subscriptionID, created }: Heading) {
  const marker = '"eventList":[';
  const document = JSON.stringify({
    '@context': [JSON_CONTEXT],
    type: 'EPCISQueryDocument',
    schemaVersion: '2.0',
    creationDate: created.toISOString(),
    epcisBody: {
      queryResults: { ...(subscriptionID && { subscriptionID }), queryName, resultsBody: { eventList: [] } },
    },
  });
  const at = document.lastIndexOf(marker) + marker.length;
  return { before: document.slice(0, at), between: ',', after: document.slice(at) };
}

function xmlFrame({ queryName, subscriptionID, created }: Heading, version: '1.2' | '2.0') {
  const namespace = `urn:epcglobal:epcis-query:xsd:${version === '2.0' ? 2 : 1}`;
  const subscription =
    subscriptionID === undefined ? '' : `<subscriptionID>${xmlText(subscriptionID)}</subscriptionID>`;
  return {
    before:
      `<?xml version="1.0" encoding="UTF-8"?>\n<epcisq:EPCISQueryDocument xmlns:epcisq="${namespace}"` +
      ` schemaVersion="${version}" creationDate="${created.toISOString()}"><EPCISBody><epcisq:QueryResults>` +
      `<queryName>${xmlText(queryName)}</queryName>${subscription}<resultsBody><EventList>`,
    between: '',
    after: '</EventList></resultsBody></epcisq:QueryResults></EPCISBody></epcisq:EPCISQueryDocument>',
  };
}
