// EPCIS documents in XML: the same text with other event IDs.
import { eventsOf, find, parseXml, type Node } from './xml.ts';

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The document with each event's ID replaced (or taken away, by undefined); equal IDs stay equal. */
export function withXmlIds(text: string, newId: () => string | undefined): string {
  const document = parseXml(text);
  const isOld = /:xsd:1$/.test(document.namespace);
  const known = new Map<unknown, string | undefined>();
  const edits = eventsOf(document).map((event) => {
    const old = idOf(event)?.text ?? Symbol('an event without ID');
    if (!known.has(old)) known.set(old, newId());
    return edit(event, known.get(old), isOld);
  });
  // from the end, so that the places before stay what they are
  return edits
    .sort((one, other) => other.start - one.start)
    .reduce((edited, { start, end, text }) => edited.slice(0, start) + text + edited.slice(end), text);
}

/** `<eventID>` as a child, or inside EPCIS 1.2's `baseExtension`. */
function idOf(event: Node): Node | undefined {
  const base = event.children.find(({ name }) => name === 'baseExtension');
  return [...event.children, ...(base?.children ?? [])].find(({ name }) => name === 'eventID');
}

function edit(event: Node, id: string | undefined, isOld: boolean): Edit {
  const present = idOf(event);
  const element = id === undefined ? '' : `<eventID>${id}</eventID>`;
  if (present !== undefined) return { start: present.start, end: present.end, text: element };
  const base = event.children.find(({ name }) => name === 'baseExtension');
  const first = base?.children[0]?.start;
  if (first !== undefined) return { start: first, end: first, text: element };
  const after = find(event, 'eventTimeZoneOffset')?.end ?? event.end;
  const text = isOld && element !== '' ? `<baseExtension>${element}</baseExtension>` : element;
  return { start: after, end: after, text };
}
