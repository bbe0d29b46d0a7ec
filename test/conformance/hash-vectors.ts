// Cases with event hashes: documents (`.jsonld`, `.xml`) beside `.hashes`, one line an event. Each is captured without its
// event IDs; the repository must have given the events the expected ones.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jsonEvents, withIds } from './json-document.ts';
import { check, type Result } from './report.ts';
import { captureRest, eventsById } from './server.ts';
import type { Endpoints } from './procedures/site.ts';
import { childText, eventsOf, parseXml } from './xml.ts';
import { withXmlIds } from './xml-document.ts';

interface Expected {
  readonly type: string;
  readonly eventTime: string;
}

export async function runHashVectors(endpoints: Endpoints, folder: string): Promise<Result[]> {
  const stems = readdirSync(folder).filter((name) => name.endsWith('.hashes'));
  const results: Result[] = [];
  for (const stem of stems.map((name) => name.slice(0, -'.hashes'.length)).sort()) {
    const hashes = readFileSync(join(folder, `${stem}.hashes`), 'utf8')
      .split(/\s+/)
      .filter((line) => line !== '');
    for (const extension of ['.jsonld', '.json', '.xml']) {
      const file = join(folder, stem + extension);
      if (!existsSync(file)) continue;
      results.push(
        await check(stem + extension, () => runVector(endpoints, readFileSync(file, 'utf8'), extension, hashes)),
      );
    }
  }
  return results;
}

async function runVector(
  endpoints: Endpoints,
  text: string,
  extension: string,
  hashes: readonly string[],
): Promise<void> {
  const isXml = extension === '.xml';
  const events = isXml ? xmlEvents(text) : jsonEvents(text).map(({ event }) => expectedOf(event));
  if (events.length !== hashes.length)
    throw new Error(`the case has ${events.length} events and ${hashes.length} hashes`);
  const stripped = isXml ? withXmlIds(text, () => undefined) : withIds(text, () => undefined);
  await captureRest(endpoints, stripped, isXml ? 'application/xml' : 'application/ld+json');
  for (const [at, hash] of hashes.entries()) await readBack(endpoints, hash, events[at]);
}

async function readBack(endpoints: Endpoints, hash: string, expected: Expected | undefined): Promise<void> {
  const answer = await eventsById(endpoints, hash, 'application/json').catch(async (error: unknown) => {
    throw new Error(`no event has the ID ${hash}; ${await idsAt(endpoints, expected)} (${String(error)})`);
  });
  const found = jsonEvents(answer).map(({ event }) => event);
  const match = found.find((event) => {
    const { type, eventTime } = expectedOf(event);
    return event['eventID'] === hash && type === expected?.type && instant(eventTime) === instant(expected.eventTime);
  });
  if (match === undefined) throw new Error(`GET /events/${hash} gave another event: ${answer.slice(0, 200)}`);
}

/** For the report: which IDs the events of that time have instead. */
async function idsAt(endpoints: Endpoints, expected: Expected | undefined): Promise<string> {
  const from = instant(expected?.eventTime ?? '');
  const to = new Date(Date.parse(from) + 1).toISOString();
  const url = `${endpoints.rest}/events?GE_eventTime=${encodeURIComponent(from)}&LT_eventTime=${encodeURIComponent(to)}`;
  const response = await fetch(url, { headers: { Accept: 'application/json' } });
  const ids = response.ok ? jsonEvents(await response.text()).map(({ event }) => String(event['eventID'])) : [];
  return ids.length === 0 ? 'none of that time is there' : `those of its time have ${ids.join(', ')}`;
}

function xmlEvents(text: string): Expected[] {
  return eventsOf(parseXml(text)).map((event) => ({
    type: event.name,
    eventTime: childText(event, 'eventTime') ?? '',
  }));
}

function expectedOf(event: Readonly<Record<string, unknown>>): Expected {
  return { type: String(event['type']), eventTime: String(event['eventTime']) };
}

function instant(time: string): string {
  return new Date(time).toISOString();
}
