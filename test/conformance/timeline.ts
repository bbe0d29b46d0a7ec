// Record times in cases are of the day the suite was written; a repository's are of the day it captured the events. So events
// are captured in the suite's order, apart wherever a case draws a line between them, and the times in requests are replaced
// by the repository's own.
import { callSoap, captureXml } from './server.ts';
import type { Endpoints } from './procedures/site.ts';
import { canonical, childText, eventsOf, parseXml, type Node } from './xml.ts';

const RECORD_TIME =
  /(<name>\s*(?:GE|LT)_recordTime\s*<\/name>\s*(?:<!--[^]*?-->\s*)?<value[^>]*>\s*|<initialRecordTime>\s*)([^<\s]+)/g;
const ALL =
  '<q:Poll xmlns:q="urn:epcglobal:epcis-query:xsd:1"><queryName>SimpleEventQuery</queryName><params/></q:Poll>';
/** Longer than a clock's tick. */
const BETWEEN_CAPTURES = 20;

export class Timeline {
  readonly #documents: readonly string[];
  readonly #events = new Map<string, { readonly suite: number; recorded?: number }>();

  constructor(documents: readonly string[], requests: readonly string[]) {
    const lines = requests.flatMap((xml) => [...xml.matchAll(RECORD_TIME)].map((match) => Date.parse(match[2] ?? '')));
    this.#documents = documents.flatMap((document) => cut(document, lines));
    for (const document of documents) {
      for (const event of eventsOf(parseXml(document))) this.#events.set(canonical(event), { suite: suiteTime(event) });
    }
  }

  /** Is it one of the suite's events? A repository may hold others. */
  knows(event: Node): boolean {
    return this.#events.has(canonical(event));
  }

  async capture(endpoints: Endpoints): Promise<void> {
    for (const document of this.#documents) {
      await captureXml(endpoints, document);
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_CAPTURES));
    }
    for (const event of eventsOf(await callSoap(endpoints, ALL))) {
      const known = this.#events.get(canonical(event));
      if (known !== undefined) known.recorded = Date.parse(childText(event, 'recordTime') ?? '');
    }
    const [lost] = [...this.#events].find(([, { recorded }]) => !(recorded! > 0)) ?? [];
    if (lost !== undefined) throw new Error(`captured, but not given back with its recordTime: ${lost}`);
  }

  translate(request: string): string {
    return request.replace(RECORD_TIME, (_, before: string, time: string) => before + this.#recorded(time));
  }

  /** When the repository recorded the first event that the suite has at that time or later. */
  #recorded(time: string): string {
    const at = Date.parse(time);
    const events = [...this.#events.values()];
    if (events.every(({ suite }) => suite >= at)) return time;
    const later = events.filter(({ suite }) => suite >= at).map(({ recorded = 0 }) => recorded);
    const end = Math.max(...events.map(({ recorded = 0 }) => recorded)) + 1;
    return new Date(Math.min(end, ...later)).toISOString();
  }
}

function suiteTime(event: Node): number {
  return Date.parse(childText(event, 'eventTime') ?? '');
}

/** A document in parts: one for each stretch of its events without a line in it. */
function cut(document: string, lines: readonly number[]): string[] {
  const events = eventsOf(parseXml(document));
  const stretch = (event: Node) => lines.filter((line) => line <= suiteTime(event)).length;
  const parts = [...Map.groupBy(events, stretch)].sort(([one], [other]) => one - other).map(([, part]) => part);
  if (parts.length < 2) return [document];
  const [from, to] = [events[0]?.start ?? 0, events.at(-1)?.end ?? 0];
  return parts.map((part) => {
    const text = part.map(({ start, end }) => document.slice(start, end)).join('\n');
    return document.slice(0, from) + text + document.slice(to);
  });
}
