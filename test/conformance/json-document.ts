// EPCIS documents in JSON: their events, and the same text with other event IDs.

export type Json = Readonly<Record<string, unknown>>;

export interface JsonEvent {
  readonly event: Json;
  /** The contexts above it and its own. */
  readonly contexts: readonly unknown[];
}

export function jsonEvents(text: string): JsonEvent[] {
  const document = JSON.parse(text) as Json;
  return listOf(document).map((event) => ({
    event,
    contexts: [...many(document['@context']), ...many(event['@context'])],
  }));
}

/** The document with each event's ID replaced (or taken away, by undefined); equal IDs stay equal. */
export function withIds(text: string, newId: () => string | undefined): string {
  const document = JSON.parse(text) as Json;
  const known = new Map<unknown, string | undefined>();
  for (const event of listOf(document) as { eventID?: string | undefined }[]) {
    const old = event.eventID ?? Symbol('an event without ID');
    if (!known.has(old)) known.set(old, newId());
    const id = known.get(old);
    if (id === undefined) delete event.eventID;
    else event.eventID = id;
  }
  return JSON.stringify(document);
}

export function many(value: unknown): unknown[] {
  return value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
}

function listOf(document: Json): Json[] {
  const body = (document['epcisBody'] ?? {}) as Json;
  const results = (body['queryResults'] ?? {}) as Json;
  const resultsBody = (results['resultsBody'] ?? {}) as Json;
  if (Array.isArray(document['eventList'])) return document['eventList'] as Json[];
  const list = body['eventList'] ?? body['event'] ?? resultsBody['eventList'];
  if (list !== undefined) return many(list) as Json[];
  return typeof document['eventTime'] === 'string' ? [document] : [];
}
